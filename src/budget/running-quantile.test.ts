import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantile } from "../stats/index.js";
import { RunningQuantile } from "./running-quantile.js";

describe("RunningQuantile", () => {
  it("matches the exact quantile of all values at every step", () => {
    const values = fc.array(fc.oneof(fc.nat(20), fc.nat(1e12)), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(values, fc.constantFrom(0, 0.5, 0.99, 1), (seen, p) => {
        const running = new RunningQuantile(p);
        for (const [i, value] of seen.entries()) {
          running.add(value);
          expect(running.count).toBe(i + 1);
          expect(running.value).toBe(quantile(seen.slice(0, i + 1), p));
        }
      }),
    );
  });

  it("is NaN without values", () => {
    expect(new RunningQuantile(0.99).value).toBeNaN();
  });
});
