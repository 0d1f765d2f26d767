import { describe, expect, it } from "vitest";
import { countPromptTokens, listCallUsages } from "./price.js";

const call = (input: number, output: number) => ({ input, output });

describe("countPromptTokens", () => {
  it("includes cache reads and writes", () => {
    expect(countPromptTokens({ input: 5, output: 100, cacheRead: 7, cacheWrite: 11, cacheWrite1h: 3 })).toBe(23);
    expect(countPromptTokens(call(5, 100))).toBe(5);
  });
});

describe("listCallUsages", () => {
  const total = call(150, 30);

  it("returns every call if all are known", () => {
    const turnUsage = [call(50, 10), null, call(100, 20)];
    expect(listCallUsages({ metadata: { turnUsage } }, total)).toEqual([call(50, 10), call(100, 20)]);
  });

  it("returns only the total if a call is missing or was not counted", () => {
    for (const metadata of [null, {}, { turnUsage: "no list" }, { turnUsage: [call(50, 10)] }])
      expect(listCallUsages({ metadata }, total)).toEqual([total]);
  });
});
