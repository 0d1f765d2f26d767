import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { findLastObject } from "./objects-in-text.js";

const hasScore = (fields: Readonly<Record<string, unknown>>) => "score" in fields;

describe("findLastObject", () => {
  it.each([
    ["the whole text", '{"score": 4}', 4],
    ["a fence", 'Here it is:\n```json\n{\n  "reasoning": "ok",\n  "score": 4\n}\n```\n', 4],
    ["the last of several", '{"score": 1} or {"score": 2}, no: {"score": 3}.', 3],
    ["the outermost of nested ones", '{"score": 5, "parts": {"score": 1}}', 5],
    ["one inside another that does not fit", '{"verdict": {"score": 2}}', 2],
    ["one before others that do not fit", '{"score": 3} {"other": 1} {}', 3],
    ["braces inside texts", '{"reasoning": "a } and a { and a \\" too", "score": 4}', 4],
    ["braces and quotes left open in prose", 'A set {1, 2 and a "quote\nthen {"score": 2}', 2],
    ["thoughts before it", '<think>{"score": 9} maybe {</think>\n{"score": 1}', 1],
  ])("finds %s", (_, text, score) => {
    expect(findLastObject(text, hasScore)).toMatchObject({ score });
  });

  it.each(["", "4", '"score"', "[1]", "null", '{"score": }', '{"points": 4}', "{score: 4}"])(
    "finds none in %j",
    (text) => {
      expect(findLastObject(text, hasScore)).toBeNull();
    },
  );

  it("finds any object again, whatever text is on the lines before and after it", () => {
    const object = fc.record({
      score: fc.integer(),
      reasoning: fc.string(),
      more: fc.dictionary(fc.string(), fc.string()),
    });
    const prose = fc.string().map((text) => text.replace(/[{}]/g, ""));
    fc.assert(
      fc.property(object, prose, prose, (fields, before, after) => {
        const found = findLastObject(`${before}\n${JSON.stringify(fields)}\n${after}`, hasScore);
        expect(found).toEqual(JSON.parse(JSON.stringify(fields)));
      }),
    );
  });

  it.each([
    ["{", "{"],
    ["}", "}"],
    ['{"', '{"'],
    ['{"a":', '{"a":'],
    ["{} ", "{} "],
    ["\\", "\\"],
    ['"', '"'],
    ["a", "a"],
  ])("is fast for a megabyte of %j", (_, piece) => {
    const text = piece.repeat(Math.ceil(1e6 / piece.length));
    const cpuMs = startCpuTimer();
    findLastObject(text, hasScore);
    findLastObject(`${text}${"}".repeat(1e5)}`, hasScore);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
