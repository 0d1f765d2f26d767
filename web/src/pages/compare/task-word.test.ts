import { expect, test } from "vitest";
import { formatTaskParameter, listPossibleIds, parseTaskParameter } from "./task-word.js";

test("a task comes back out of its word, numbers as numbers", () => {
  for (const exampleId of [7, "7", 'a "b"\\'])
    expect(parseTaskParameter(formatTaskParameter({ dataset: "d,e", exampleId }))).toEqual({
      dataset: "d,e",
      exampleId,
    });
});

test("what is no task is none", () => {
  for (const word of [undefined, "", "{}", "[1,2]", '["d"]', "null"]) expect(parseTaskParameter(word)).toBeNull();
});

test("an id that was typed is a text, and a number too where it can be", () => {
  expect(listPossibleIds("7")).toEqual([7, "7"]);
  expect(listPossibleIds("07")).toEqual(["07"]);
  expect(listPossibleIds("q7")).toEqual(["q7"]);
});
