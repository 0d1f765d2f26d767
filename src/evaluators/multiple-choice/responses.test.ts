import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { FinalAnswer } from "../final-answer.js";
import { MultipleChoiceAccuracy } from "../multiple-choice-accuracy.js";

const PLACES = ["garage", "library", "town square", "roof", "the attic"];
const TEN = "iron copper zinc gold silver tin lead nickel cobalt argon".split(" ");
const QUESTION = `Where would you keep a car?\nOptions:\n${PLACES.map((text, i) => `(${String.fromCharCode(65 + i)}) ${text}`).join("\n")}`;

const multipleChoice = new MultipleChoiceAccuracy();
const finalAnswer = new FinalAnswer();

/** The letter that multiple_choice_accuracy reads, found by trying every letter as the gold. */
function readChoice(response: string, choices: readonly string[]): string | null {
  for (let index = 0; index < choices.length; index++) {
    const example = { id: 1, question: "q", choices, answer_index: index } as unknown as Example;
    const { scores } = multipleChoice.score(example, { response } as Output) as ScoredWithEvidence;
    if (scores.mc_extracted === 0) return null;
    if (scores.mc_accuracy === 1) return String.fromCharCode(65 + index);
  }
  return null;
}

/** The letter that final_answer reads if it knows only the letters. */
function readLetter(response: string, question: string): string | null {
  for (const letter of "ABCDEFGHIJ") {
    const example: Example = { id: 1, question, answer: `(${letter})` };
    const { scores } = finalAnswer.score(example, { response } as Output) as ScoredWithEvidence;
    if (scores.final_answer === 1) return letter;
  }
  return null;
}

/** Responses in the styles of many models, with the letter they choose. */
const CHOSEN: readonly (readonly [response: string, letter: string])[] = [
  ["La opción correcta es la B.", "B"],
  ["A opção correta é a letra B.", "B"],
  ["The correct one is A.", "A"],
  ["✅ B", "B"],
  // The letter A, after every kind of announcement
  ["The answer is A because cars are kept there.", "A"],
  ["The answer is A, garage.", "A"],
  ["The answer is A garage.", "A"],
  ["The answer is A - garage", "A"],
  ["The answer is A – garage.", "A"],
  ["The answer is A: garage.", "A"],
  ["The answer is **A** garage.", "A"],
  ["The answer is **A: garage**", "A"],
  ["The answer is option A (garage).", "A"],
  ["The answer is Option A, which is a garage.", "A"],
  ["The answer is most likely A", "A"],
  ["The answer is most likely A, since cars need shelter.", "A"],
  ["The answer would be A as cars are parked there", "A"],
  ["The answer must be A in this case.", "A"],
  ["The correct answer is A) garage.", "A"],
  ["The correct answer is A. garage", "A"],
  ["the correct answer is (A) garage", "A"],
  ["The best answer is A.", "A"],
  ["Answer: A (garage)", "A"],
  ["Answer: A (Cars are kept in garages.)", "A"],
  ["Answer: A garage", "A"],
  ["Answer: A\n\nA garage is a building for cars. A library keeps books.", "A"],
  ["Answer: **A**\n\nExplanation: I think that cars fit in a garage.", "A"],
  ["**Answer**: A", "A"],
  ["**Answer:** A. garage", "A"],
  ["**Answer: A. garage**", "A"],
  ["**Final Answer: A**", "A"],
  ["### Final Answer\n**A**", "A"],
  ["### Final Answer:\n\nA. garage", "A"],
  ["## Answer\n\nA", "A"],
  ["Final answer: A. I hope this helps.", "A"],
  ["Correct Answer: A", "A"],
  ["ANSWER: A", "A"],
  ["<answer>A</answer>", "A"],
  ["<answer>\nA\n</answer>", "A"],
  ["Cars need shelter.\n<answer>\nA. garage\n</answer>\nA library is for books (B).", "A"],
  ["<answer>A", "A"],
  ["$\\boxed{A}$", "A"],
  ["\\boxed{\\text{A}}", "A"],
  ["\\boxed{\\textbf{(A) }garage}", "A"],
  ["The final answer is $\\boxed{A}$.", "A"],
  ["A, garage", "A"],
  ["A garage", "A"],
  ["**A** garage", "A"],
  ["**A**, garage", "A"],
  ["**A. garage**", "A"],
  ["A. garage", "A"],
  ["A) garage\n\nCars are kept in a garage.", "A"],
  ["option A (garage)", "A"],
  ["Option A: garage", "A"],
  ["It is most likely A.", "A"],
  ["Most likely A", "A"],
  ["The man would most likely choose A.", "A"],
  ["I would choose A because of the rain.", "A"],
  ["I'd go with A (garage).", "A"],
  ["My choice is A.", "A"],
  ["So the best choice would be A because it is dry.", "A"],
  [": A", "A"],
  [": A. garage", "A"],
  ["A is the correct answer because a garage is made for cars.", "A"],
  ["Therefore, A is correct.", "A"],
  ["Therefore, A.", "A"],
  ["Based on the above, the answer is A I think.", "A"],
  ["A is right and the others are wrong.", "A"],
  // Other letters in the same forms
  [": C", "C"],
  [": C\n\nA town square is a public place.", "C"],
  ["The answer (letter only) is C.", "C"],
  ["The answer to the question is C", "C"],
  ["The answer to this multiple-choice question is (C), a town square.", "C"],
  ["The correct option among these is C.", "C"],
  ["The correct choice that fits is C.", "C"],
  ["The function with the error is:\n\nC. town square", "C"],
  ["The place with the most cars is:\nC", "C"],
  ["The place that fits best is: **C. town square**", "C"],
  ["The most plausible place is: (C)", "C"],
  ["Answer - C", "C"],
  ["Answer = C", "C"],
  ["Answer is C", "C"],
  ["Ans: C", "C"],
  ["answer: (c)", "C"],
  ["the answer is c.", "C"],
  ["the answer is c because it is public", "C"],
  ["Answer: [C]", "C"],
  ["The answer is town square (C).", "C"],
  ["The answer is a town square, which corresponds to option C.", "C"],
  ["C", "C"],
  ["c", "C"],
  ["C. town square", "C"],
  ["(C) town square", "C"],
  ["C - town square", "C"],
  ["C, because it is public.", "C"],
  ["I'm not sure, but I'd guess C.", "C"],
  ["If I had to pick, I'd say C.", "C"],
  ["**Conclusion:** The answer is **C**.", "C"],
  ["After considering every option, I conclude that the answer is (C).", "C"],
  ["The answer is not A but C.", "C"],
  ["It is neither A nor B. The answer is C.", "C"],
  ["**C) town square** ✅", "C"],
  ["The answer is C.\n\nNote: if the car were broken, the answer would be A.", "C"],
  ["If the car were broken, A would be right.\nThe answer is C.", "C"],
  ["What if the car were new? Then it would be different\nAnswer: C", "C"],
  ["If it were raining, we would use the garage\n\nThe answer is C", "C"],
  // Chains of thought
  [
    "Let's think step by step.\n\nA. garage: closed.\nB. library: for books.\nC. town square: open.\nD. roof: no.\nE. the attic: no.\n\nSo the answer is C.",
    "C",
  ],
  [
    "Let's analyze each option:\n\n(A) A garage is closed.\n(B) A library has books.\n(D) A roof is too high.\n\nThis leaves (C).",
    "C",
  ],
  [
    "Option A is wrong because it is closed. Option B is incorrect. Option D cannot be right. Option E is out. Therefore, the correct answer is Option C.",
    "C",
  ],
  ["Eliminating A, B, D and E, we are left with C.", "C"],
  ["A is wrong so I choose C", "C"],
  ["At first I thought the answer is B. But on reflection the answer is C.", "C"],
  ["The answer is C. Option A is wrong because a garage is closed, and (B) keeps books.", "C"],
  ["Answer: C\nReasoning: A garage is closed. B is a building with books. I think C is open to all.", "C"],
  ["Answer: C\n\nExplanation:\n- (A) is closed\n- (B) keeps books\n- (D) is too high", "C"],
  ["The given equation is $a + b = c$.\n\n1. (a + b) grows.\n2. [A] falls.\n\n**Answer: C**", "C"],
  ["Step 1: consider the car.\nStep 2: consider the place.\n\n$$\\boxed{C}$$\n\nStep 3 is not needed (A).", "C"],
  ["C\n\nQuestion: What else?\nOptions:\n(A) x\n(B) y\nAnswer: B", "C"],
  ["The answer is C.\n\nQ: Next\nA: The answer is B.", "C"],
  ["<think>A? No. The answer is A? Hm.</think>\n\nThe answer is **C**.", "C"],
  ['{"reasoning": "A is closed.", "answer": "C"}', "C"],
  ["Sure! The correct answer is:\n\n**C. town square**\n\nLet me know if you have other questions!", "C"],
  ["Great question! Here's my thinking.\n\n> **C**", "C"],
  ["| Option | Fit |\n|---|---|\n| A | no |\n| C | yes |\n\nAnswer: C", "C"],
  // Wordings of many models
  ["The closest match would be:\n\nD. roof, which is a place above. While not perfect, it is the closest.", "D"],
  ['However, the closest might be option B, "library," as it involves a room.', "B"],
  [
    'None of these fits. If we must choose, "B. library" might be the closest. The answer is (B), but with a caveat.',
    "B",
  ],
  ["Therefore, the correct answer is:\n\nThe answer is (D).", "D"],
  ["The correct answer is (B): a library keeps books. A library is open.", "B"],
  ["**Explanation:**\nA garage (A) is closed.\n**Correct answer:** (D) roof", "D"],
  ["Based on this analysis, option D is the most suitable.", "D"],
  ["Based on the analysis, (D) roof is the best choice.", "D"],
  ["Thus, the most appropriate option would be D.", "D"],
  ["So, the best fit is D: roof.", "D"],
  ["Hence, D is the answer.", "D"],
  ["Hence D.", "D"],
  ["Therefore, the answer is D (roof), not A.", "D"],
  ["The right option: D", "D"],
  ["Correct option: D", "D"],
  ["Correct: D", "D"],
  ["Choice: D", "D"],
  ["Selected option: D", "D"],
  ["Final choice: **D**", "D"],
  ["My final answer is D!", "D"],
  ["I am confident that the answer is D.", "D"],
  ["I'm going to go with (D).", "D"],
  ["I will select option D.", "D"],
  ["We choose (D).", "D"],
  ["Let's go with D", "D"],
  ["the answer is\n\n**D**", "D"],
  ["The answer is:\n\n- D. roof", "D"],
  ["The answer is: \n```\nD\n```", "D"],
  ["Answer:\n\n(D)", "D"],
  ["Answer: Option D", "D"],
  ["Answer: option d", "D"],
  ["Answer: The correct answer is D.", "D"],
  ["Answer: The correct option is (D) roof.", "D"],
  ["**Answer**\n\nThe best place is the roof. So D.", "D"],
  ["The answer is `D`.", "D"],
  ["The answer is 'D'.", "D"],
  ["The answer is “D”.", "D"],
  ["The answer is \\(D\\).", "D"],
  ["The answer is $D$.", "D"],
  ["The answer is \\textbf{D}.", "D"],
  ["The final answer is: $\\boxed{\\text{D. roof}}$", "D"],
  ["\\boxed{D. roof}", "D"],
  ["\\[\n\\boxed{D}\n\\]", "D"],
  ["The energy is \\boxed{\\langle H \\rangle \\ll \\Delta E}\n\n**Answer: D**", "D"],
  ["**Answer: D**\n\nwith \\boxed{\\Delta E = 5}", "D"],
  ["<answer> D </answer>", "D"],
  ["<answer>(D) roof</answer>", "D"],
  ["<answer>The answer is D</answer>", "D"],
  ["<reasoning>It is A.</reasoning>\n<answer>\nD\n</answer>", "D"],
  ["Option D is correct because it is high. Option A would be correct if it rained.", "D"],
  ["D is the best answer. A, B and C are all indoors.", "D"],
  ["D: roof\n\nA: garage is wrong", "D"],
  ["D\nA garage is closed.", "D"],
  ["D. roof. The other options A, B, C are indoors.", "D"],
  ["(D)", "D"],
  ["D)", "D"],
  ["d)", "D"],
  ["d. roof", "D"],
  ["(d) roof", "D"],
  ["The correct answer is d) roof", "D"],
  ["It's D.", "D"],
  ["It is D because of height.", "D"],
  ["I think it's D.", "D"],
  ["I believe D is correct", "D"],
  ["probably D", "D"],
  ["Likely D.", "D"],
  ["Among the options, D stands out as the best choice.", "D"],
  ["We can rule out A and B. Between C and D, D is more likely.", "D"],
  ["Of these, only D fits.", "D"],
  ["The answer can't be A. So it has to be D.", "D"],
  ["Only option (D) remains.", "D"],
  ["Answer choice D is right.", "D"],
  ["Answer choice (D) is the correct one.", "D"],
  ["The answer choice is D.", "D"],
  ["The correct answer choice is D", "D"],
  ["Answer Key: D", "D"],
  ["The correct letter is D.", "D"],
  ["Letter: D", "D"],
  ["Therefore, the man would most likely be on the roof (D).", "D"],
  ["Thus the place is the roof, (D).", "D"],
  ["Thus, roof is where it is. (D)", "D"],
  ['So the answer is "D. roof"', "D"],
  ["So the answer is d", "D"],
  ["Final Answer: The final answer is (D). I hope it is correct.", "D"],
  ["The final answer is D\nA garage is also fine.", "D"],
  ["La respuesta es: D", "D"],
  ["La respuesta correcta es la D.", "D"],
  ["La réponse correcte est la D.", "D"],
  ["La bonne réponse est D.", "D"],
  ["Die korrekte Antwort lautet D.", "D"],
  ["Antwort D ist richtig.", "D"],
  ["答案为D", "D"],
  ["答案选D", "D"],
  ["正确选项是D", "D"],
  ["正确答案：D. 屋顶", "D"],
  ["所以选择D选项。", "D"],
  ["答えはDです", "D"],
  ["答え：D", "D"],
  ["正解：D", "D"],
  ["คำตอบคือ D", "D"],
  ["Правильный ответ: D", "D"],
  ["Правильный ответ — D.", "D"],
  ["Đáp án: D", "D"],
  ["Đáp án đúng là D.", "D"],
  ["Jawaban: D", "D"],
  ["Jawaban yang benar adalah D.", "D"],
  ["Cevap: D", "D"],
  ["Odpowiedź: D", "D"],
  ["الجواب: D", "D"],
  ["الإجابة الصحيحة هي D", "D"],
  ["सही उत्तर D है", "D"],
  ["উত্তর: D", "D"],
  // Other languages
  ["La respuesta correcta es C, porque es pública.", "C"],
  ["La réponse est A, car il pleut.", "A"],
  ["Die richtige Antwort ist A, weil es regnet.", "A"],
  ["Antwort: A", "A"],
  ["答案是A。", "A"],
  ["答案：A", "A"],
  ["因此，正确答案是 A。", "A"],
  ["故选A。", "A"],
  ["Ответ: A", "A"],
  ["正解はAです。", "A"],
  ["정답은 A입니다.", "A"],
  ["A resposta correta é A.", "A"],
];

/** Responses that contain the text of an option and not its letter. */
const IN_WORDS: readonly (readonly [response: string, letter: string])[] = [
  ["The answer is town square.", "C"],
  ["The answer is **town square**, because it is public.", "C"],
  ["town square", "C"],
  ["It's town square.", "C"],
  ["Answer: roof", "D"],
  ["Answer: the roof", "D"],
  ["Answer: Roof. Cars can be parked there.", "D"],
  ['The answer is "roof".', "D"],
  ["\\boxed{roof}", "D"],
  ["So the answer is roof", "D"],
  ["So the answer is (roof)", "D"],
];

describe("a response that chooses", () => {
  it.each(CHOSEN)("%j: %s, in multiple_choice_accuracy", (response, letter) => {
    expect(readChoice(response, PLACES)).toBe(letter);
  });

  it.each(CHOSEN)("%j: %s, in final_answer", (response, letter) => {
    expect(readLetter(response, QUESTION)).toBe(letter);
  });

  it.each(IN_WORDS)("%j in words: %s, in multiple_choice_accuracy only", (response, letter) => {
    expect(readChoice(response, PLACES)).toBe(letter);
    expect(readLetter(response, QUESTION)).toBeNull();
  });
});

const CITIES = ["Rome", "Paris", "Berlin", "Madrid"];

/** The same about a question with four cities. */
const MORE: readonly (readonly [response: string, letter: string | null])[] = [
  [
    "Let A be the area and B the field. Then the flux is AB. With A = 2 and B = 3, we find flux 6.\n\nThe answer is (C).",
    "C",
  ],
  ["The enthalpy of formation of H2O(l) is -286. For CO2 (g) it is -394. So the answer is: D", "D"],
  ["Rate = k[A][B]^2. Doubling [A] doubles it. Therefore the correct option is B.", "B"],
  ["We have:\n(a) x > 0\n(b) y > 0\n\nSo both hold.\n\n**Answer: C**", "C"],
  ["Statement I is true and statement II is false. The answer is B.", "B"],
  ["Hepatitis B is a virus. The correct answer is B", "B"],
  ["The question asks about France. Option (B) mentions Paris.", "B"],
  ["I would eliminate A and D first. Then B versus C. I'd lean towards B.", "B"],
  ["I lean toward B", "B"],
  ["My best guess is B.", "B"],
  ["My guess: B", "B"],
  ["Maybe B.", "B"],
  ["Perhaps B", "B"],
  ["The answer might be B.", "B"],
  ["The answer could be B.", "B"],
  ["The answer seems to be B.", "B"],
  ["The answer appears to be (B).", "B"],
  ["The answer has to be B.", "B"],
  ["The answer, therefore, is B.", "B"],
  ["The answer here is B.", "B"],
  ["The answer I choose is B.", "B"],
  ["The answer you are looking for is B.", "B"],
  ["The only correct answer is B.", "B"],
  ["the correct answer is indeed B", "B"],
  ["The correct answer is thus option **B**: Paris.", "B"],
  ["Answer is (B)", "B"],
  ["Answer) B", "B"],
  ["Answer\nB", "B"],
  ["Answer → B", "B"],
  ["Answer => B", "B"],
  ["Answer: → B", "B"],
  ["Answer: ✅ B", "B"],
  ["Answer: **(B)** Paris", "B"],
  ["Answer: _B_", "B"],
  ["Answer:**B**", "B"],
  ["**Answer:B**", "B"],
  ["Answer: <B>", "B"],
  ["Answer: B</s>", "B"],
  ["[Answer] B", "B"],
  ["[ANSWER]B[/ANSWER]", "B"],
  ["Answer: B.Paris", "B"],
  ["Answer: B.\nConfidence: 90%", "B"],
  ["Answer: B / Paris", "B"],
  ["Answer: B=Paris", "B"],
  ["Answer: B;", "B"],
  ["Answer: Paris (B)", "B"],
  ["Answer: Paris - B", "B"],
  ["Answer: Paris, B", "B"],
  ["Answer: 'B'", "B"],
  ["The answer: B", "B"],
  ["So answer B.", "B"],
  ["so B is the answer", "B"],
  ["B it is.", "B"],
  ["B - Paris is the capital", "B"],
  ["B – Paris", "B"],
  ["B.Paris", "B"],
  ["B)Paris", "B"],
  ["(B)Paris", "B"],
  ["A, no wait, B", "B"],
  ["Answer: A, no wait, B", "B"],
  ["A. No wait, B.", "B"],
  ["The answer is A — no, wait: B.", "B"],
  ["Answer: A. Wait, no, B is in Italy.", "A"],
  ["Your answer (A, B, C or D): B", "B"],
  ["Your answer (A, B, C, or D) is B", "B"],
  ["Doğru cevap B'dir.", "B"],
  ["B'dir", "B"],
  ["Doğru yanıt: B", "B"],
  ["Doğru cevap B şıkkıdır.", "B"],
  ["Rome lies in Italy, and Madrid in Spain, so option B", "B"],
  ["It's the Paris.", "B"],
  ["It is in France. B.", "B"],
  ["A? No. B.", "B"],
  ["Clearly B.", "B"],
  ["A resposta correta é a B.", "B"],
  ["Option B (Paris) is the correct choice. Options A, C and D are not in France.", "B"],
  ["Let's consider option B", null],
  ["It was written by J. R. B.", null],
  ["both A and B", null],
  ["Vitamin B12", null],
  ["The answer is B12.", null],
  ["C. elegans", null],
  ["The answer is C. elegans.", null],
  ["C. elegans is a worm.", null],
  ["The answer is C. berlin", "C"],
  ["The answer is C. paris", "C"],
  ["**B** - Paris", "B"],
  ["Option B - Paris", "B"],
  ["Option **B**", "B"],
  ["*B*", "B"],
  ['"B"', "B"],
  ["B!", "B"],
  ["> B", "B"],
  ["# B", "B"],
  ["### B", "B"],
  ["- B", "B"],
  ["Solution: B", "B"],
  ["Solution:\n\nWe know that Paris is in France.\n\nSo B", "B"],
  ["Response: B", "B"],
  ["Output: B", "B"],
  ["Prediction: B", "B"],
  ["Conclusion: B", "B"],
  ["Correct answer: B. Paris\nIncorrect answers: A, C, D", "B"],
  ["Correct answer: B\nWrong answer: A", "B"],
  ["The answer is B.\nThe answer is B.\nThe answer is B.\nThe answer is", "B"],
  ["The answer is B.\n\nWhat is the capital of Spain?\nA. Rome\nB. Paris\nC. Berlin\nD. Madrid\nAnswer: D", "B"],
  [" B\n\nQuestion 2: What is the capital of Spain?\nAnswer: D", "B"],
  ["B\nExplanation: The answer is B because Paris is the capital. A is in Italy.", "B"],
  ["B\n\nThe answer is not A because Rome is in Italy.", "B"],
  ["Not A. Not C. Not D. So B.", "B"],
  ["It can't be A, C, or D, so it must be B.", "B"],
  ["A, C and D are incorrect. B is correct.", "B"],
  ["We have:\n(a) x > 0\n(b) y > 0\n\nSo both hold.", null],
  ["a) First, we note that\nb) Second, we see that\nTherefore, the result is 4.", null],
  ["(i) The first statement is true.\n(ii) The second is false.\n\nTherefore I only.", null],
  ["Point A is at (0, 0) and point B is at (3, 4). The distance between A and B is 5.", null],
  ["Person A is taller than person B. Person C is shorter than B.", null],
  ["Company A and Company B compete. Firm C is a supplier.", null],
  ["Vitamin A is found in carrots.", null],
  ["Type A blood. Group B strep.", null],
  ["Grade: A", null],
  [
    "Let's consider each option:\n\n**Option A: Rome** - This is in Italy, so it is not correct.\n\n**Option B: Paris** - This is in France, so",
    null,
  ],
  ["Let's consider each option:\n\nOption A: Rome - This is in Italy", null],
  ["Let's look at each option.\n\n1. **Rome**: The capital of Italy.\n2. **Paris**: The capital of", null],
  ["The capital of France is a city on the Seine. Looking at the options, we can see that option B", null],
  ["The capital of France is a city on the Seine. Looking at the options, we can see that option B is Paris and", null],
  ["The question asks for the capital of France. It is well known that this is Paris.", null],
  ["B?", null],
  ["All but B are wrong.", null],
  ["Everything except B", null],
];

describe("a response about cities", () => {
  it.each(MORE)("%j: %s", (response, letter) => {
    expect(readChoice(response, CITIES)).toBe(letter);
  });
});

it("does not read an option's text after its label as a denial", () => {
  expect(readChoice("\\boxed{\\text{(B) false}}", ["true", "false"])).toBe("B");
});

it("reads a name with a letter as the option with this text", () => {
  const species = ["a mouse", "C. elegans", "a fly", "E. coli"];
  expect(readChoice("The answer is C. elegans.", species)).toBe("B");
  expect(readChoice("E. coli", species)).toBe("D");
});

it.each([
  ["18 eggs", ["12", "16", "18"]],
  ["The answer is 18 eggs.", ["12", "16", "18"]],
  ["18", ["12 eggs", "16 eggs", "18 eggs"]],
])("reads %j as the number among %j", (response, choices) => {
  expect(readChoice(response, choices)).toBe("C");
});

it.each([
  ["18 ducks", ["12 eggs", "18 eggs"]],
  ["18", ["18 ducks", "18 eggs"]],
])("reads no choice from %j among %j", (response, choices) => {
  expect(readChoice(response, choices)).toBeNull();
});

describe("the letter I", () => {
  it.each([
    ["The answer is I.", "I"],
    ["The answer is I - cobalt", "I"],
    ["正解はIです。", "I"],
    ["정답은 I입니다.", "I"],
    ["The answer is I because it is magnetic.", "I"],
    ["The answer is I, cobalt.", "I"],
    ["The answer is I (cobalt).", "I"],
    ["Answer: I", "I"],
    ["Answer: I. cobalt", "I"],
    ["**I** cobalt", "I"],
    ["**I. cobalt**", "I"],
    ["I. cobalt", "I"],
    ["I, cobalt", "I"],
    ["option I (cobalt)", "I"],
    ["\\boxed{I}", "I"],
    ["<answer>I</answer>", "I"],
    ["I think the answer is I.", "I"],
    ["I would say the answer is H.", "H"],
    ["Answer: I think it is H", "H"],
    ["Answer: I believe the answer is (H).", "H"],
  ])("%j: %s", (response, letter) => {
    expect(readChoice(response, TEN)).toBe(letter);
  });

  it.each([
    "I cannot answer this question.",
    "I am not able to determine it.",
    "I, as a language model, have no opinion.",
    "Answer: I cannot tell.",
    "Answer: I don't know.",
    "The answer is I am not sure.",
  ])("%j chooses nothing", (response) => {
    expect(readChoice(response, TEN)).toBeNull();
  });
});

/** Responses that choose nothing. */
const NOTHING: readonly string[] = [
  // Refusals and hedges
  "I'm sorry, but I cannot answer this question.",
  "There is not enough information to choose an option.",
  "None of the options is correct.",
  "A car can be kept in many places.",
  "A good place is hard to find.",
  "Answer: A car is kept where there is room.",
  "The answer is a matter of taste.",
  "The answer depends on where you live.",
  "Both (A) and (C) are possible.",
  "The answer is A or C.",
  "The answer could be either (A) or (C).",
  "It is not B.",
  "The answer is not B.",
  // Reasoning without a choice
  "We need to find the answer. Option A says a garage. Option B says a library. To decide, we need",
  "The answer must satisfy the condition that A is greater than B",
  "The answer is the number of ways to choose A",
  "Let A be the event that it rains.",
  "Let's denote the garage as A and the library as B.",
  "Suppose A is true. Then B is false.",
  "If A is correct, then D is wrong.",
  "A: Let's think step by step. First, the car",
  "Let me think about option D. It says roof. A roof is high up and a car cannot fly, so it would need a ramp. Next,",
  "Looking at the choices:\nA) garage\nB) library",
  "Which one is it: A or D?",
  "Is the answer D?",
  "It is unclear whether the answer is A",
  "The possible answers are A, B, C, D and E.",
  "The answer should be one of A, B, C, D or E.",
  "Please answer with A, B, C, D or E.",
  "I don't know the answer, but A is a garage.",
  "The answer is E = mc^2",
  "By the law, A = B + C",
  "The correct answer is not listed.",
  "The correct answer is none of the above.",
  "The answer is 42.",
  "A. First, we look at the car. Then we look at",
  "a. First we look at the size.\nb. Then at the price.",
  "Step A: look at the car. Step B: look at the house, then",
  "The vitamin is called D",
  // Cut off before an answer
  "Let's analyze each option one by one to find the best one.\n\nFirst, a car needs shelter from the rain, and it needs room.\n\nNow consider option (C)",
  "Let's think step by step. A car is large, so it needs much room, and that room must be on the ground. Looking at the options, (C) has a lot of room, whereas the",
  "To find out where a car is kept, we look at what is said about the weather, the size and the price, and then at Option B, which",
  "We go through the options:\n\nA. garage: A garage is a closed building that is made for",
  "Let's evaluate the options.\n\n**A. garage**: this is a building for cars\n**B. library**: this is a building for",
  "First we need to know the size of the car. The size is given in the text. Then we compare it with\n\nB) the size of",
  "The place must be large and dry. Comparing it with what is said in (B",
  // Marks that are not labels of options
  "There are two parts to this.\n\na) The car has a size.\n\nThe size is given in the text and must be compared with the room.",
  "We use the following facts:\n(i) cars are large\n(ii) rooms are small",
  "The reaction is X(s) + Y(aq) -> Z(g), so a gas (g) is formed and the pressure grows.",
  "Water is H2O (l) and turns to steam (g) when it is heated. The steam rises",
  "The rate is proportional to [A] and to the square of [B] in the first step of it.",
  "By the distributive law (a + b) times c is what we need, so we expand it and simplify.",
  "Let f(a) = 2a and g(b) = b + 1. Then we compute f(g(b)) for all b.",
  "In triangle ABC, the angle at A is 90 degrees. Let (a, b) be a point on the line.",
  "The set is {a, b, c} and its size is 3, so there are 8 subsets of it in total.",
  "Vitamin C and hepatitis B have nothing to do with it.",
  "Consider case (a) first, in which the car is new. Then the room must be",
];

it("reads no letter of ten that means a state or a step", () => {
  expect(readChoice("The product is formed as a gas (g) and a solid (s) remains", TEN)).toBeNull();
  expect(readChoice("In step (c), the acid (H) reacts, while in step (d) it is consumed. Thus the", TEN)).toBeNull();
});

describe("a response that does not choose", () => {
  it.each(NOTHING)("%j, in multiple_choice_accuracy", (response) => {
    expect(readChoice(response, PLACES)).toBeNull();
  });

  it.each(NOTHING)("%j, in final_answer", (response) => {
    expect(readLetter(response, QUESTION)).toBeNull();
  });
});
