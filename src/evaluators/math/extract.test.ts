import { describe, expect, it } from "vitest";
import { extractFormula, extractGoldAnswer, extractNumber } from "./extract.js";

const SOLUTION =
  "Natalia sold 48/2 = <<48/2=24>>24 clips in May.\nNatalia sold 48+24 = <<48+24=72>>72 clips altogether.\n";

/** Responses to word problems, and their answers. */
const NUMBERS: readonly (readonly [response: string, answer: string | null])[] = [
  // GSM8K's own form
  [`${SOLUTION}#### 72`, "72"],
  [`${SOLUTION}####72`, "72"],
  [`${SOLUTION}#### $72.00`, "$72.00"],
  [`${SOLUTION}#### 72\n\nQuestion: Weng earns $12 an hour.\nAnswer: 5\n#### 10`, "72"],
  [SOLUTION, null],
  ["#### Step 1: 16 eggs\n#### 2. Take away 7\nThe answer is 9.", "9"],
  // Statements
  ["The answer is 24.", "24"],
  ["The answer is $24.00.", "24.00"],
  ["The answer is: **24 clips**.", "24"],
  ["the answer would be -5", "-5"],
  ["The answer is 676 - 224, which is 452.", "452"],
  ["The answer (arabic numerals) is 29. There were 3 of them.", "29"],
  ["The answer is −5.", "-5"],
  ["The answer is negative 5", "negative 5"],
  ["The answer is 48 + 24 = 72.", "72"],
  ["So, the answer is 9 eggs * $2/egg = $18.", "$18"],
  ["The answer is 24 (clips in April) + 48 (clips in May) = 72", "72"],
  ["The answer is 18 (16 - 3 - 4 = 9, 9 * 2 = 18).", "18"],
  ["The answer is 24. This is because 12*2 = 24, as 3 is odd.", "24"],
  ["The answer is 17. Wait, one is missing. The answer is 18.", "18"],
  ["The answer to the question is **18**.", "18"],
  ["The answer, in dollars, is 18", "18"],
  ["The answer is that Janet makes $18 in 2 days.", "$18"],
  ["So 24 is the answer.", "24"],
  ["The correct answer is B) 18.", "18"],
  ["Final Answer: The final answer is $18$. I hope it is correct.", "18"],
  ["**Final Answer:** Janet makes **$18** every day from 9 eggs.", "$18"],
  ["### Answer\n\n18", "18"],
  ["**Answer:**\n\n$$18$$", "18"],
  ["Answer: 18\n\nExplanation: 9 * 2", "18"],
  ["A: 18", "18"],
  ["ANSWER: 1,234 dollars", "1,234"],
  ["Answer - 42", "42"],
  ["Answer: -42", "-42"],
  ["<answer>18</answer>", "18"],
  ['{"reasoning": "16-7=9", "answer": 18, "confidence": 0.95}', "18"],
  ["the answer is\n\n$$x = 18$$", "18"],
  ["The answer is <<9*2=18>>18.", "18"],
  ["Answer: The farmer makes $18.\nConfidence: 95%", "$18"],
  // An "Answer:" before the solution
  ["Answer: Janet sells 16 - 3 - 4 = 9 eggs. She makes 9 * 2 = $18 every day.", "$18"],
  ["Answer: 16 - 3 - 4 = 9 eggs. 9 * 2 = 18.", "18"],
  ["Question: Janet has 16 eggs\nAnswer: 16-7=9, 9*2=18. The answer is 18.", "18"],
  // The last number
  ["**24**", "24"],
  ["She has:\n- 5 apples", "5"],
  ["x = - 5", "- 5"],
  ["10 - 3", "10 - 3"],
  ["from 3–5", "3–5"],
  ["9 * 2 = 18 dollars", "18"],
  ["Thus, there are 9 + 6 = 15 liters of water out of the 24 liters.", "15"],
  ["Therefore, it takes **4 hours** to travel 120 miles.", "4"],
  ["She makes $18 (9 eggs × $2).", "$18"],
  ["**Step 3:** Add them up to get 24", "24"],
  ["9 * 2 = 18\n\nLet me know if you want 3 more examples!", "18"],
  ["It is H2O, 5 of it. H2O", "5"],
  // Text before and after
  ["<think>The answer is 30.</think>It is 24.", "24"],
  ["The answer is 24.\n\nQ: There are 3 cars.\nA: The answer is 7.", "24"],
  ["12 * 2 = 24\n\nQuestion: There are 3 cars.\nAnswer: 7", "24"],
  ["24<|im_end|>\n<|im_start|>user\nAnd 3?", "24"],
  ["Question: What is 12 * 2?\nThe answer is 24.", "24"],
  // Boxes
  ["\\boxed{12} and then \\boxed{24 \\text{ clips}}", "24 \\text{ clips}"],
  ["\\fbox{24}", "24"],
  ["The answer is 5. \\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
  ["$\\boxed{24}$, put in \\boxed{}", "24"],
  ["\\boxed 24$", "24"],
  ["The answer is 24: \\boxed{2", "24"],
  // No answer
  ["I cannot tell.", "I cannot tell."],
  ["", null],
];

/** The eleven languages of MGSM, in the wording of their own answers. */
const LANGUAGES: readonly string[] = [
  "The answer is 18.",
  "উত্তর হল ১৮।",
  "উত্তর: ১৮",
  "চূড়ান্ত উত্তর: 18",
  "Die Antwort ist 18.",
  "Die Antwort lautet: 18 US-Dollar.",
  "Endgültige Antwort: **18**",
  "La respuesta es 18.",
  "Respuesta final: **18 dólares**",
  "La réponse est 18.",
  "Réponse : 18",
  "答えは18です。",
  "答え：18ドル",
  "最終的な答えは１８です。",
  "Ответ — 18.",
  "**Ответ:** 18 долларов",
  "Jibu ni 18.",
  "Jibu la mwisho ni 18.",
  "సమాధానం 18.",
  "సమాధానం: ౧౮",
  "คำตอบคือ ๑๘",
  "คำตอบ: 18",
  "答案是 18。",
  "答案：18",
  "故答案为：18",
];

describe("the answer of a word problem", () => {
  it.each(NUMBERS)("%j", (response, answer) => {
    expect(extractNumber(response)?.text ?? null).toBe(answer);
  });

  it.each(LANGUAGES)("is found in %j", (sentence) => {
    const response = `16 - 7 = 9, 9 * 2 = 18. ${sentence} (3, 4, 5)`;
    expect(extractNumber(response)).toMatchObject({ source: "stated", values: [{ top: 18n, bottom: 1n }] });
  });
});

const FORMULAS: readonly (readonly [response: string, answer: string])[] = [
  ["Hence $y = \\boxed{\\frac{\\pi}{2}}$.", "\\frac{\\pi}{2}"],
  ["\\boxed{\\left\\{ 1, 2 \\right\\}}", "\\left\\{ 1, 2 \\right\\}"],
  ["The roots are $\\boxed{-2}$ and $\\boxed{1}$.", "-2, 1"],
  ["\\[ \\boxed{-2} \\quad \\text{and} \\quad \\boxed{1}. \\]", "-2, 1"],
  ["The answer is $x^2+1$. I hope it is correct.", "x^2+1"],
  ["The answer is $2$ and $3$.", "2, 3"],
  ["**Final Answer**\n\n\\[ x+1 \\]", " x+1 "],
  ["The answer is Evelyn.", "Evelyn"],
  ["The final answer is that the domain is $[2,5)$.", "[2,5)"],
  ["We get $a = 1$.\nSo it is $x+1$.", "x+1"],
  ["x+1", "x+1"],
  ["Adding up:\nx+1", "x+1"],
];

describe("the answer of a problem with formulas", () => {
  it.each(FORMULAS)("%j", (response, answer) => {
    expect(extractFormula(response)?.text).toBe(answer);
  });
});

describe("the answer of a gold solution", () => {
  it.each([
    [`${SOLUTION}#### 72`, "72"],
    ["So it is $\\boxed{\\frac{3}{4}}.$", "\\frac{3}{4}"],
    [" 24 ", "24"],
    ["\\text{(A)}", "\\text{(A)}"],
  ])("%j", (gold, answer) => {
    expect(extractGoldAnswer(gold)).toBe(answer);
  });
});
