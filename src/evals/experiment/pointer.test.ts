import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  findDifferences,
  formatPointer,
  getAtPointer,
  isAtOrBelow,
  parsePointer,
  removeAtPointer,
  setAtPointer,
} from "./pointer.js";

const key = fc.oneof(fc.string(), fc.constantFrom("a/b", "m~n", "~1", "", "0", "-", "__proto__", "constructor"));
const path = fc.array(key, { maxLength: 5 });
const json = fc.jsonValue({ maxDepth: 4 });

describe("JSON pointers", () => {
  test.each([
    ["", []],
    ["/", [""]],
    ["/a~1b", ["a/b"]],
    ["/m~0n", ["m~n"]],
    ["/~01", ["~1"]],
    ["/stimuli/0/prompt", ["stimuli", "0", "prompt"]],
  ])("parses %j as %j", (pointer, keys) => {
    expect(parsePointer(pointer)).toEqual(keys);
  });

  test.each(["a", "a/b", "/a~2b", "/a~"])("rejects %j", (pointer) => {
    expect(() => parsePointer(pointer)).toThrow(/does not begin with|an invalid ~/);
  });

  test("formats a path that parses back to it", () => {
    fc.assert(
      fc.property(path, (keys) => {
        expect(parsePointer(formatPointer(keys))).toEqual(keys);
      }),
    );
  });

  test("recognizes paths at or below another", () => {
    fc.assert(
      fc.property(path, path, (above, rest) => {
        expect(isAtOrBelow([...above, ...rest], above)).toBe(true);
        expect(isAtOrBelow(above, [...above, "x", ...rest])).toBe(false);
      }),
    );
    expect(isAtOrBelow(["environment2"], ["environment"])).toBe(false);
  });
});

describe("setting values", () => {
  test("sets a value in a mapping without changing the original document", () => {
    fc.assert(
      fc.property(
        fc.array(
          key.filter((k) => k !== "-" && k !== "0"),
          { minLength: 1, maxLength: 4 },
        ),
        json,
        (keys, value) => {
          const document = {};
          const changed = setAtPointer(document, keys, value);
          expect(getAtPointer(changed, keys)).toEqual(value);
          expect(Object.keys(document)).toEqual([]);
          expect(Object.getPrototypeOf(changed)).toBe(Object.prototype);
        },
      ),
    );
  });

  test("changes nothing when the value is the same, and names every difference by its path", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(findDifferences(before, structuredClone(before))).toEqual([]);
        for (const difference of findDifferences(before, after)) {
          expect(getAtPointer(before, difference.path)).toEqual(difference.before);
          expect(getAtPointer(after, difference.path)).toEqual(difference.after);
        }
      }),
    );
  });

  test("sets list entries by index and appends at the end", () => {
    const document = { stimuli: [{ name: "a" }, { name: "b" }] };
    expect(setAtPointer(document, ["stimuli", "1", "name"], "c")).toEqual({ stimuli: [{ name: "a" }, { name: "c" }] });
    expect(setAtPointer(document, ["stimuli", "-"], { name: "c" })).toEqual({
      stimuli: [{ name: "a" }, { name: "b" }, { name: "c" }],
    });
    expect(setAtPointer({}, ["environment", "skills", "0"], "./")).toEqual({ environment: { skills: ["./"] } });
    expect(removeAtPointer(document, ["stimuli", "0"])).toEqual({ stimuli: [{ name: "b" }] });
  });

  test("removes a key, or nothing if it is missing", () => {
    expect(removeAtPointer({ a: { b: 1, c: 2 } }, ["a", "b"])).toEqual({ a: { c: 2 } });
    const document = { a: 1 };
    expect(removeAtPointer(document, ["b", "c"])).toBe(document);
    expect(removeAtPointer(document, ["toString"])).toBe(document);
  });

  test("explains why a path cannot be set", () => {
    expect(() => setAtPointer({ defaults: { model: "x" } }, ["defaults", "model", "y"], 1)).toThrow(
      'leads through "x", which has no keys',
    );
    expect(() => setAtPointer({ stimuli: [1] }, ["stimuli", "3"], 1)).toThrow("entry 3 of a list with 1");
    expect(() => setAtPointer({ stimuli: [1] }, ["stimuli", "first"], 1)).toThrow('names "first" in a list');
  });
});
