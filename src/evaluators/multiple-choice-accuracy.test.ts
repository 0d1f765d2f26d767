import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { MultipleChoiceAccuracy } from "./multiple-choice-accuracy.js";

const evaluator = new MultipleChoiceAccuracy();
const CITIES = ["Rome", "Paris", "Berlin", "Madrid"];
const TEN = Array.from({ length: 10 }, (_, i) => `option number ${i + 1}`);

function scored(example: Record<string, unknown>, response: unknown): ScoredWithEvidence {
  return evaluator.score({ id: 1, question: "q", ...example } as Example, { response } as Output) as ScoredWithEvidence;
}

/** The letter read from a response, found by trying every letter as the gold. */
function read(response: unknown, choices: readonly string[] = CITIES): string | null {
  for (let i = 0; i < choices.length; i++) {
    const letter = String.fromCharCode(65 + i);
    const { scores } = scored({ choices, answer_index: i }, response);
    if (scores.mc_accuracy === 1) return letter;
    if (scores.mc_extracted === 0) return null;
  }
  return null;
}

describe("MultipleChoiceAccuracy reads", () => {
  it.each([
    "B",
    "b",
    "(B)",
    "B.",
    "B)",
    "**B**",
    "`B`",
    "[B]",
    "$B$",
    "\\boxed{B}",
    "$\\boxed{\\text{B}}$",
    "<answer>B</answer>",
    "The answer is B",
    "The answer is (B).",
    "The answer is (b).",
    "The answer is clearly B",
    "The answer is B because it is the capital.",
    "The answer is: B",
    "the answer is option B.",
    "The correct answer is **B**.",
    "The correct answer is **(B) Paris**.",
    "the correct choice would be **(B)**",
    "The best option is B) Paris",
    "Answer: B",
    "answer: b",
    "ANSWER: B",
    "Answer B",
    "**Answer:** B",
    "**Answer: B**",
    "Final Answer: (B)",
    "Answer: \n\nB. Paris",
    "### Answer\nB",
    "Correct answer - B",
    "B) Paris",
    "B. Paris",
    "B: Paris",
    "(B) Paris",
    "**B. Paris**",
    "Option B",
    "option B",
    "I choose B",
    "I would go with option B.",
    "I'd say B.",
    "I think B",
    "B is correct.",
    "B is the correct answer.",
    "Option B is the best answer here.",
    "**B** is the right choice",
    "So, B.",
    "It lies in France. Therefore, (B).",
    "This corresponds to option B.",
    "which matches (B)",
    "The capital is Paris, which is option (B).",
    "The answer is Paris.",
    "The answer is Paris, the capital of France.",
    "Paris",
    "paris.",
    "**Paris**",
    "Some thoughts.\n\nParis",
    "Reasons, reasons.\n\nB",
    "B\n\nBecause Paris is the capital.",
    "B because Paris is the capital.",
    "B) Paris\n\nA) Rome is in Italy.\nC) Berlin is in Germany.",
    "A and C are wrong, so the answer is B",
    "It is not A. It is not C either. The answer is B.",
    "The answer is not A but B.",
    "The answer is A. No, wait: the answer is B.",
    "I first thought the answer is A. But actually, **B**",
    "Let's see.\nA) Rome: no.\nB) Paris: yes.\nC) Berlin: no.\nD) Madrid: no.\n\nThe answer is B.",
    "Answer: B. Option A is wrong because Rome is in Italy. Option C is incorrect.",
    "Answer: B\n\nA is incorrect. **C** is wrong too. D is not in France.",
    "<think>The answer is A? Or C. The answer is C.</think>B",
    "The answer is A.</think>\n\nThe answer is B.",
    "If the answer is A, it would be in Italy. So the answer is B.",
    "I think a good answer is B",
    "A good answer is B",
    "I am sure that a capital is meant. I choose B.",
    "The answer is B, I think.",
    "The answer is B and the others are wrong.",
    "The U.S.A. and vitamin C do not matter. Answer: B",
    "Answer:B",
    "Answer：B",
    "Therefore the answer, after all of this, is B.",
    "The incorrect answers are A and C. The answer is B.",
    " B\n\nQuestion: foo\nAnswer: C",
    "The answer is (B).\n\nQ: next\nA: The answer is (C).",
    "<thinking>Hmm, the answer is (A). </thinking>\n(B)",
    "<|channel|>analysis<|message|>The answer is A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>",
    "<think>The answer is B",
    "A and C look wrong. I'll go with B.",
    "I am going with B.",
    "The answer is B or C. I'd go with B.",
    "Answer: B\nNote that D is the best choice for Germany.",
    "Answer: B. If the question was about Italy, the answer would be A.",
    "Answer: B. The answer would be A if it was about Italy.",
    "If we look at the map, the answer is B.",
    "If I had to guess, I would say B.",
    "If I had to choose, it would be B.",
    "If forced to choose, the answer would be B.",
    "The correct answer is B\n\nExplanation:\nA is the best choice for Italy.",
    '{"answer": "B"}',
    '{"reason": "It is A or B", "answer":"B"}',
    '```json\n{"answer": "B"}\n```',
    "✅ **B. Paris**",
    "it must be B",
    "It has to be B.",
    "→ B",
    "=> B",
    "France → Paris\n=> B",
    "{B}",
    "This corresponds to B.",
    "The answer is not A; it is B.",
    "Options A, C and D are wrong, leaving B.",
    "It's Paris.",
    "答案是B。",
    "答案：B",
    "故选B。",
    "Antwort: B",
    "Die richtige Antwort ist B.",
    "Respuesta: B",
    "La respuesta correcta es B.",
    "A resposta correta é B.",
    "La risposta corretta è B.",
    "La réponse est B.",
    "Ответ: B",
    "正解はBです。",
    "정답은 B입니다.",
    "The answer is Paris. I hope this answer is helpful.",
  ])("B from %j", (response) => {
    expect(read(response)).toBe("B");
  });

  it.each([
    "A",
    "The answer is A.",
    "The answer is A",
    "Answer: A",
    "A is correct.",
    "A is the correct answer",
    "A) Rome",
    "**A**",
    "(A)",
    "I choose A.",
    "The answer is A because of the Pope.",
    "Option A",
    "Rome",
  ])("A from %j", (response) => {
    expect(read(response)).toBe("A");
  });

  it.each([
    "",
    "   ",
    null,
    undefined,
    {},
    "I do not know.",
    "A good answer is hard to find.",
    "The answer is a matter of taste.",
    "A capital, I think.",
    "I would not choose.",
    "It could be A or B.",
    "The answer is A or B.",
    "The answer is either B or C.",
    "The answer is A, B or C.",
    "The answer is A and D",
    "**A** or **B**",
    "Both (A) and (B) fit.",
    "not B",
    "The answer is not B.",
    "It isn't B",
    "B is incorrect",
    "Option B is wrong.",
    "The answer is E",
    "E",
    "The answer is Z.",
    "The answer is Brussels.",
    "Vitamin C is an acid",
    "A) Rome\nB) Paris\nC) Berlin\nD) Madrid",
    "ABCD",
    "If it was Italy, the answer would be A.",
    "A → B",
    "It is a B movie",
    "What if it is B?",
    "Choose from the options. 选项B",
    "B's capital and C++ and D-Day",
  ])("nothing from %j", (response) => {
    expect(read(response)).toBeNull();
  });

  it("letters up to the number of choices, and the pronoun I only if it is meant", () => {
    expect(read("The answer is (J).", TEN)).toBe("J");
    expect(read("The answer is I.", TEN)).toBe("I");
    expect(read("Answer: (I)", TEN)).toBe("I");
    expect(read("The answer is, I think, G.", TEN)).toBe("G");
    expect(read("I think the answer is G", TEN)).toBe("G");
    expect(read("I am not sure", TEN)).toBeNull();
    expect(read("The answer is I think unclear", TEN)).toBeNull();
    const many = Array.from({ length: 18 }, (_, i) => `thing ${i + 100}`);
    expect(read("The answer is (R).", many)).toBe("R");
    expect(read("The answer is (S).", many)).toBeNull();
  });

  it("texts that begin like a label", () => {
    const choices = ["A dog", "A good cat", "I am", "Plan B"];
    expect(read("The answer is A good cat.", choices)).toBe("B");
    expect(read("A good cat", choices)).toBe("B");
    expect(read("I am", choices)).toBe("C");
    expect(read("The answer is Plan B.", choices)).toBe("D");
  });

  it("numbers as texts, never as labels, unless the gold is one", () => {
    expect(read("The answer is 3", ["1", "2", "3", "4"])).toBe("C");
    expect(read("The answer is 3", CITIES)).toBeNull();
    const numbered = { choices: CITIES, answer: "3", answer_index: 2 };
    expect(scored(numbered, "The answer is 3.").scores.mc_accuracy).toBe(1);
    expect(scored(numbered, "The answer is C.").scores.mc_accuracy).toBe(1);
    expect(scored(numbered, "2").scores).toEqual({ mc_accuracy: 0, mc_extracted: 1 });
    // If the gold counts from 0, a 2 in the response may mean either.
    expect(scored({ choices: CITIES, answer: "2", answer_index: 2 }, "2").scores.mc_extracted).toBe(0);
    expect(scored({ choices: CITIES, answer: "2", answer_index: 2 }, "C").scores.mc_accuracy).toBe(1);
  });

  it("any letter in common sentences", () => {
    const sentences = [
      (x: string) => `The answer is (${x}).`,
      (x: string) => `Answer: ${x}`,
      (x: string) => `\\boxed{${x}}`,
      (x: string) => `Long thoughts about A, B and C.\n\n**${x}**`,
      (x: string) => `${x}) something`,
      (x: string) => `I choose ${x}.`,
    ];
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.constantFrom(...sentences), (i, sentence) => {
        const letter = String.fromCharCode(65 + i);
        expect(read(sentence(letter), TEN)).toBe(letter);
      }),
    );
  });
});

describe("MultipleChoiceAccuracy's gold", () => {
  const right = (example: Record<string, unknown>, response = "The answer is B.") => scored(example, response).scores;
  const ONE = { mc_accuracy: 1, mc_extracted: 1 };

  it.each([
    { choices: CITIES, answer: "B" },
    { choices: CITIES, answer: "b" },
    { choices: CITIES, answer: "(B)" },
    { choices: CITIES, answer: "Paris" },
    { choices: CITIES, answer: "paris." },
    { choices: CITIES, answer: "B. Paris" },
    { choices: CITIES, answer: 1, answer_index: 1 },
    { choices: CITIES, answer: 2, label: 1 },
    { choices: CITIES, answer_index: 1 },
    { choices: CITIES, label: 1 },
    { choices: CITIES, label: "1" },
    { choices: CITIES, label: "B" },
    { choices: CITIES, answer: "the second city", answer_index: 1 },
    { choices: CITIES, answers: ["Paris", "B"] },
    { choices: [10, 20], answer: 20 },
    { choices: ["2", "1"], answer: "1" },
    { choices: ["C", "A", "B"], answer: "A" },
    { choices: ["A", "B", "C"], answer: "B" },
    { answer: "B" },
    { answer: "(B)" },
    { answer_index: 1 },
  ])("is B in %j", (example) => {
    expect(right(example)).toEqual(ONE);
    expect(right(example, "The answer is A.")).toEqual({ mc_accuracy: 0, mc_extracted: 1 });
    expect(right(example, "No idea.")).toEqual({ mc_accuracy: 0, mc_extracted: 0 });
  });

  it("may be several options", () => {
    expect(right({ choices: CITIES, answers: ["A", "B"] })).toEqual(ONE);
    expect(right({ choices: ["Paris", "Paris", "Rome"], answer: "Paris" })).toEqual(ONE);
  });

  it.each([
    [{}, /no gold answer \(answer, answer_index or label\)/],
    [{ choices: CITIES }, /no gold answer/],
    [{ answer: "Paris" }, /"Paris" is not a letter, and the example has no choices/],
    [{ choices: CITIES, answer: "London" }, /"London" is not one of the example's choices/],
    [{ choices: CITIES, answer: "E" }, /"E" is not one/],
    [
      { choices: CITIES, answer: "0" },
      /0 may count from 0 or from 1: set answer_index, which counts from 0, or .* letter/,
    ],
    [{ choices: CITIES, answer: 2 }, /2 may count from 0 or from 1/],
    [{ choices: ["10", "20"], answer: "1" }, /1 may count from 0/],
    [{ answer: 2 }, /2 may count from 0/],
    [{ choices: CITIES, answer_index: 4 }, /no gold answer/],
    [{ choices: "Paris", answer: "Paris" }, /no choices/],
    [{ choices: Array.from({ length: 27 }, (_, i) => `x${i}`), answer: "x1" }, /27 choices/],
  ])("is rejected for %j", (example, reason) => {
    const { scores, unscored } = scored(example as Record<string, unknown>, "B");
    expect(scores).toEqual({});
    expect(Object.keys(unscored ?? {})).toEqual(["mc_accuracy", "mc_extracted"]);
    expect(unscored?.mc_accuracy).toMatch(reason);
  });

  it("is shown with the choice", () => {
    expect(scored({ choices: CITIES, answer: "Rome" }, "B").evidence).toEqual({ mc_accuracy: "chose B, right is A" });
    expect(scored({ choices: CITIES, answer: "Rome" }, "").evidence).toEqual({
      mc_accuracy: "chose nothing, right is A",
    });
  });
});

describe("MultipleChoiceAccuracy", () => {
  it("declares what it emits", () => {
    expect(evaluator).toMatchObject({
      name: "multiple_choice_accuracy",
      fields: ["mc_accuracy", "mc_extracted"],
      primaryFields: ["mc_accuracy"],
    });
    expect(evaluator.fingerprint()).toEqual({ evaluator: "multiple_choice_accuracy", version: 3 });
  });

  it.each([
    "a",
    "A ",
    "(A)",
    " ",
    "\n",
    "*",
    "answer is ",
    "the answer is A or ",
    "not ",
    "B)\n",
    "(",
    "option A ",
    "A\n",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    scored({ choices: CITIES, answer: "B" }, unit.repeat(Math.ceil(1e6 / unit.length)));
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
