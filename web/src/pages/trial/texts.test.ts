import { expect, test } from "vitest";
import type { DisplayField } from "../../../../src/report/dashboard/contract.js";
import { splitExample, splitOutput } from "./texts.js";

function field(name: string, text: string, length = text.length): DisplayField {
  return { name, text, length, kind: "text" };
}

test("separates what was produced from measurements and copied fields", () => {
  const example = [field("question", "why?"), field("context", "long")];
  const output = [
    field("response", "because"),
    field("context", "short"),
    field("question", "why?"),
    field("latency", "1"),
  ];
  const { produced, others } = splitOutput(output, example);
  expect(produced.map(({ name }) => name)).toEqual(["response", "context"]);
  expect(others.map(({ name }) => name)).toEqual(["question", "latency"]);
});

test("treats texts with the same beginning and different lengths as different", () => {
  expect(splitOutput([field("context", "abc", 9)], [field("context", "abc", 8)]).produced).toHaveLength(1);
});

test("separates what was asked from labels and settings", () => {
  const { prompt, others } = splitExample(
    [field("question", "why?"), field("hint", "look at it"), field("topic", "tea"), field("difficulty", "easy")],
    ["topic"],
  );
  expect(prompt.map(({ name }) => name)).toEqual(["question", "hint"]);
  expect(others.map(({ name }) => name)).toEqual(["difficulty"]);
});

test("takes a single word for the prompt if there is nothing else", () => {
  expect(splitExample([field("word", "cat")], []).prompt).toHaveLength(1);
});
