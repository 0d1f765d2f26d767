import { expect, test } from "vitest";
import { idsTyped, taskOf, taskWord } from "./task-word.js";

test("a task comes back out of its word, numbers as numbers", () => {
  for (const exampleId of [7, "7", 'a "b"\\'])
    expect(taskOf(taskWord({ dataset: "d,e", exampleId }))).toEqual({ dataset: "d,e", exampleId });
});

test("what is no task is none", () => {
  for (const word of [undefined, "", "{}", "[1,2]", '["d"]', "null"]) expect(taskOf(word)).toBeNull();
});

test("an id that was typed is a text, and a number too where it can be", () => {
  expect(idsTyped("7")).toEqual([7, "7"]);
  expect(idsTyped("07")).toEqual(["07"]);
  expect(idsTyped("q7")).toEqual(["q7"]);
});
