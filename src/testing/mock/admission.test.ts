import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Admission } from "./behavior.js";

describe("Admission", () => {
  it("admits no more than the bucket and its refill", () => {
    const waits = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 200 });
    fc.assert(
      fc.property(
        waits,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 10, max: 200 }),
        (gaps, requests, perMs) => {
          let now = 0;
          const admission = new Admission({ rateLimit: { requests, perMs } }, () => now);
          let admitted = 0;
          for (const gap of gaps) {
            now += gap;
            if (admission.enter() === null) admitted += 1;
          }
          expect(admitted).toBeLessThanOrEqual(requests + (now * requests) / perMs + 1e-6);
          expect(admitted).toBeGreaterThanOrEqual(Math.min(gaps.length, requests));
        },
      ),
    );
  });

  it("admits a request again after the time it announced", () => {
    let now = 0;
    const admission = new Admission({ rateLimit: { requests: 2, perMs: 10_000 } }, () => now);
    expect([admission.enter(), admission.enter()]).toEqual([null, null]);
    expect(admission.enter()).toEqual({ by: "rateLimit", retryAfter: 5 });
    now += 5000;
    expect(admission.enter()).toBeNull();
    expect(admission.enter()).not.toBeNull();
  });

  it("reports the configured retry time", () => {
    const limit = { requests: 1, perMs: 10_000, retryAfter: "http-date" } as const;
    const admission = new Admission({ rateLimit: limit }, () => 0);
    admission.enter();
    expect(admission.enter()).toEqual({ by: "rateLimit", retryAfter: "http-date" });
  });

  it("limits open requests, and takes nothing from the bucket for rejected ones", () => {
    const admission = new Admission({ maxConcurrent: 1, rateLimit: { requests: 2, perMs: 1e9 } }, () => 0);
    expect(admission.enter()).toBeNull();
    expect(admission.enter()).toEqual({ by: "maxConcurrent", retryAfter: null });
    admission.release();
    expect(admission.enter()).toBeNull();
  });
});
