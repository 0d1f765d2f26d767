import { describe, expect, it } from "vitest";
import { readLabel } from "./labels.js";

const row = { question: "2+2?", response: "4", answer: "4" };

describe("readLabel", () => {
  it.each([
    [1, 1],
    [0, 0],
    [true, 1],
    [false, 0],
    ["pass", 1],
    ["FAIL", 0],
    ["1", 1],
  ])("reads %j as a binary label", (label, people) => {
    expect(readLabel({ ...row, label }, "binary", 7)).toEqual({
      example: { id: 7, question: "2+2?", answer: "4" },
      output: { response: "4" },
      people,
      length: 1,
      otherLength: null,
    });
  });

  it("reads numbers on a scale, including those between its values", () => {
    expect(readLabel({ ...row, label: 4 }, "1-5", 1)).toMatchObject({ people: 0.75 });
    expect(readLabel({ ...row, label: 4.5 }, "1-5", 1)).toMatchObject({ people: 0.875 });
    expect(readLabel({ ...row, label: "10" }, "1-10", 1)).toMatchObject({ people: 1 });
  });

  it.each([
    ["a", 1],
    ["B", 0],
    ["tie", 0.5],
  ])("reads %j of a pair", (label, people) => {
    const pair = { question: "?", response_a: "one", response_b: null, label, id: "x" };
    expect(readLabel(pair, "pairwise", 1)).toEqual({
      example: { id: "x", question: "?", baseline: "" },
      output: { response: "one" },
      people,
      length: 3,
      otherLength: 0,
    });
  });

  it("keeps context, answers and turns", () => {
    const turns = [{ role: "user", content: "hi" }];
    expect(readLabel({ context: "c", answers: ["x", 2], turns, response: null, label: 1 }, "binary", 1)).toMatchObject({
      example: { context: "c", answers: ["x", "2"], turns },
      output: { response: "" },
    });
  });

  it.each([
    [[], "binary", "is an array, not an object"],
    [{ label: 1 }, "binary", 'has no "response"'],
    [
      { response_a: "x", response_b: "y", label: "a" },
      "binary",
      'has no "response", but two answers to compare: use --judge-pairwise',
    ],
    [{ response: {}, label: 1 }, "binary", "has a response that is an object, not text"],
    [{ response: "x" }, "binary", 'has no "label"'],
    [{ response: "x", label: 2 }, "binary", 'has a label that is the number 2, but must be "pass" or "fail"'],
    [{ response: "x", label: "good" }, "1-5", "must be a number from 1 to 5"],
    [{ response: "x", label: 0 }, "1-5", "must be a number from 1 to 5"],
    [{ response: "x", label: 1, turns: [{}] }, "binary", "has turns that are not"],
    [{ response_a: "x", label: "a" }, "pairwise", 'has no "response_b"'],
    [{ response_a: "x", response_b: "y", label: 1 }, "pairwise", 'must be "a", "b" or "tie"'],
  ] as const)("says what is wrong with %j", (bad, scale, problem) => {
    expect(readLabel(bad, scale, 1)).toContain(problem);
  });
});
