import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseLatency, createBehaviors } from "./behavior.js";
import { drawRandom, Occurrences } from "./seeded-random.js";

const now = () => 0;

describe("createBehaviors", () => {
  it("overrides only what a model sets", () => {
    const behaviours = createBehaviors({ seed: 3, outputTokens: 5, models: { cheap: { outputTokens: 9 } } }, now);
    expect(behaviours("cheap").script).toEqual({ seed: 3, outputTokens: 9 });
    expect(behaviours("constructor").script).toEqual({ seed: 3, outputTokens: 5 });
  });

  it("shares limits and faults unless a model has its own", () => {
    const behaviours = createBehaviors(
      {
        maxConcurrent: 1,
        faults: [{ kind: 429, first: 1 }],
        models: { same: { latencyMs: 1 }, limited: { maxConcurrent: 2 }, failing: { faults: [{ kind: 500 }] } },
      },
      now,
    );
    const [all, same, limited, failing] = ["other", "same", "limited", "failing"].map((name) => behaviours(name));
    expect([same?.admission === all?.admission, same?.faults === all?.faults]).toEqual([true, true]);
    expect([limited?.admission === all?.admission, limited?.faults === all?.faults]).toEqual([false, true]);
    expect([failing?.admission === all?.admission, failing?.faults === all?.faults]).toEqual([true, false]);
  });

  it("counts the requests of a task only if something is random", () => {
    const counts = (script: object) => createBehaviors(script, now)("m").arrivals !== null;
    expect([counts({}), counts({ latencyMs: 5 }), counts({ faults: [{ kind: 429, first: 1 }] })]).not.toContain(true);
    expect([counts({ latencyMs: { min: 1, max: 2 } }), counts({ faults: [{ kind: 429, rate: 0.1 }] })]).not.toContain(
      false,
    );
  });

  it("counts them for a model that shares faults but has its own latency", () => {
    const script = { faults: [{ kind: 429, rate: 0.5 } as const], models: { m: { latencyMs: 1 } } };
    expect(createBehaviors(script, now)("m").arrivals).not.toBeNull();
  });
});

describe("chooseLatency", () => {
  it("stays in its range, and depends on the seed, the model, the task and its count", () => {
    const range = fc.tuple(fc.nat(500), fc.nat(500));
    fc.assert(
      fc.property(fc.integer(), fc.string(), fc.nat(), range, (seed, task, arrival, [min, width]) => {
        const latencyMs = { min, max: min + width };
        const subject = { model: "m", task, arrival };
        const latency = chooseLatency({ seed, latencyMs }, subject);
        expect(latency).toBeGreaterThanOrEqual(min);
        expect(latency).toBeLessThanOrEqual(min + width);
        expect(chooseLatency({ seed, latencyMs }, { ...subject })).toBe(latency);
      }),
    );
    const wide = { latencyMs: { min: 0, max: 1000 } };
    const found = [0, 1, 2].map((arrival) => chooseLatency(wide, { model: "m", task: "t", arrival }));
    expect(new Set(found).size).toBe(3);
  });
});

describe("drawRandom", () => {
  it("is uniformly distributed", () => {
    const draws = Array.from({ length: 4000 }, (_, at) => drawRandom(1, "success", "m", `Task ${at}`, 0));
    for (const limit of [0.1, 0.5, 0.9]) {
      const share = draws.filter((draw) => draw < limit).length / draws.length;
      expect(Math.abs(share - limit)).toBeLessThan(0.03);
    }
  });
});

describe("Occurrences", () => {
  it("counts each task of each model separately, long ones too", () => {
    const long = "x".repeat(1000);
    const seen = new Occurrences();
    const pairs: [string, string][] = [
      ["a", "t"],
      ["a", "t"],
      ["b", "t"],
      ["a", long],
      ["a", `${long}y`],
      ["a", long],
    ];
    expect(pairs.map(([model, task]) => seen.next(model, task))).toEqual([0, 1, 0, 0, 0, 1]);
  });
});
