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
  it("asks once for each distinct text", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 100 });
    expect(["a", "bb", "a", "", "bb", ""].map((text) => memo.count(text))).toEqual([10, 20, 10, 0, 20, 0]);
    expect(inner.asked).toEqual(["a", "bb", ""]);
  });

  it("counts short texts anew where that is quicker, but not one that comes twice in a row", () => {
    const inner = { ...counting(), quickUpTo: 2 };
    const memo = memoTokenizer(inner, { maxChars: 100 });
    const texts = ["", "", "bb", "bb", "a", "bb", "ccc", "a", "ccc"];
    expect(texts.map((text) => memo.count(text))).toEqual([0, 0, 20, 20, 10, 20, 30, 10, 30]);
    expect(inner.asked).toEqual(["", "bb", "a", "bb", "ccc", "a"]);
  });

  it("keeps the name, or its absence", () => {
    expect(memoTokenizer(counting("words"), { maxChars: 10 }).name).toBe("words");
    expect(memoTokenizer(counting(), { maxChars: 10 })).not.toHaveProperty("name");
  });

  it("keeps no more characters than it may", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 8 });
    for (const text of ["aa", "bb", "cc", "dd", "ee"]) memo.count(text);
    inner.asked.length = 0;
    for (const text of ["ee", "dd", "cc", "bb", "aa"]) memo.count(text);
    expect(inner.asked).toEqual(["bb", "aa"]);
  });

  it("keeps no more texts than it may", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 1000, maxEntries: 4 });
    for (const text of ["a", "b", "c", "d", "e"]) memo.count(text);
    inner.asked.length = 0;
    for (const text of ["e", "d", "c", "b", "a"]) memo.count(text);
    expect(inner.asked).toEqual(["b", "a"]);
  });

  it("keeps what is used again while the rest is dropped", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 1000, maxEntries: 4 });
    for (const text of ["hot", "a", "hot", "b", "hot", "c", "hot", "d", "hot", "e", "hot"]) memo.count(text);
    expect(inner.asked.filter((text) => text === "hot")).toHaveLength(1);
  });

  it("counts a text too long to keep every time, and drops nothing for it", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 10 });
    for (const text of ["abc", "x".repeat(6), "x".repeat(6), "abc"]) expect(memo.count(text)).toBe(text.length * 10);
    expect(inner.asked).toEqual(["abc", "xxxxxx", "xxxxxx"]);
  });

  it("passes everything on when it may keep nothing", () => {
    const inner = counting();
    const memo = memoTokenizer(inner, { maxChars: 0, maxEntries: 0 });
    expect([memo.count("a"), memo.count("a"), memo.count("")]).toEqual([10, 10, 0]);
    expect(inner.asked).toHaveLength(3);
  });
});
