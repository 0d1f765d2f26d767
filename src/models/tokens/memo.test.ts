import { describe, expect, it } from "vitest";
import { memoTokenizer, type Tokenizer } from "./index.js";

function counting(name?: string): Tokenizer & { readonly asked: string[] } {
  const asked: string[] = [];
  const count = (text: string) => {
    asked.push(text);
    return text.length * 10;
  };
  return name === undefined ? { asked, count } : { name, asked, count };
}

describe("memoTokenizer", () => {
  it("counts each distinct text once", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 100 });
    expect(["a", "bb", "a", "", "bb", ""].map((text) => memo.count(text))).toEqual([10, 20, 10, 0, 20, 0]);
    expect(inner.asked).toEqual(["a", "bb", ""]);
  });

  it("keeps the name, or its absence", () => {
    expect(memoTokenizer(counting("words"), { maxChars: 10 }).name).toBe("words");
    expect(memoTokenizer(counting(), { maxChars: 10 })).not.toHaveProperty("name");
  });

  it("counts long texts in pieces if supported", () => {
    const inner = { ...counting(), countPieces: (text: string) => [text.length, 1] };
    expect(memoTokenizer(inner, { maxChars: 10 }).countPieces?.("abc")).toEqual([3, 1]);
    expect(memoTokenizer(counting(), { maxChars: 10 })).not.toHaveProperty("countPieces");
  });

  it("limits the characters it keeps", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 8 });
    for (const text of ["aa", "bb", "cc", "dd", "ee"]) memo.count(text);
    inner.asked.length = 0;
    for (const text of ["ee", "dd", "ee", "dd"]) memo.count(text);
    expect(inner.asked).toEqual(["dd"]);
  });

  it("limits the number of texts it keeps", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 1000, maxEntries: 4 });
    for (const text of ["a", "b", "c", "d", "e"]) memo.count(text);
    inner.asked.length = 0;
    for (const text of ["e", "d", "e", "d"]) memo.count(text);
    expect(inner.asked).toEqual(["d"]);
  });

  it("counts a text too long to keep every time, and keeps the others", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 5 });
    for (const text of ["abc", "x".repeat(6), "x".repeat(6), "abc"]) expect(memo.count(text)).toBe(text.length * 10);
    expect(inner.asked).toEqual(["abc", "xxxxxx", "xxxxxx"]);
  });

  it("caches nothing if its limit is 0", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 0, maxEntries: 0 });
    expect([memo.count("a"), memo.count("a"), memo.count("")]).toEqual([10, 10, 0]);
    expect(inner.asked).toHaveLength(3);
  });
});
