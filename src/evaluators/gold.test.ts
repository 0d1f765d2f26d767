import { describe, expect, it } from "vitest";
import type { Example } from "../core/example.js";
import { convertToText, describeMissingGold, listGolds } from "./gold.js";

const example = (fields: object) => ({ id: 1, question: "q", ...fields }) as Example;

describe("listGolds", () => {
  it.each<[object, string[]]>([
    [{ answer: "Paris" }, ["Paris"]],
    [{ answer: 4, answers: ["four", "4.0"] }, ["4", "four", "4.0"]],
    [{ answer: ["Paris", "Lutetia"] }, ["Paris", "Lutetia"]],
    [{ answers: "Paris" }, ["Paris"]],
    [{ answers: { text: ["Paris", "paris"], answer_start: [1, 5] } }, ["Paris", "paris"]],
    [{ answers: { text: "Paris", answer_start: 1 } }, ["Paris"]],
    [{ answers: [{ text: "Paris", answer_start: 1 }, { text: "Lutetia" }] }, ["Paris", "Lutetia"]],
    [{ answers: '["Paris", "Lutetia"]' }, ["Paris", "Lutetia"]],
    [{ answer: '["Paris"]' }, ['["Paris"]']],
    [{ answers: "[1, 2]" }, ["[1, 2]"]],
    [{ answers: "[x" }, ["[x"]],
    [{ answers: "[]" }, []],
    [{ answer: " ", answers: ["", null, {}, [], { text: null }, { text: [] }] }, []],
    [{ answers: [["Paris"]] }, []],
    [{ answer: null }, []],
    [{}, []],
  ])("of %j returns %j", (fields, golds) => {
    expect(listGolds(example(fields))).toEqual(golds);
  });
});

describe("describeMissingGold", () => {
  it.each<[object, string]>([
    [{}, "the example has no gold answer"],
    [{ answer: null }, "the example has no gold answer"],
    [{ answer: " " }, "the example has no gold answer (answer is blank)"],
    [{ answers: [] }, "the example has no gold answer (answers is an empty list)"],
    [{ answers: [["x"]] }, "the example has no gold answer (answers is a list whose first item is a list)"],
    [{ answers: [null] }, "the example has no gold answer (answers is a list whose first item is null)"],
    [
      { answer: {}, answers: [{ value: "x" }] },
      "the example has no gold answer (answer is an empty object, answers is a list whose first item is an object with value)",
    ],
    [
      { answer: { a: 1, b: 1, c: 1, d: 1, e: 1 } },
      "the example has no gold answer (answer is an object with a, b, c, d, …)",
    ],
  ])("of %j", (fields, reason) => {
    expect(describeMissingGold(example(fields))).toBe(reason);
  });
});

describe("convertToText", () => {
  it.each([
    ["x", "x"],
    [0, "0"],
    [false, "false"],
    [null, ""],
    [undefined, ""],
    [{}, ""],
  ])("of %j", (value, text) => {
    expect(convertToText(value)).toBe(text);
  });
});
