import { describe, expect, it } from "vitest";
import { type Effort, type EvalRow, makeRow } from "../core/index.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { RunResult } from "./result.js";

function makeResult(efforts: Readonly<Record<string, Effort>>, others: readonly string[] = []) {
  const systems = [...Object.keys(efforts), ...others];
  const rows = systems.flatMap((system, place) =>
    [1, 2].map((exampleId): EvalRow => {
      const passed = exampleId <= place;
      return makeRow({
        system,
        exampleId,
        scores: { f1: Number(passed) },
        primaryField: "f1",
        outcome: passed ? "pass" : "fail",
        passed,
        costUsd: 0.01 * (place + 1),
        costSource: "priced",
        latency: 2,
        usage: { input: 5, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 10 * place },
      });
    }),
  );
  const config = makeConfig({ systems, scoreField: "f1", ...(systems.length === others.length ? {} : { efforts }) });
  const metrics = standardMetrics(systems.length, 1);
  return new RunResult({ rows, metrics, config, timing: makeTiming(), runDir: null, notes: [] });
}

describe("the figures by effort", () => {
  it("are in the order of the efforts, token budgets last and ascending", () => {
    const efforts: Record<string, Effort> = { "m@8000": 8000, "m@high": "high", "m@1024": 1024, "m@none": "none" };
    const { effortCurves } = makeResult({ ...efforts, "m@max": "max", "m@minimal": "minimal" }, ["m"]);
    expect(effortCurves).toHaveLength(1);
    expect(effortCurves[0]?.points.map(({ effort }) => effort)).toEqual([
      ...[null, "none", "minimal", "high", "max"],
      ...[1024, 8000],
    ]);
  });

  it("have quality, cost per pass, latency and reasoning tokens of each system", () => {
    const result = makeResult({ "m@high": "high", "m@low": "low" });
    expect(result.effortCurves).toMatchObject([
      {
        name: "m",
        quality: "pass_rate",
        points: [
          {
            system: "m@low",
            quality: 0.5,
            costUsd: expect.closeTo(0.02, 12),
            costPerPassUsd: expect.closeTo(0.04, 12),
            latencySeconds: 2,
            reasoningTokens: 10,
          },
          { system: "m@high", quality: 0, costPerPassUsd: null, reasoningTokens: 0 },
        ],
      },
    ]);
    const table = result.toTable();
    expect(table).toContain("## Quality and cost by effort");
    expect(table).toMatch(/\| m +\| low +\| +0\.5 \[[^|]+\| +\$0\.0400 \| +2\.00 s \| +10 \|/);
    // The same figures once.
    expect(table).not.toContain("Reasoning tokens, which are part of the output");
    expect(result.toJSON().effortCurves).toEqual(result.effortCurves);
  });

  it("keep models and prompts apart", () => {
    const names = {
      "a@low": "low",
      "b@low": "low",
      "a@high": "high",
      "a@low+short": "low",
      "a@high+short": "high",
    } as const;
    expect(makeResult(names).effortCurves.map(({ name, points }) => [name, points.length])).toEqual([
      ["a", 2],
      ["a+short", 2],
    ]);
  });

  it("need an effort: a name that only looks like one does not count", () => {
    expect(makeResult({}, ["tool@1", "tool@2"]).effortCurves).toEqual([]);
    expect(makeResult({ "a@low": "low" }, ["b"]).effortCurves).toEqual([]);
  });
});
