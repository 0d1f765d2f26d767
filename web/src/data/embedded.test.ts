import { describe, expect, test } from "vitest";
import { createEmbeddedSource } from "./embedded.js";
import { createSampleReport } from "./report-testing.js";

const KEY = { system: "a", dataset: "qa", exampleId: "e1", trial: 0 };
const OUTPUT = [
  { name: "response", text: "yes", length: 3, kind: "text" as const },
  { name: "context", text: "The beginning", length: 5_000_000, kind: "text" as const },
];
const source = createEmbeddedSource(createSampleReport([{ system: "a", outcomes: ["fail"] }], { output: OUTPUT }));

describe("a text of an embedded report", () => {
  test("is returned when the file holds all of it", async () => {
    expect(await source.getText("r1", KEY, { of: "output", name: "response" })).toBe("yes");
  });

  test("is refused when the file holds only its beginning", async () => {
    const whole = source.getText("r1", KEY, { of: "output", name: "context" });
    await expect(whole).rejects.toThrow("only the beginning of the text, 13 of its 5,000,000 characters");
    await expect(source.getText("r1", KEY, { of: "example", name: "question" })).rejects.toThrow("is not in this file");
  });
});

test("a search in an embedded report finds every match", async () => {
  const search = (text: string) => source.searchTrials("r1", text, new AbortController().signal);
  expect(await search("YES")).toMatchObject({ matches: [KEY], isCut: false });
  expect(await search("no such text")).toEqual({ matches: [], isCut: false });
});
