import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { cleanAnswer } from "./final-answer/clean.js";
import { FinalAnswer } from "./final-answer.js";

const evaluator = new FinalAnswer();

function scored(gold: Partial<Example>, response: unknown): ScoredWithEvidence {
  return evaluator.score({ id: 1, question: "q", ...gold }, { response } as Output) as ScoredWithEvidence;
}

const score = (answer: string, response: unknown) => scored({ answer }, response).scores.final_answer;

describe("cleanAnswer", () => {
  it.each([
    ["**No**.", "No"],
    ['"No."', "No"],
    ["$\\boxed{\\text{No}}$.", "No"],
    ["\\(12\\)", "12"],
    ["$$12$$", "12"],
    ["No**.", "No"],
    ["**No", "No"],
    ["`] ] >`", "] ] >"],
    ["No</s>", "No"],
    ["No<|im_end|>", "No"],
    ["**A** and **B**", "**A** and **B**"],
    ["\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
    ["...", ""],
  ])("turns %j into %j", (text, expected) => {
    expect(cleanAnswer(text)).toBe(expected);
  });

  it("leaves nothing more to clean", () => {
    const unit = fc.constantFrom("**", "*", "`", "$", '"', ".", "No", " ", "\\boxed{", "}", "(A)");
    const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text, (value) => {
        expect(cleanAnswer(cleanAnswer(value))).toBe(cleanAnswer(value));
      }),
    );
  });
});

describe("verdicts", () => {
  it.each([
    ["invalid", "The argument is not valid."],
    ["invalid", "**The argument is not deductively valid.**"],
    ["invalid", "Therefore, the argument isn't valid."],
    ["invalid", "The answer is: not valid"],
    ["valid", "The argument is not invalid."],
    ["False", "So the statement is not true."],
    ["implausible", "The sentence is not plausible."],
    ["Yes", "- Yes"],
    ["Yes", "We end where we began:\n- Yes"],
    ["Yes", "You return to the starting point. Yes."],
    ["Yes", "✅ Yes"],
    ["No", "I'd say no."],
    ["True", "The expression evaluates to `True`."],
    ["True", "evaluates to True"],
    ["invalid", "The argument, given the premises, is invalid."],
    ["invalid", "The second premise is missing. The argument is invalid."],
  ])("%s is read from %j", (answer, response) => {
    expect(score(answer, response)).toBe(1);
  });

  it.each([
    ["valid", "The argument is not valid."],
    ["plausible", "The sentence is not plausible."],
    ["No", "- Yes"],
    ["No", "Choose one:\n- Yes\n- No"],
    ["Yes", "We do not return to the starting point. No."],
  ])("%s is not read from %j", (answer, response) => {
    expect(score(answer, response)).toBe(0);
  });
});

describe("FinalAnswer", () => {
  describe("with options", () => {
    it.each([
      "So the answer is (B).",
      "So the answer is B.",
      "so the answer is (b)",
      "So the answer is (B) 12/25/1937.",
      "So the answer is B) 12/25/1937",
      "So the answer is 12/25/1937 (B).",
      "The answer is **(B)**.",
      "The answer is **B. 12/25/1937**",
      "The answer is option (B), because (A) is a day early.",
      "The answer is option B.",
      "**Answer: (B)**",
      "### Final Answer\n\n**(B)**",
      "$$\\boxed{\\text{(B)}}$$",
      "\\boxed{B}",
      "(B)",
      "B",
      " (B)\n\nQ: Today is …\nOptions:\n(A) x\n(B) y\nA: (C)\n\nQ: …\nA: (D)",
      "It is a day later. So the answer is (B).\n\nQ: Next?\nA: Let's think step by step.\nSo the answer is (A).",
      "It is a day later. So the answer is (B).\n\nQuestion: Next?\nAnswer: (A)",
      "(B)\n\nQuestion: Next?\nAnswer: (A)",
      "(B) 12/25/1937\n\nExplanation: tomorrow is one day later.",
      "Reasons.\nTherefore, the correct option is (B).",
      "<think>maybe the answer is (A)</think>The answer is (B).",
      "Perhaps the answer is (A). No: the answer is (B).",
      "The answer is (B).\n\nLet me know if you have questions.",
      "Question: what is the date tomorrow?\nThe answer is (B).",
    ])("reads B from %j", (response) => {
      expect(score("(B)", response)).toBe(1);
      expect(score("B", response)).toBe(1);
      expect(score("(A)", response)).toBe(0);
      expect(score("(C)", response)).toBe(0);
    });

    it.each([
      "",
      "Because the date is a day later",
      "Both (A) and (B) are possible.",
      "The answer is Bob",
      "Bravo",
      "So the answer is",
    ])("finds no option in %j", (response) => {
      for (const letter of "ABCDP") expect(score(`(${letter})`, response)).toBe(0);
    });
  });

  it.each([
    ["True", "not ( True ) is False, so the answer is True.", 1],
    ["True", "So the answer is true", 1],
    ["False", "So the answer is True.", 0],
    ["Yes", "So the answer is Yes.", 1],
    ["Yes", "The answer is **Yes**, because both wires touched it.", 1],
    ["yes", "Yes", 1],
    ["Yes", "The answer is *yes*.", 1],
    ["Yes", "**The answer is Yes**", 1],
    ["no", "No.\n\nQ: Is it plausible?\nA: yes", 1],
    ["No", "The answer is not clear.", 0],
    ["No", "Nobody knows", 0],
    ["No", 'So the answer is "No".', 1],
    ["No", "Therefore, they do **not** return.\n\n**No**", 1],
    ["No", "No. They end up two steps to the left of the starting point.", 1],
    ["Yes", "No. They end up two steps to the left of the starting point.", 0],
    ["valid", "The argument is deductively valid. So the answer is valid.", 1],
    ["invalid", "So the answer is valid.", 0],
    ["valid", "So the answer is invalid.", 0],
    ["valid", "Therefore, the argument is **valid**.", 1],
    ["rita, sue and bob poo", "So the answer is rita, sue and bob poo.", 1],
  ])("with words: gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it.each([
    ["8", "So the answer is 8.", 1],
    ["8", "So the answer is eight.", 1],
    ["8", "So the answer is 8 musical instruments.", 1],
    ["8", "The answer is **8**.", 1],
    ["8", "The answer is $\\boxed{8}$.", 1],
    ["8", "So the answer is 3 + 5 = 8.", 1],
    ["8", "You have **8** instruments.", 1],
    ["8", "8", 1],
    ["8", "I have eight musical instruments.", 1],
    ["8", "So the answer is 18.", 0],
    ["8", "So the answer is 8.5", 0],
    ["8", "So the answer is 80", 0],
    ["8", "So the answer is 8 or 9.", 0],
    ["8", "So the answer is -8.", 0],
    ["-1234", "So the answer is -1234.", 1],
    ["-1234", "So the answer is −1,234", 1],
    ["1234", "So the answer is $1,234.", 1],
    ["24", "Then 2 * 12 = 24", 1],
    ["452", "So the answer is 676 - 224, which is 452.", 1],
    ["676", "So the answer is 676 - 224, which is 452.", 0],
    ["29", "The answer (arabic numerals) is 29.", 1],
    ["4", "The answer is x = 1 or x = 4.", 0],
    ["4", "So x = 1 or x = 4", 0],
    ["4", "The answer is 4, 5.", 0],
    ["4", "The answer is 4 times x.", 0],
    ["4", "The answer is (4, 5)", 0],
  ])("with numbers: gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it.each([
    ["] ] >", "So the answer is ] ] >.", 1],
    ["] ] >", "So the answer is ]]>", 1],
    ["] ] >", "So the answer is `] ] >`.", 1],
    ["] ] >", "] ] >\n\nQ: Complete the rest\nA: }", 1],
    ["] ] >", "So the answer is ] > ].", 0],
    ["] ] >", "So the answer is ] ] > }.", 0],
    ["} )", "The stack is empty. So, the answer is: } )", 1],
  ])("with brackets: gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it.each([
    ["ant bee cat", "So the answer is ant bee cat.", 1],
    ["ant bee cat", "The answer is: ant, bee, cat", 1],
    ["ant bee cat", "The answer is:\n\n1. ant\n2. bee\n3. cat", 1],
    ["ant bee cat", "ant bee cat\n\nQ: Sort\nA: dog", 1],
    ["ant bee cat", "1. ant\n2. bee\n3. cat", 1],
    ["ant bee cat", "- ant\n- bee\n- cat", 1],
    ["ant bee cat", "ant\nbee\ncat", 1],
    ["ant bee cat", '["ant", "bee", "cat"]', 1],
    ["ant bee cat", "I sort by the first letter.\n\nant\nbee\ncat", 1],
    ["ant bee cat", "1. ant\n2. cat\n3. bee", 0],
    ["ant bee cat", "ant\nbee\ncat\ndog", 0],
    ["ant bee cat", "ant\nbee", 0],
    ["ant bee cat", "So the answer is ant cat bee.", 0],
    ["ant bee cat", "So the answer is ant bee.", 0],
    ["ant bee cat", "So the answer is ant bee cat dog.", 0],
    ["ant bee cat", "So the answer is antbee cat.", 0],
  ])("with lists: gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it.each<[string, string, number]>([
    // A later "answer is" that announces nothing.
    ["Yes", "The answer is Yes. I hope this answer is helpful.", 1],
    ["8", "The answer is 8.\n\nNote: this answer is based on the assumption that all are counted.", 1],
    ["Yes", "So the answer is Yes. Let me know if this answer is correct.", 1],
    ["Yes", "So the answer is Yes. Let me know if the answer is correct.", 1],
    ["(B)", "The answer is (B). The answer is not (A) because it is early.", 1],
    ["(A)", "The answer is (B). The answer is not (A) because it is early.", 0],
    ["(B)", "So the answer is not (A) but (B).", 1],
    ["(A)", "So the answer is not (A) but (B).", 0],
    ["(A)", "So the answer is not (A).", 0],
    ["8", "The answer is 8. The answer is easy to see.", 1],
    ["not enough info", "So the answer is not enough info.", 1],
    // Words of the answer that are filler elsewhere.
    ["then therefore thus", "So the answer is then therefore thus.", 1],
    ["thus zebra", "So the answer is thus zebra.", 1],
    ["zebra", "So the answer is thus zebra.", 1],
    // Lookalikes of an answer.
    ["8", "So the answer is 8 squared.", 0],
    ["8", "So the answer is 8 and a half.", 0],
    ["8", "So the answer is 8 clips and a half-full box.", 1],
    ["7", "So the answer is 8 because 5 + 2 = 7.", 0],
    ["8", "So the answer is 8 because 5 + 2 = 7.", 1],
    ["5", "So the answer is 5 - 2 = 3.", 0],
    ["3", "So the answer is 5 - 2 = 3.", 1],
    ["8", "The answer is 3 (apples) + 5 (pears) = 8.", 1],
    ["3", "The answer is 3 (apples) + 5 (pears) = 8.", 0],
    ["8", "The answer is 8 (3 apples and 5 pears).", 1],
    ["8", "The answer is the sum: 3 + 5 = 8", 1],
    ["(A)", "The answer is (A) or (B).", 0],
    ["(B)", "The answer is (A) or (B).", 0],
    ["(A)", "The answer is A or B.", 0],
    ["(A)", "The answer is both (A) and (B).", 0],
    ["(A)", "The answer is (A) and (B) is wrong.", 1],
    // Brackets in LaTeX and in fences.
    ["}", "$\\boxed{\\}}$", 1],
    ["}", "Thus the answer is $\\boxed{\\}}$.", 1],
    ["] }", "$\\boxed{] }}$", 1],
    ["] }", "The answer is:\n```\n] }\n```", 1],
    ["] }", "The answer is:\n```\n] ]\n```", 0],
    // A list followed by a remark.
    ["apple banana cherry", "The answer is:\n\n1. apple\n2. banana\n3. cherry\n\nLet me know!", 1],
    ["apple banana cherry", "The answer is:\n\n- **apple**\n\n- **banana**\n\n- **cherry**\nLet me know!", 1],
    ["apple banana cherry", "The answer is:\n\napple banana cherry\n\nLet me know!", 1],
    ["apple banana cherry", "The answer is:\n\n1. apple\n2. cherry\n3. banana\n\nLet me know!", 0],
    // A sentence after "Answer:", and an option in braces.
    ["invalid", "Answer: The argument is invalid.", 1],
    ["valid", "Answer: The argument is invalid.", 0],
    ["valid", "Answer: The argument is not valid.", 0],
    ["(B)", "{B}", 1],
    ["(A)", "{B}", 0],
    // Text that is not the model's own answer.
    ["(B)", "So the answer is (B).\n\nHuman: next question\n\nAssistant: So the answer is (A).", 1],
    ["Yes", "So the answer is Yes.<|endoftext|>Q: foo", 1],
    ["(B)", "<thinking>Hmm, the answer is (A). </thinking>\n(B)", 1],
    ["(B)", "<think>Hmm, the answer is (B).", 1],
  ])("gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it.each<[string, string, number]>([
    ["No", "The answer (Yes or No) is No", 1],
    ["Yes", "The answer (Yes or No) is No", 0],
    ["No", "**Answer (Yes/No):** No", 1],
    ["No", "<answer>\nNo\n</answer>", 1],
    ["No", "<answer>No", 1],
    ["No", "### Final Answer\n\nNo, the sentence is not plausible.", 1],
    ["yes", "Patrick Kane is a hockey player. So the answer is yes.", 1],
    ["no", "So the answer is no.\n\nIf the sentence were about football, the answer would be yes.", 1],
    ["yes", "So the answer is no.\n\nIf the sentence were about football, the answer would be yes.", 0],
    ["no", "If he were a goalie, it would be plausible.\nThe answer is no.", 1],
    ["Yes", "Yes, Millie tells the truth.\n\nHere's why:\n1. A says B lies.\n2. B lies.", 1],
    ["No", "Yes, Millie tells the truth.\n\nHere's why:\n1. A says B lies.\n2. B lies.", 0],
    ["Yes", "**Yes**, Millie tells the truth.\n\nBecause of X.", 1],
    ["Yes", "Let's see.\n\nTherefore, yes, Millie tells the truth.", 1],
    ["No", 'Therefore, Millie does not tell the truth. The answer is "No."', 1],
    ["No", "Thus, the answer is: **No**, you do not return to the starting point.", 1],
    ["No", "the final answer is \\boxed{\\text{No}}.", 1],
    ["True", "not False is True. So the answer is: True", 1],
    ["True", "The expression evaluates to True.", 1],
    ["False", "The expression evaluates to True.", 0],
    ["True", "Therefore, the value of the expression is **True**.", 1],
    ["True", "Therefore, the expression simplifies to True.", 1],
    ["True", "= True", 1],
    ["invalid", "The argument is deductively invalid.", 1],
    ["invalid", "Therefore, the argument is deductively invalid.", 1],
    ["invalid", "Answer: invalid. The argument affirms the consequent.", 1],
    ["valid", "The argument is deductively valid because the premises imply it.", 1],
    ["29", "The answer (arabic numerals) is 29.", 1],
    ["452", "So the answer is 676 - 224, which is 452", 1],
    ["8", "Answer: 8 instruments", 1],
    ["8", "So there are 3 + 5 = 8 instruments in total.", 1],
    ["8", "You have a total of **8** instruments.", 1],
    ["8", "**Total: 8**", 1],
    ["8", "Total: 8", 1],
    ["8", "<answer>8</answer> I counted 3 flutes and 5 drums.", 1],
    ["8", "The answer is 8. There are 3 flutes and 5 drums, so that makes 9 with the bow.", 1],
    ["9", "The answer is 8. There are 3 flutes and 5 drums, so that makes 9 with the bow.", 0],
    ["8", "### Answer: 8", 1],
    ["8", ": 8", 1],
    ["8", "Final Answer: \\(8\\)", 1],
    ["8", "The final answer is $8$.", 1],
    ["8", "The answer is 8/1", 0],
    ["8", "The answer is x = 8", 1],
    ["8", "The answer is approximately 8", 1],
    ["8", "The answer is exactly 8.", 1],
    ["11", "You have 11 musical instruments.", 1],
    ["11", "You would have a total of 11 objects.", 1],
    ["123", "The expression equals 123.", 1],
    ["18", "\\boxed{18 \\text{ dollars}}", 1],
    ["18", "The answer is \\$18.", 1],
    ["18", "#### 18", 1],
    ["1234", "\\boxed{1{,}234}", 1],
    ["540", "The answer is 540m.", 1],
    ["540", "答案：540米", 1],
    ["20", '{"answer": 20}', 1],
    ["10", "The answer is $2\\cdot 5 = 10$.", 1],
    ["24", "So $4 \\times 6 = 24$.", 1],
    ["-5", "The answer is negative 5.", 1],
    ["5", "The answer is not 5.", 0],
    ["5", "You have 5 apples and 6 pears.", 0],
    ["2", "The answer is 8. The answer is easy to see in 2 steps.", 0],
    ["] ] >", "So the final answer is:\n] ] >", 1],
    ["] ] >", "The remaining brackets are: ] ] >", 1],
    ["] ] >", "**Final Answer:** `] ] >`", 1],
    ["] ] >", "<answer>] ] ></answer>", 1],
    ["] ] >", "Answer: > > is wrong", 0],
    ["ant bee cat", "<answer>ant bee cat</answer>", 1],
    ["ant bee cat", "Sorted list: ant bee cat", 1],
    ["ant bee cat", "The sorted words are: ant, bee, cat.", 1],
    ["ant bee cat", "The words sorted alphabetically are:\n\nant bee cat", 1],
    ["ant bee cat", "Here is the sorted list:\n\n1. ant\n2. bee\n3. cat", 1],
    ["ant bee cat", "The sorted list is:\n\n- ant\n- bee\n- cat\n\nLet me know if you need more.", 1],
    ["are be is", "The answer is: are be is", 1],
    ["about are be", "The answer is about are be.", 1],
    ["Location", "The answer is Location.", 1],
    ["Paragraph 12", "The answer is: Paragraph 12", 1],
    ["Paragraph 12", "The abstract is from Paragraph 12.", 1],
    ["Paragraph 12", "Paragraph 12", 1],
  ])("in wordings of many models: gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it("accepts any gold, including numbers", () => {
    expect(scored({ answers: ["no", "false"] }, "The answer is false").scores.final_answer).toBe(1);
    expect(scored({ answer: 8 as unknown as string }, 8).scores.final_answer).toBe(1);
  });

  it.each([null, undefined, "", "  \n", {}, []])("scores a response of %j as wrong", (response) => {
    expect(scored({ answer: "null" }, response)).toEqual({
      scores: { final_answer: 0 },
      evidence: { final_answer: "no answer found" },
    });
  });

  it.each([{}, { answer: "" }, { answers: [] }])("does not score an example with %j", (gold) => {
    expect(scored(gold, "Yes")).toMatchObject({
      scores: {},
      unscored: { final_answer: expect.stringMatching(/answer/) },
    });
  });

  it("reports what it read, shortened", () => {
    expect(scored({ answer: "No" }, "So the answer is Yes.").evidence).toEqual({ final_answer: 'read "Yes"' });
    expect(scored({ answer: "No" }, "x".repeat(500)).evidence?.final_answer?.length).toBeLessThan(100);
  });

  it("declares what it emits", () => {
    expect(evaluator).toMatchObject({
      name: "final_answer",
      fields: ["final_answer"],
      primaryFields: ["final_answer"],
    });
    expect(evaluator.fingerprint()).toEqual({ evaluator: "final_answer", version: 3 });
  });

  it.each([
    "a",
    " ",
    "\n",
    "*",
    "(A)",
    "answer is ",
    "answer to ",
    "Q:\n",
    "\\boxed{",
    "1",
    "1,",
    "**",
    "(",
    ".",
    "- ",
  ])("stays quick on a megabyte of %j", (unit) => {
    const response = unit.repeat(Math.ceil(1e6 / unit.length));
    for (const gold of ["(A)", "8", "] ]", "ant bee", "No"]) {
      const cpuMs = startCpuTimer();
      score(gold, response);
      score(gold, `So the answer is ${response}`);
      // Generous for a busy machine; a quadratic algorithm takes minutes.
      expect(cpuMs()).toBeLessThan(10_000);
    }
  });
});

const BBH = fileURLToPath(new URL("../../../shared/data/bbh", import.meta.url));
const hasBbh = existsSync(BBH);
if (!hasBbh) console.warn(`Skipped: ${BBH} is not there.`);

describe.skipIf(!hasBbh)("on BIG-Bench-Hard's own targets", () => {
  const TASKS = ["boolean_expressions", "causal_judgement", "date_understanding", "navigate", "object_counting"];
  const PHRASINGS: readonly ((target: string) => string)[] = [
    (target) => ` ${target}`,
    (target) => `We see it step by step. So the answer is ${target}.`,
    (target) => `Let's see.\n\nThe answer is **${target}**.`,
    (target) => `**Final Answer:** ${target}`,
    (target) => `Some reasoning with numbers such as 17.\n\n$\\boxed{${target}}$`,
    (target) => `First this. So the answer is ${target}.\n\nQ: Another one?\nA: So the answer is nothing.`,
  ];

  it.each(TASKS)("%s: every target equals itself in any phrasing, and no other target", (task) => {
    const { examples } = JSON.parse(readFileSync(`${BBH}/${task}.json`, "utf8")) as { examples: { target: string }[] };
    const targets = [...new Set(examples.map(({ target }) => target))];
    expect(targets.length).toBeGreaterThan(1);
    for (const said of targets) {
      for (const phrase of PHRASINGS) {
        for (const gold of targets)
          expect(score(gold, phrase(said)), `${gold} / ${phrase(said)}`).toBe(gold === said ? 1 : 0);
      }
    }
  });
});
