import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../testing/cpu-time.js";
import { extractOwnAnswer, stripAllReasoning, stripReasoning } from "./own-answer.js";

describe("a few-shot prompt that a base model continues", () => {
  const NEXT = "Which?\nA. foo\nB. bar\nC. baz\nD. qux\nAnswer: A";
  it.each([
    [`B\n\n---\n\n${NEXT}`, "B"],
    [`The answer is B.\n\n---\n\n${NEXT}`, "The answer is B."],
    [`Answer: B\n\n${NEXT}`, "Answer: B"],
    [`B\n\nThe following are multiple choice questions (with answers) about physics.\n\n${NEXT}`, "B"],
    ["B\n\n以下是单项选择题\n\n哪个?\nA. 一\nB. 二\n答案：A", "B"],
    ["B\n\n以下是中国关于物理的单项选择题，请选出正确答案。\n哪个?\nA、一\nB、二\n答案：A", "B"],
    [`B\n\nExplanation: It is hot.\n\n${NEXT}`, "B\n\nExplanation: It is hot."],
    ["D\n\n2. Which of the following\nA. foo\nB. bar\n\nAnswer: A", "D"],
    ["(D)\n\nWhich of these?\n\nA) foo\nB) bar\n\n**Answer:** A", "(D)"],
    ["The answer is 11.\n\nExample 2:\nTom has 29 apples. The answer is 29.", "The answer is 11."],
    ["The answer is 11.\n\n[Question] Tom has 29 apples. [Answer] 29", "The answer is 11."],
    ["5 + 6 = 11\n#### 11\n\nTom has 29 apples.\n#### 29", "5 + 6 = 11\n#### 11"],
  ])("%j: %j", (response, expected) => {
    expect(extractOwnAnswer(response).replace(/[\s-]+$/, "")).toBe(expected);
  });

  it.each([
    "Let me try.\n\nExample 1: take 3.\n\nExample 2: take 4.\n\nThe answer is 7.",
    "#### 1. Compute\n3*5 = 15\n\n#### 2. Conclude\nThe answer is 15.",
    "Here is how I read this task.\n\nThe following are multiple choice questions, of which one is right.\n\nAnswer: A",
    "Let's go through the options.\n\nThe options are\nA. foo\nB. bar\n\nAnswer: A",
  ])("keeps all of %j", (response) => {
    expect(extractOwnAnswer(response)).toBe(response);
  });
});

describe("stripReasoning", () => {
  it.each([
    ["<think>A? No.</think>B", "B"],
    ["<thinking>A</thinking>\n(B)", "\n(B)"],
    ["<reasoning>A</reasoning><answer>B</answer>", "<answer>B</answer>"],
    ["<thought>A</thought>B", "B"],
    ["<THINK>A</THINK>B", "B"],
    ["[THINK]A[/THINK]B", "B"],
    ["◁think▷A◁/think▷B", "B"],
    ["<|begin_of_thought|>A<|end_of_thought|>B", "B"],
    ["The prompt opened it.</think>B", "B"],
    ["<think>a</think>X<think>b</think>Y", "X\nY"],
    ["X <think>a</think>", "X "],
    ["<think>I close with </think> in a moment.</think>B", "B"],
    ["<think>one <think> two</think>B", "B"],
    ["<think></think>    return 1", "    return 1"],
    ["<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B", "B"],
    ['<|channel|>analysis<|message|>A<|end|><|channel|>final <|constrain|>json<|message|>{"x": 1}', '{"x": 1}'],
    ["analysisWe need A.assistantfinalB", "B"],
    ["nothing of the kind", "nothing of the kind"],
  ])("turns %j into %j", (response, expected) => {
    expect(stripReasoning(response)).toBe(expected);
  });

  it.each([
    "<think>The answer is B.",
    "<think>The answer is B.</think>",
    "<think>The answer is B.</think>\n",
    "The answer is B.</think>",
    "<|channel|>analysis<|message|>The answer is B.",
    "<|start|>assistant<|channel|>analysis<|message|>The answer is B.",
    "<|channel|>final<|message|>The answer is B.",
  ])("keeps the text of %j, which is reasoning only", (response) => {
    expect(stripReasoning(response).trim()).toBe("The answer is B.");
  });

  it("keeps an unclosed block and what precedes it", () => {
    expect(stripReasoning("A.<think>No, B.")).toBe("A.\n\nNo, B.");
  });
});

describe("stripAllReasoning", () => {
  it.each([
    ["<think>draft()</think>final()", "final()"],
    ["<think>draft()", ""],
    ["<think>draft()</think>", ""],
    ["final()\n<think>draft()", "final()\n"],
    ["final()", "final()"],
  ])("turns %j into %j", (response, expected) => {
    expect(stripAllReasoning(response)).toBe(expected);
  });
});

describe("extractOwnAnswer", () => {
  it.each([
    ["The answer is Yes.<|endoftext|>Q: foo", "The answer is Yes."],
    ["B<|im_end|>\n<|im_start|>user\nAnd now?", "B"],
    ["<|im_start|>assistant\nB<|im_end|>", "B"],
    ["<start_of_turn>model\nB<end_of_turn>", "B"],
    ["<s> B</s> C", "B"],
    ["B [INST] and C? [/INST] C", "B "],
    ["B<｜end▁of▁sentence｜>C", "B"],
    ["B<|return|>", "B"],
    ["<think>B</think><|im_end|>", "\nB\n"],
  ])("cuts %j at the end of its turn: %j", (response, expected) => {
    expect(extractOwnAnswer(response)).toBe(expected);
  });

  it.each([
    [" B\n\nQuestion: foo\nAnswer: C", " B\n"],
    ["The answer is (B).\n\nQ: next\nA: The answer is (C).", "The answer is (B).\n"],
    ["The answer is (B).\n\nHuman: next\n\nAssistant: (A)", "The answer is (B).\n"],
    ["The answer is (B).\nUser: next", "The answer is (B)."],
    ["contradiction\n\nPremise: x\nHypothesis: y", "contradiction\n"],
    ["B\n\n### Question:\nfoo", "B\n"],
    ["B\n\n**Question:** foo", "B\n"],
    ["ant bee cat dog eel fox\n\nQ: Sort", "ant bee cat dog eel fox\n"],
    ["12 * 2 = 24\nQ: There are 3 cars.", "12 * 2 = 24"],
    ["12 * 2 = 24\n\nProblem 2: There are 3 cars.", "12 * 2 = 24\n"],
    ["Die Antwort ist 24.\nFrage: Und nun?", "Die Antwort ist 24."],
    [" B\n\nWhat is meant?\nA. x\nB. y\nC. z\nD. w\nAnswer: D", " B"],
    ["The answer is B.\n\nHe said\nthat.\n(A) x\n(B) y\nAnswer: A", "The answer is B."],
  ])("cuts %j at the next question: %j", (response, expected) => {
    expect(extractOwnAnswer(response)).toBe(expected);
  });

  it.each([
    "Question: what is it?\nAnswer: B",
    "Sure!\n\nQuestion: what is it?\nAnswer: B",
    "Let me restate.\n\nQ: what is it?\nA: B",
    "Here is the task:\n\nQ: what is it?\nA: B",
    `The task has ${"many ".repeat(60)} parts and reads as follows:\n\nQ: what is it?\nA: B`,
    "To answer this, look at the text first.\n\nQuestion: what is it?\nAnswer: B",
    "The answer is hidden.\nPremise: x\nHypothesis: y\nLabel: entailment",
    "\n\nQ: what is it?\nA: B",
    "The answer is B.",
    "Let us look at all of it.\n\nThe question is what it is.\nA. x\nB. y\nAnswer: B",
    "",
  ])("keeps all of %j, which only repeats the question", (response) => {
    expect(extractOwnAnswer(response)).toBe(response);
  });

  it("is never empty for a non-empty response", () => {
    const unit = fc.constantFrom("<think>", "</think>", "B", " ", "\n", "Q:", "Question:\n", "<|im_end|>", "<s>", "12");
    const text = fc.array(unit, { maxLength: 10 }).map((units) => units.join(""));
    fc.assert(
      fc.property(text, (response) => {
        if (/B|12/.test(response)) expect(extractOwnAnswer(response).trim()).not.toBe("");
      }),
    );
  });

  it.each([
    "<think>",
    "</think>",
    "<think></think>",
    "\nQ:",
    "\n",
    " ",
    "<|im_end|>",
    "<|channel|>",
    "<s>",
    "answer ",
    "\n\nx\nA.\nB.\n",
    "\n\nx",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    extractOwnAnswer(unit.repeat(Math.ceil(1e6 / unit.length)));
    extractOwnAnswer(`B${unit.repeat(Math.ceil(1e6 / unit.length))}`);
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
