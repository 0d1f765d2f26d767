import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import { MathEquivalence } from "./math-equivalence.js";
import { NumericTolerance } from "./numeric-tolerance.js";

const maths = new MathEquivalence({ limitMs: 20_000 });
const numeric = new NumericTolerance();

/** The scores of math_equivalence and numeric_tolerance, which read numbers alike. */
async function scoresOf(answer: string, response: string): Promise<(number | undefined)[]> {
  const example = { id: 1, question: "q", answer };
  const equivalence = (await maths.score(example, { response })) as ScoredWithEvidence;
  const tolerance = numeric.score(example, { response }) as ScoredWithEvidence;
  return [equivalence.scores.math_equiv, tolerance.scores.numeric_tolerance];
}

type Pairs = readonly (readonly [gold: string, response: string])[];

const RIGHT: Record<string, Pairs> = {
  "brackets and marks that are not closed around a whole number": [
    ["24", "\\boxed{24"],
    ["24", "The answer is 24: \\boxed{2"],
    ["24", "The answer is *24*"],
    ["24", "The answer is 24 (that is 2 dozen"],
    ["24", "The answer is 24.\n---"],
    ["24", "The answer is 24 :)"],
  ],
  "another number that is denied": [
    ["18", "The answer is 18, not 20."],
    ["18", "18, not 20"],
    ["18", "It is not 20. It is 18."],
    ["18", "The total is 18 rather than 20."],
    ["18", "We got 18. It can't be 20."],
    ["18", "She doesn't spend 4, so she has 18."],
    ["18", "The answer is 18. I hope this is not wrong."],
  ],
  "the marks of GSM8K's calculator": [
    ["18", "The answer is $<<9*2=18>>18."],
    ["18", "She makes 9*2 = $<<9*2=18>>18.\nTherefore, Janet makes $18 every day."],
  ],
  "a sentence behind the announcement": [
    ["15", "Answer: In 3 days, John earns $15."],
    ["15", "Answer: After 3 days, he has 15 apples."],
    ["15", "**Answer:** Each of the 3 friends pays **$15**."],
    ["15", "The answer is that in 3 days John earns $15."],
    ["15", "The answer is the sum of 10 and 5, which is 15."],
    ["15", "#### $15 in 3 days"],
    ["11", "#### 11\n\nTom has 3 and buys 26.\n#### 29"],
  ],
  "a further question behind the answer": [
    ["11", "The answer is 11.\n\nExample 2:\nTom has 3.\nThe answer is 29."],
    ["11", "The answer is 11.\n\n[Question] Tom has 3. How many?\n[Answer] 29"],
  ],
  "comparisons with another number": [
    ["18", "She makes $18, which is more than 6."],
    ["18", "She must sell at least 18 cups."],
    ["18", "It is no more than 18."],
  ],
  "two numbers that say one thing": [
    ["0.75", "The probability is 3 out of 4."],
    ["0.75", "The probability is 3 in 4."],
    ["42", "The answer is 42 out of 100 questions."],
    ["0.42", "The answer is 42 out of 100."],
    ["150", "The answer is 2 hours and 30 minutes."],
    ["2.5", "It takes 2 hours, 30 minutes."],
    ["66", "5 feet 6 inches"],
    ["66", "5 ft 6 in"],
    ["5.5", "She is 5 ft 6 in tall."],
    ["66", `5'6"`],
    ["24", "It runs for 2 days, 24 hours each."],
  ],
  "numbers beside the marks of lists": [
    ["18", "1. Add 9\n2. She gets 18"],
    ["18", "18. That is all."],
    ["18", "So in step 3 we get 18"],
    ["15", "#### 1. Compute\n3*5 = 15\n#### 2. Conclude\nWe then"],
  ],
  percentages: [
    ["0.5", "The probability is 50%."],
    ["0.5", "\\boxed{50\\%}"],
    ["50", "The probability is 50%."],
    ["10\\%", "The answer is 0.1."],
  ],
  "other ways to write a number": [
    ["70000", "Die Antwort ist 70.000 Dollar."],
    ["70000", "La respuesta es $70.000."],
    ["20", "\\boxed{20^\\circ}"],
    ["-5", "The answer is minus five."],
    ["0.5", "The answer is one half."],
    ["10080", "\\boxed{10, 080}"],
    ["3.5", "\\boxed{\\text{three and a half}}"],
    ["5", "five months"],
    ["5", "He has five apples left."],
    ["-4", "The answer is - 4"],
    ["-4", "Answer: - 4"],
    ["18", "答案是十八"],
    ["18", "答えは十八です"],
    ["250", "答案是二百五十个"],
    ["10300", "答案:一万零三百"],
  ],
  "an answer that its explanation follows": [
    ["20", "**20**\n\nExplanation: She has 17 and gets 3 extra."],
    ["20", "20 apples\n\n**Reasoning**\nShe has 17 and gets 3 extra."],
  ],
  "results of calculations in words": [
    ["56", "The answer is 8 choose 3, which is 56."],
    ["4", "The answer is 50% of 8, which is 4."],
    ["4", "The answer is the square root of 16, which is 4."],
  ],
  "what only looks like a refusal": [
    ["18", "We cannot know the price of each, but she has 18 eggs."],
    ["18", "There is not enough information on Tuesday, so we count Monday alone: 18."],
  ],
};

const WRONG: Record<string, Pairs> = {
  "formulas that are cut off": [
    ["3", "\\boxed{\\frac{1}{3"],
    ["3", "The answer is $\\frac{1}{3"],
    ["3", "Thus $x = 2 + \\frac{1}{3"],
    ["1", "The answer is $\\frac{1"],
    ["3", "The answer is $\\sqrt{3"],
    ["3", "The answer is $(3,"],
    ["3", "The answer is (3, "],
    ["3", "The answer is {3, "],
    ["9", "The answer is 9 *"],
    ["9", "The answer is $9 \\times"],
    ["9", "So she has 9 +"],
    ["9", "So 3 * 3 ="],
  ],
  "numbers that are denied": [
    ["18", "The answer is not 18."],
    ["18", "The answer is definitely not **18**."],
    ["18", "It isn't 18."],
    ["18", "It is not $18."],
    ["18", "The answer can't be 18"],
    ["18", "The result is not equal to 18."],
    ["18", "18 is wrong."],
    ["18", "18 is not the answer."],
    ["20", "The total is 18 instead of 20."],
  ],
  bounds: [
    ["6", "The answer is more than 6."],
    ["18", "less than 18"],
    ["4", "all integers greater than 4"],
  ],
  "ratios, shares, dates and compound measures": [
    ["4", "The probability is 3 out of 4."],
    ["42", "The answer is 42 out of 100."],
    ["4", "3 in 4"],
    ["3", "the ratio is 1 to 3"],
    ["3", "1 to 3"],
    ["30", "2 hours and 30 minutes"],
    ["2", "The answer is 2 hours and 30 minutes."],
    ["6", "5 feet 6 inches"],
    ["6", "5 ft 6 in"],
    ["20", "\\boxed{June 20}"],
    ["20", "\\boxed{\\text{June } 20}"],
    ["0.5", "The answer is 5%."],
  ],
  "the marks of lists and the names of parts": [
    ["3", "We add 4 and 5.\n\nStep 3:"],
    ["4", "**Step 4: Calculate the total"],
    ["3", "1. First\n2. Second\n3. Finally we"],
    ["3", "I cannot solve this. Please provide:\n1. The price\n2. The quantity\n3. The time"],
    ["2", "I can't answer this. Please provide (1) the price and (2) the quantity."],
    ["2", "#### 1. Compute\n3*5 = 15\n#### 2. Conclude\nWe then"],
    ["4", "I am GPT-4."],
  ],
  "refusals that repeat the question": [
    ["18", "I cannot answer this question; we only know that there are 18 eggs."],
    ["18", "There is not enough information to solve this. We only know that there are 18 eggs."],
    ["18", "There isn't enough information. We know that there are 18 eggs."],
    ["18", "I'm sorry, but I can't solve this. The problem says there are 18 eggs."],
    ["2", "I can't answer these two questions."],
  ],
  "words that are no numbers": [
    ["3", "答案是三角形"],
    ["1", "One can see that nothing here can be counted at all."],
    ["1", "one of them"],
    ["2", "two thirds"],
  ],
};

describe.each(Object.entries(RIGHT))("%s", (_, pairs) => {
  it.each(pairs)("%s is the answer of %j", async (gold, response) => {
    expect(await scoresOf(gold, response)).toEqual([1, 1]);
  });
});

describe.each(Object.entries(WRONG))("%s", (_, pairs) => {
  it.each(pairs)("%s is not the answer of %j", async (gold, response) => {
    expect(await scoresOf(gold, response)).toEqual([0, 0]);
  });
});

const GSM8K = fileURLToPath(new URL("../../../shared/data/gsm8k-test.jsonl", import.meta.url));

function isThere(path: string): boolean {
  const there = existsSync(path);
  if (!there) console.warn(`Skipped: ${path} is not there.`);
  return there;
}

it.skipIf(!isThere(GSM8K))("numeric_tolerance reads the solutions of GSM8K with calculator marks", () => {
  const rows = readFileSync(GSM8K, "utf8").trim().split("\n");
  const right = rows.filter((line) => {
    const { answer } = JSON.parse(line) as { answer: string };
    const [response = "", gold = ""] = answer.split("\n####");
    const scored = numeric.score({ id: 1, question: "q", answer: gold.trim() }, { response }) as ScoredWithEvidence;
    return scored.scores.numeric_tolerance === 1;
  });
  expect(rows).toHaveLength(1319);
  expect(right.length).toBeGreaterThanOrEqual(1300);
});
