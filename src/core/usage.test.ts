import { describe, expect, it } from "vitest";
import { promptOf, usagesOf } from "./usage.js";

const call = (input: number, output: number) => ({ input, output });

describe("promptOf", () => {
  it("counts what was read from the cache and written to it", () => {
    expect(promptOf({ input: 5, output: 100, cacheRead: 7, cacheWrite: 11, cacheWrite1h: 3 })).toBe(23);
    expect(promptOf(call(5, 100))).toBe(5);
  });
});

describe("usagesOf", () => {
  const total = call(150, 30);

  it("has every call where all of them are known", () => {
    const turnUsage = [call(50, 10), null, call(100, 20)];
    expect(usagesOf({ metadata: { turnUsage } }, total)).toEqual([call(50, 10), call(100, 20)]);
  });

  it("has the total alone where a call is missing, or nobody counted", () => {
    for (const metadata of [null, {}, { turnUsage: "no list" }, { turnUsage: [call(50, 10)] }])
      expect(usagesOf({ metadata }, total)).toEqual([total]);
  });
});
