import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Example } from "../core/example.js";
import { type ConvertRowOptions, convertRow } from "./convert-row.js";

function convert(row: Record<string, unknown>, options?: ConvertRowOptions): Example | string {
  const converted = convertRow(row, options);
  return "problem" in converted ? converted.problem : converted.example;
}

describe("convertRow", () => {
  it("leaves a valid row unchanged, including extra columns", () => {
    const row = { id: "q1", context: "c", question: "q", answer: "a", answers: ["a", "b"], subject: { deep: [1] } };
    const before = structuredClone(row);
    expect(convert(row)).toEqual(before);
  });

  it("reads mapped columns from the row, even if they swap, and keeps the originals", () => {
    expect(convert({ id: 1, prompt: "q", gold: 4 }, { map: { question: "prompt", answer: "gold" } })).toEqual({
      id: 1,
      prompt: "q",
      gold: 4,
      question: "q",
      answer: "4",
    });
    expect(
      convert({ id: 1, question: "c", context: "q" }, { map: { question: "context", context: "question" } }),
    ).toEqual({
      id: 1,
      question: "q",
      context: "c",
    });
  });

  it("finds columns whatever their case and spaces, unless the field has its own column or is mapped", () => {
    const row = { ID: 7, " Question ": "q", Answer: "a", Topic: "t" };
    expect(convert({ ...row })).toEqual({ ...row, id: 7, question: "q", answer: "a" });
    expect(convert({ id: 1, question: "own", Question: "other" })).toMatchObject({ question: "own" });
    const mapped = convert({ id: 1, Question: "other", prompt: "q" }, { map: { question: "prompt" } });
    expect(mapped).toMatchObject({ question: "q" });
  });

  it("suspects another separator if there is one column", () => {
    expect(convert({ "question;answer": "a;b" })).toContain('is it separated by ";"?');
  });

  it.each([
    ["a number", { answer: 4 }, { answer: "4" }],
    ["a boolean", { answer: false }, { answer: "false" }],
    ["null", { answer: null }, {}],
    ["several", { answer: ["a", 2, true, null] }, { answers: ["a", "2", "true"] }],
    ["several in both", { answer: ["a", "b"], answers: ["b", "c"] }, { answers: ["a", "b", "c"] }],
    ["none", { answer: [] }, { answers: [] }],
    ["a single `answers`", { answers: "a" }, { answers: ["a"] }],
    ["a single number in `answers`", { answers: 7 }, { answers: ["7"] }],
    ["text that looks like a list", { answers: '["a"]' }, { answers: ['["a"]'] }],
  ])("accepts an answer that is %s", (_, given, expected) => {
    expect(convert({ id: 1, question: "q", ...given })).toEqual({ id: 1, question: "q", ...expected });
  });

  it("converts numbers in texts, choices and turns", () => {
    expect(convert({ id: 0, context: 12, question: 3.5, choices: [1, "b"], dataset: 7 })).toEqual({
      id: 0,
      context: "12",
      question: "3.5",
      choices: ["1", "b"],
      dataset: "7",
    });
    expect(convert({ id: 1, turns: ["Hello", { role: "assistant", content: "Hi", at: 1 }] })).toEqual({
      id: 1,
      turns: [
        { role: "user", content: "Hello" },
        { role: "assistant", content: "Hi", at: 1 },
      ],
    });
  });

  it.each([
    ["an object as context", { context: { a: 1 } }, 'has an object and not text in "context"'],
    ["a boolean as question", { question: true }, 'has the boolean true and not text in "question"'],
    ["an object as answer", { question: "q", answer: {} }, 'has an object and not text in "answer"'],
    ["an object among answers", { question: "q", answers: ["a", {}] }, 'has a list with an object in "answers"'],
    ["an object as choices", { question: "q", choices: { text: [] } }, 'has an object and not a list in "choices"'],
    ["text as choices", { question: "q", choices: "a" }, 'has the string "a" and not a list in "choices"'],
    ["text as turns", { turns: "hi" }, 'has the string "hi" and not a list in "turns"'],
    [
      "a turn without content",
      { turns: [{ role: "user" }] },
      'has a turn without the strings "role" and "content" in "turns"',
    ],
    ["a boolean id", { id: true, question: "q" }, 'has the boolean true in "id"'],
    ["an array as id", { id: [1], question: "q" }, 'has an array in "id"'],
  ])("rejects %s", (_, row, problem) => {
    expect(convert(row)).toBe(problem);
  });

  it.each([
    ["nothing", {}, "none"],
    ["other columns only", { prompt: "x", gold: "y" }, "prompt, gold"],
    ["nulls", { context: null, question: null }, "context, question"],
    ["empty texts", { context: "", question: "" }, "context, question"],
    ["no turns", { turns: [] }, "turns"],
  ])("rejects a row with %s, and lists its columns", (_, row, columns) => {
    expect(convert(row)).toBe(
      `has neither a context nor a question (its columns: ${columns}; choose one with --map question=COLUMN, or insert them with --prompt)`,
    );
  });

  it("computes a missing id from the content, whatever the order of the columns", () => {
    const expected = createHash("sha256").update('{"answer":"a","question":"q"}').digest("hex").slice(0, 16);
    const converted = convertRow({ question: "q", answer: "a" });
    expect(converted).toEqual({ example: { id: expected, question: "q", answer: "a" }, idFromContent: true });
    expect(convert({ answer: "a", question: "q" })).toMatchObject({ id: expected });
    expect(convert({ answer: "b", question: "q" })).not.toMatchObject({ id: expected });
    expect(convertRow({ id: "", question: "q" })).toMatchObject({ idFromContent: true });
    expect(convertRow({ id: null, question: "q" })).toMatchObject({ idFromContent: true });
    expect(convertRow({ id: 0, question: "q" })).toMatchObject({ idFromContent: false, example: { id: 0 } });
  });

  it("reads empty cells as missing and JSON lists as lists in text-only formats", () => {
    const row = { id: "", context: "", question: "q", answers: '["a", 2]', choices: '["x","y"]', note: "" };
    const converted = convertRow(row, { textOnly: true });
    expect(converted).toEqual({
      example: { id: expect.any(String), question: "q", answers: ["a", "2"], choices: ["x", "y"], note: "" },
      idFromContent: true,
    });
    expect(convert({ id: "1", question: "q", answer: "[sic]" }, { textOnly: true })).toMatchObject({ answer: "[sic]" });
    expect(convert({ id: "1", question: "[1]", answer: "x" }, { textOnly: true })).toMatchObject({ question: "[1]" });
  });
});
