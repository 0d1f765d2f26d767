import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { findCalculationResult, findStatedAnswers } from "./index.js";

/** The text after the last announcement, without filler words. */
function lastStated(text: string): string | undefined {
  const [stated] = findStatedAnswers(text).filter(({ by }) => by !== "space");
  return stated === undefined ? undefined : text.slice(stated.start, stated.end).trim();
}

describe("findStatedAnswers", () => {
  it.each([
    ["So the answer is 3.", "3."],
    ["the answer is: 3", "3"],
    ["The answer is 1. No, the answer is 2.", "2."],
    ["**Answer:** Yes", "Yes"],
    ["**Answer**: Yes", "Yes"],
    ["**Final Answer**: Yes", "Yes"],
    ["### Final Answer\n\nYes", "Yes"],
    ["### Final Answer:\n\nYes", "Yes"],
    ["**Answer**\nYes", "Yes"],
    ["The answer to this question is therefore No", "No"],
    ["The answer should be 12", "12"],
    ["The answer is -4", "-4"],
    ["Answer: 4\n\nThe answer is", "4\n\nThe answer is"],
    ["The answer (Yes or No) is No", "No"],
    ["The answer (arabic numerals) is 29.", "29."],
    ["**Answer (Yes or No):** No", "No"],
    ["Final answer (letter only): C", "C"],
    ["The answer to the question of how many there are is 7", "7"],
    ["The answer that we are looking for is 7", "7"],
    ["The answer, after all, is 7", "7"],
    ["<answer>7</answer> and more", "7"],
    ["<answer>\n7\n</answer>", "7"],
    ["Hm.\n<answer>\n7", "7"],
    ["<final_answer>7</final_answer>", "7"],
    [": C", "C"],
    ["：C\n\nBecause", "C\n\nBecause"],
    ['{"answer": "No"}', 'No"}'],
    ["The answer is not 3 but 4.", "4."],
    ["The answer is most likely 4.", "4."],
    ["La respuesta correcta es 4", "4"],
    ["答案是4", "4"],
    ["If we add them, the answer is 4.", "4."],
    ["If it were 5, it would be odd.\nThe answer is 4.", "4."],
    ["If I had to guess, the answer would be 4.", "4."],
    ["A is wrong so the answer is B", "B"],
  ])("finds in %j: %j", (text, expected) => {
    expect(lastStated(text)).toBe(expected);
  });

  it.each([
    "No",
    "The answer isn't known",
    "He answers: no",
    "I hope this answer is helpful.",
    "Tell me if the answer is right.",
    "Tell me whether the final answer is right.",
    "The wrong answer is 3",
    "If it was about Italy, the answer would be A.",
    "The answer would be A if it was about Italy.",
    "So the answer is",
    "<answer></answer>",
  ])("finds none in %j", (text) => {
    expect(lastStated(text)).toBeUndefined();
  });

  it("keeps words that may be filler, and returns the last one first", () => {
    const text = "The answer is 1. The answer is thus 2.";
    const found = findStatedAnswers(text);
    expect(found.map(({ from }) => text.slice(from))).toEqual(["thus 2.", "1. The answer is thus 2."]);
    expect(found.map(({ start }) => text.slice(start))).toEqual(["2.", "1. The answer is thus 2."]);
  });

  it("reports what the answer is not", () => {
    expect(findStatedAnswers("The answer is not 3")).toMatchObject([{ by: "verb", isDenied: true }]);
  });

  it("accepts other names for the answer", () => {
    const [stated] = findStatedAnswers("The right choice here would be: C", { names: /\bchoice\b/g });
    expect(stated).toMatchObject({ start: 32, by: "verb" });
    expect(findStatedAnswers("A: 18", { isShortNameKnown: true })).toMatchObject([{ start: 3, by: "colon" }]);
    expect(findStatedAnswers("A: 18")).toEqual([]);
  });

  it.each([
    "answer ",
    "answer is ",
    "answer (",
    "answer (x) ",
    "answer to ",
    "answer, ",
    "if the answer would be ",
    "<answer>",
    "</answer>",
    "<answer></answer>",
    "\\boxed{",
    ": ",
    " ",
    "\n",
    "*",
    "not ",
    "A:\n",
    "답",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    findStatedAnswers(unit.repeat(Math.ceil(1e6 / unit.length)), { isShortNameKnown: true });
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe("findCalculationResult", () => {
  it.each([
    ["676 - 224, which is 452.", "452."],
    ["12 × 4, which equals 48 eggs", "48 eggs"],
    ["3 + 4, and this gives 7", "7"],
    ["$3 * $4 equals $12", "$12"],
    ["452, which is 10 more than 442", "452, which is 10 more than 442"],
    ["3 + 4 = 7, which is odd", "3 + 4 = 7, which is odd"],
    ["A, which is 5", "A, which is 5"],
    ["7 because 3 + 4, which is 7", "7 because 3 + 4, which is 7"],
  ])("of %j is %j", (clause, expected) => {
    expect(findCalculationResult(clause)).toBe(expected);
  });
});
