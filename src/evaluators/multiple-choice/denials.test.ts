import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { FinalAnswer } from "../final-answer.js";
import { MultipleChoiceAccuracy } from "../multiple-choice-accuracy.js";

const CHOICES = ["Decreases", "Increases", "Stays the same", "Cannot be told"];
const QUESTION = `A gas is heated in a rigid box. What does its pressure do?\nOptions:\n${CHOICES.map((text, i) => `(${"ABCD"[i]}) ${text}`).join("\n")}`;
const multipleChoice = new MultipleChoiceAccuracy();
const finalAnswer = new FinalAnswer();

function readChoice(response: string): string | null {
  for (const [index] of CHOICES.entries()) {
    const example = { id: 1, question: "q", choices: CHOICES, answer_index: index } as unknown as Example;
    const { scores } = multipleChoice.score(example, { response }) as ScoredWithEvidence;
    if (scores.mc_extracted === 0) return null;
    if (scores.mc_accuracy === 1) return String.fromCharCode(65 + index);
  }
  return null;
}

function readLetter(response: string): string | null {
  for (const letter of "ABCD") {
    const example: Example = { id: 1, question: QUESTION, answer: `(${letter})` };
    if ((finalAnswer.score(example, { response }) as ScoredWithEvidence).scores.final_answer === 1) return letter;
  }
  return null;
}

/** Responses that deny an option, doubt it, report what others choose, or begin with a letter that is not a label. */
const NOTHING: readonly string[] = [
  "The answer is A. Wait, no, that is wrong.",
  "The answer is (B). Hmm, that's not right.",
  "The answer is B. No, that can't be right.",
  "If the text mentioned it, the answer would be A.",
  "I don't think the answer is D.",
  "I do not believe that the correct answer is (D).",
  "I don't think it's D.",
  "I don't think D is correct.",
  "I doubt that the answer is B.",
  "I doubt it is B.",
  "It is unlikely that the answer is B.",
  "I'm not sure the answer is B.",
  "I can't be sure it is D.",
  "D cannot be the answer.",
  "(B) cannot be correct.",
  "(B) could not be correct.",
  "(B) is false.",
  "(B) is incorrect.",
  "B must be wrong.",
  "B can be ruled out.",
  "Option B can be eliminated.",
  "Option (B) can also be dismissed.",
  "Options A and C can be eliminated.",
  "A and C are eliminated.",
  "Option B: incorrect.",
  "Option B - wrong",
  "D is unlikely.",
  "D is less likely than the others.",
  "The least likely answer is D.",
  "Please provide the options A through D.",
  "Please give me options A to D.",
  "It seems option D is missing.",
  "Students often choose A.",
  "Many people think the answer is A.",
  "One might think the answer is A.",
  "答案是 B 或 D",
  "La réponse est B ou D.",
  "B cells produce antibodies.",
  "C is the speed of light.",
  "D is the derivative operator.",
  "C major is a key.",
  "C compilers produce machine code.",
  "C = 2πr",
  "B. F. Skinner was a psychologist.",
  "(a) Compute x. (b) Compute y.",
  // Cut off
  "The pressure of a gas is proportional to its temperature. We conclude that the option (B",
  "Thus (B",
  "Option B is tempting",
  "<think>Now let me check option C. The answer is C if the volume",
];

describe("a response that denies, doubts or only names a letter", () => {
  it.each(NOTHING)("%j, in multiple_choice_accuracy", (response) => {
    expect(readChoice(response)).toBeNull();
  });

  it.each(NOTHING)("%j, in final_answer", (response) => {
    expect(readLetter(response)).toBeNull();
  });
});

const CHOSEN: readonly (readonly [response: string, letter: string])[] = [
  ["I don't think the answer is D. The answer is B.", "B"],
  ["I have no doubt that the answer is B.", "B"],
  ["There is no doubt: the answer is B.", "B"],
  ["I'm not sure, but the answer is B.", "B"],
  ["I don't think so; the answer is B.", "B"],
  ["It can't be A, so the answer is B.", "B"],
  ["A can be ruled out, C is unlikely, and D cannot be correct. The answer is B.", "B"],
  ["Since heating does not change the volume the answer is B.", "B"],
  ["While I am not fully certain about it I choose B.", "B"],
  ["The answer is B. Not A.", "B"],
  ["B is correct. I would not pick A.", "B"],
  ["D. Cannot be told", "D"],
  ["D) Cannot be told, because the volume is not given.", "D"],
  ["(D) Cannot be told", "D"],
  ["B because the temperature rises", "B"],
  ["B, since the volume is constant.", "B"],
  ["B – the molecules move faster.", "B"],
  ["B Increases", "B"],
  ["C it is.", "C"],
  ["**B** is what follows from the law.", "B"],
  ["A: B", "B"],
  ["A: (B)", "B"],
  ["A: Decreases", "A"],
  ["B, not A", "B"],
  ["B is partially correct, but D is more complete.", "D"],
  ["The answer is B.\n\nNote: some textbooks say that A is the answer.", "B"],
  ["The best answer is B.\n\nA is the best answer only for cold gases.", "B"],
  ["One might think the answer is A, but that is wrong. The answer is B.", "B"],
  ["Must be C", "C"],
  ["Looks like C", "C"],
  ["I will go for B", "B"],
  ["Result: B", "B"],
  ["The answer is, of course, B.", "B"],
  ["Only C makes sense.", "C"],
  ["By elimination, C remains.", "C"],
  ["Between B and D, D is the better choice.", "D"],
  ["The most plausible ending is B.", "B"],
  ["[[C]]", "C"],
  ["<b>B</b>", "B"],
  ["选项D是正确的。", "D"],
  ["因此选项 D 正确。", "D"],
  ["Jibu sahihi ni D", "D"],
  ["A resposta correta é a letra D.", "D"],
];

describe("a response that chooses one option and denies another", () => {
  it.each(CHOSEN)("%j: %s, in multiple_choice_accuracy", (response, letter) => {
    expect(readChoice(response)).toBe(letter);
  });

  it.each(CHOSEN)("%j: %s, in final_answer", (response, letter) => {
    expect(readLetter(response)).toBe(letter);
  });
});

it("does not accept a doubted answer in words", () => {
  const score = (response: string) =>
    (finalAnswer.score({ id: 1, question: "q", answer: "No" }, { response }) as ScoredWithEvidence).scores.final_answer;
  expect(score("I don't think the answer is No.")).toBe(0);
  expect(score("The answer is No.")).toBe(1);
});
