import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesTags, parseTags } from "./tags.js";

const TAGS = { area: "js", tier: "smoke,nightly", slow: "true", quick: "false" };

describe("matchesTags", () => {
  it.each([
    [[], true],
    [["area=js"], true],
    [["area=ts"], false],
    [["!area=js"], false],
    [["!area=ts"], true],
    [["slow"], true],
    [["!slow"], false],
    [["quick"], false],
    [["gone"], false],
    [["!gone"], true],
    [["gone=1"], false],
    [["area=js", "!slow"], false],
    [["area=ts,js"], true],
    [["area=ts,go"], false],
    [["!area=ts,js"], false],
    [["!area=ts,go"], true],
    [["gone,area=js"], true],
    [["area=ts,tier=nightly"], true],
    [["!slow,!quick"], true],
    [["tier=smoke"], true],
    [["tier=smoke,nightly"], true],
    [["constructor"], false],
  ])("%j: %s", (filters, expected) => {
    expect(matchesTags(TAGS, filters)).toBe(expected);
  });

  it("rejects a filter that names no tag", () => {
    expect(() => matchesTags(TAGS, ["=js"])).toThrow("names no tag");
    expect(() => matchesTags(TAGS, ["!"])).toThrow("names no tag");
  });

  it("is negated by an exclamation mark", () => {
    const word = fc.stringMatching(/^[a-z]{1,3}$/);
    fc.assert(
      fc.property(fc.dictionary(word, word), word, fc.option(word, { nil: undefined }), (tags, name, value) => {
        const filter = value === undefined ? name : `${name}=${value}`;
        expect(matchesTags(tags, [`!${filter}`])).toBe(!matchesTags(tags, [filter]));
      }),
    );
  });
});

it("reads tags in all their forms", () => {
  expect(parseTags(undefined)).toEqual({});
  expect(parseTags(["slow"])).toEqual({ slow: "true" });
  expect(parseTags({ a: 1, b: true, c: ["x", 2] })).toEqual({ a: "1", b: "true", c: "x,2" });
});
