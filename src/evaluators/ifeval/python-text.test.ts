import { describe, expect, it } from "vitest";
import {
  countMatches,
  getTrimmedLength,
  isBlankText,
  isLower,
  isSpaceAt,
  isUpper,
  isWordBoundary,
  SPACE,
  splitPythonWords,
  stripCharacter,
  stripEnd,
  stripSpaces,
  stripStart,
  WORD,
} from "./python-text.js";

const SPACES = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000";
const NO_SPACES = "a_0\u200b\ufeff\u180e\u0301";

describe("white space", () => {
  it.each([...SPACES])("includes %j", (space) => {
    expect(isSpaceAt(space, 0)).toBe(true);
    expect(new RegExp(`^[${SPACE}]$`, "u").test(space)).toBe(true);
    expect(stripSpaces(`${space}a b${space}`)).toBe("a b");
    expect(splitPythonWords(`a${space}b`)).toEqual(["a", "b"]);
  });

  it.each([...NO_SPACES])("excludes %j", (character) => {
    expect(isSpaceAt(character, 0)).toBe(false);
    expect(new RegExp(`[${SPACE}]`, "u").test(character)).toBe(false);
    expect(stripSpaces(character)).toBe(character);
  });

  it("makes up a blank text", () => {
    expect(isBlankText(SPACES)).toBe(true);
    expect(isBlankText("")).toBe(true);
    expect(isBlankText("\ufeff")).toBe(false);
    expect(getTrimmedLength(`a${SPACES}`)).toBe(1);
    expect(splitPythonWords(SPACES)).toEqual([]);
  });
});

describe("words", () => {
  const count = (text: string) => countMatches(new RegExp(`[${WORD}]+`, "gu"), text);

  it("are letters, numbers and underscores of all scripts", () => {
    expect(count("naïve café_2 x² Ⅷ 東京 пример")).toBe(6);
  });

  it("end at combining marks, hyphens and apostrophes", () => {
    expect(count("it's")).toBe(2);
    expect(count("well-known")).toBe(2);
    expect(count("cafe\u0301s")).toBe(2);
    expect(count("नमस्ते")).toBe(2);
  });

  it.each([
    ["cat", [0, 3]],
    ["a b", [0, 1, 2, 3]],
    ["_é2", [0, 3]],
    ["e\u0301", [0, 1]],
    ["«x»", [1, 2]],
    ["\u{1d400}.", [0, 2]],
    ["!?", []],
    ["", []],
  ])("have boundaries in %j", (text, places) => {
    expect(
      Array.from({ length: text.length + 1 }, (_, place) => place).filter((at) => isWordBoundary(text, at)),
    ).toEqual(places);
  });
});

describe("case", () => {
  it.each(["A", "A1!", "ÉCOLE", "ⅯⅩ", "Ⓐ", "東京 A"])("%j is upper", (text) => expect(isUpper(text)).toBe(true));
  it.each(["", "1!", "Aa", "ǅ", "東京", "Aª", "ß"])("%j is not upper", (text) => expect(isUpper(text)).toBe(false));
  it.each(["a", "a1!", "école", "ß", "ª"])("%j is lower", (text) => expect(isLower(text)).toBe(true));
  it.each(["", "1!", "aA", "ǅ", "aⅯ"])("%j is not lower", (text) => expect(isLower(text)).toBe(false));
});

it("strips one character from either end, or from one", () => {
  expect(stripCharacter('""a"b""', '"')).toBe('a"b');
  expect(stripStart("<<a<", "<")).toBe("a<");
  expect(stripEnd(">a>>", ">")).toBe(">a");
  expect(stripCharacter('"""', '"')).toBe("");
});
