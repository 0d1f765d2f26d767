import { describe, expect, it } from "vitest";
import { SystemTimer } from "./system-timer.js";

describe("SystemTimer", () => {
  it("measures from the first start to the last end of each system", () => {
    let now = 1000;
    const times = new SystemTimer(() => now);
    const at = (ms: number, step: () => void) => {
      now = 1000 + ms;
      step();
    };
    at(500, () => times.start("a"));
    at(600, () => times.start("a"));
    at(700, () => times.start("b"));
    at(900, () => times.end("a"));
    at(2500, () => times.end("a"));
    at(3000, () => times.end("elsewhere"));
    at(4000, () => times.start("never over"));
    expect(times.secondsBySystem()).toEqual({ a: 2, elsewhere: 3 });
    at(5000, () => times.end("b"));
    expect(times.secondsBySystem()).toMatchObject({ b: 4.3 });
    expect(times.elapsedSeconds()).toBe(5);
  });
});
