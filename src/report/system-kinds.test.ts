import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { RunResult } from "./result.js";
import { renderTable } from "./table.js";
import { measureColumns } from "./text-block.js";

const USAGE = { input: 900, cacheRead: 0, cacheWrite: 0, output: 30, reasoning: 0 };

/** Trials as a system of each kind leaves them. */
const KINDS = {
  compressor: {},
  model: { usage: USAGE, costUsd: 0.002 },
  agent: { usage: USAGE, costUsd: 0.2, metadata: { agent: "claude" }, turns: 7 },
} satisfies Record<string, Partial<EvalRow>>;

function buildResult(kinds: readonly (keyof typeof KINDS)[]): RunResult {
  const rows = kinds.flatMap((kind) =>
    [0, 1, 2, 3].map((exampleId) => {
      const passed = exampleId > 0;
      const tokens = { inputTokens: 1000, outputTokens: 300, latency: 0.5, durationMs: 500 };
      const outcome = passed ? "pass" : "fail";
      const score = { outcome, passed, scores: { f1: passed ? 1 : 0 }, primaryField: "f1" } as const;
      return makeRow({ system: `my-${kind}`, exampleId, ...score, ...tokens, ...KINDS[kind] });
    }),
  );
  const config = makeConfig({ title: "kinds", systems: kinds.map((kind) => `my-${kind}`), scoreField: "f1" });
  return new RunResult({ rows, metrics: standardMetrics(1, 1), config, timing: makeTiming(), runDir: null, notes: [] });
}

describe("the table by kind of system", () => {
  it.each(["model", "agent"] as const)("has dollars and no tokens for a %s", (kind) => {
    const table = renderTable(buildResult([kind]), { width: 300 });
    expect(table).toContain("cost per pass");
    expect(table).not.toMatch(/compression|cost of pass|tokens in/);
  });

  it("has tokens for compressors, and a dash for the others beside them", () => {
    const table = renderTable(buildResult(["compressor", "model"]), { width: 300 });
    expect(table).toMatch(/my-compressor .*70 %/);
    expect(table).toContain("compression");
    expect(table).toMatch(/my-model .* – /);
  });

  it.each([60, 80, 100, 120, 140, 200])(
    "fits %d columns with all kinds, and --columns all leaves out nothing",
    (width) => {
      const result = buildResult(["compressor", "model", "agent"]);
      for (const columns of [undefined, ["all"]]) {
        const table = renderTable(result, { width, ...(columns === undefined ? {} : { columns }) });
        expect(table.split("\n").filter((line) => measureColumns(line) > width)).toEqual([]);
        for (const title of ["pass rate", "mean", "cost", "latency"]) expect(table).toContain(title);
        if (columns !== undefined) expect(table).not.toContain("Left out");
      }
    },
  );

  it("shows no fewer columns in a wider terminal", () => {
    const result = buildResult(["compressor", "model", "agent"]);
    const countLeftOut = (width: number) => /Left out: ([^.]*)/.exec(renderTable(result, { width }))?.[1]?.length ?? 0;
    const left = [60, 80, 100, 120, 140, 200].map(countLeftOut);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    expect(left[0]).toBeGreaterThan(0);
  });
});
