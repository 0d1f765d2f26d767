import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { compareRows, type RunComparison } from "../metrics/compare/index.js";
import {
  buildCompareReport,
  describeDrops,
  describeRegressions,
  renderCompareJunit,
  renderCompareMarkdown,
  renderCompareText,
} from "./compare.js";
import { formatDifference, formatPValue } from "./compare-cells.js";
import { summarizeTests } from "./compare-verdict.js";

interface Side {
  tasks: number;
  passes: number;
  costUsd?: number;
  from?: number;
}

function rows({ tasks, passes, costUsd, from = 0 }: Side): EvalRow[] {
  return Array.from({ length: tasks }, (_, i) =>
    makeRow({
      system: "agent",
      exampleId: `task-${i + from}`,
      dataset: "fixes",
      outcome: i < passes ? "pass" : "fail",
      scores: { em: Number(i < passes) },
      primaryField: "em",
      ...(costUsd === undefined ? {} : { costUsd: costUsd * (1 + (i % 2) / 10) }),
    }),
  );
}

function compared(a: Side, b: Side): RunComparison {
  const comparison = compareRows(rows(a), rows(b), { metrics: ["pass_rate", "mean_cost_usd"] });
  const name = (run: string) => ({ run: `/runs/${run}`, title: run });
  return { a: name("before"), b: name("after"), level: 0.95, comparisons: [comparison], notes: ["a word on both"] };
}

const WORSE = compared({ tasks: 40, passes: 30, costUsd: 0.02 }, { tasks: 40, passes: 15, costUsd: 0.01 });

describe("summarizeTests", () => {
  it("says once for all systems how p-values are computed", () => {
    const sentences = summarizeTests([...WORSE.comparisons, ...WORSE.comparisons]);
    expect(sentences[0]).toMatch(/^Differences are compared task by task, by .*test/);
    expect(sentences[1]).toMatch(/^Adjusted p-values have a Holm correction for 2 comparisons/);
    expect(sentences).toHaveLength(2);
    expect(summarizeTests([])).toEqual([]);
  });
});

describe("renderCompareText", () => {
  it("shows each metric with its difference, interval, p-values and change", () => {
    const text = renderCompareText(WORSE);
    expect(text).toContain("# before → after\n\n## A: agent, B: agent\n\nB is worse than A.");
    expect(text).toMatch(
      /\| pass_rate +\| +0\.75 +\| +0\.375 +\| +-0\.375 \[-0\.532, -0\.218\] +\| <0\.001 +\| +<0\.001 +\| worse +\| +40 \|/,
    );
    expect(text).toMatch(
      /\| mean_cost_usd +\| +\$0\.0210 +\| +\$0\.0105 +\| +-\$0\.0105 \[-\$0\.0107, -\$0\.0103\] .*better/,
    );
    expect(text).toContain("- 40 tasks paired (40 trials of A, 40 of B), 0 only in A, 0 only in B");
    expect(text).toContain("with Holm correction for 2 comparisons");
    expect(text).toMatch(/- pass_rate: minimum detectable difference 0\.21\d at 80 % power/);
    expect(text).toContain("- a word on both");
  });

  it("lists the first ten changed tasks and the number of others", () => {
    const text = renderCompareText(WORSE);
    expect(text).toContain("Passed in A, fails in B: 15\n\n- task-15: 1/1 → 0/1\n");
    expect(text.match(/1\/1 → 0\/1/g)).toHaveLength(10);
    expect(text).toContain("- and 5 more, all listed by --output json");
  });

  it("lists unpaired tasks, and reports when there is nothing to compare", () => {
    const text = renderCompareText(compared({ tasks: 2, passes: 2 }, { tasks: 2, passes: 2, from: 2 }));
    expect(text).toContain("Nothing to compare: no task was scored in both.");
    expect(text).toContain("Not paired: 4\n\n- task-0: not in B\n");
    expect(text).toMatch(/\| pass_rate .*\| no task has it on both sides \| +0 \|/);
    expect(text).not.toMatch(/NaN|undefined|null/);
  });

  it("prints no control characters", () => {
    const hostile = rows({ tasks: 1, passes: 1 }).map((row) => makeRow({ ...row, exampleId: "\u001b[2J\nx" }));
    const comparison = compareRows(hostile, []);
    expect(renderCompareText({ ...WORSE, comparisons: [comparison] })).toContain("\ufffd[2J x: not in B");
  });
});

describe("renderCompareMarkdown", () => {
  const gate = { gate: "--max-drop 0.1", system: "agent", failures: [], warning: null, remarks: [] };
  const fine = { gates: [gate], verdict: { exitCode: 0, words: "no regression found" } };

  it("begins with the marker, the verdict and each gate", () => {
    expect(renderCompareMarkdown(WORSE, fine)).toMatch(
      /^<!-- assay:after -->\n\n### ✅ after: no regression found\n\nA: before, B: after\n\n- ✅ agent: --max-drop 0\.1\n\n## A/,
    );
    const blind = { gates: [{ ...gate, warning: "nothing was checked" }], verdict: { exitCode: 3, words: "blind" } };
    expect(renderCompareMarkdown(WORSE, blind)).toMatch(/### ❌ after: blind\n\n.*\n\n- ⚠️ nothing was checked\n/);
    const none = { gates: [], verdict: { exitCode: 0, words: "no gates" } };
    expect(renderCompareMarkdown(WORSE, none)).toContain("### ⚪ after: no gates\n");
  });

  it("folds lists, and names are text", () => {
    const odd = rows({ tasks: 1, passes: 1 }).map((row) => makeRow({ ...row, exampleId: "<b> @me ![x](y)" }));
    const text = renderCompareMarkdown({ ...WORSE, comparisons: [compareRows(odd, [])] }, fine);
    expect(text).toContain(
      "<details>\n<summary>Not paired: 1</summary>\n\n- &lt;b&gt; @\u200bme ![x&#93;(y): not in B\n\n</details>",
    );
  });
});

describe("renderCompareJunit", () => {
  it("has a case for each gate, and an error for an exit code without a failed gate", () => {
    const gate = { gate: "--max-drop 0.1", system: "a<b", failures: ["dropped"], warning: null, remarks: [] };
    const failed = renderCompareJunit(WORSE, { gates: [gate], verdict: { exitCode: 1, words: "1 of 1 gate failed" } });
    expect(failed).toContain('tests="1" failures="1" errors="0"');
    expect(failed).toContain('name="a&lt;b: --max-drop 0.1: dropped"');
    const empty = renderCompareJunit(WORSE, { gates: [], verdict: { exitCode: 3, words: "no task" } });
    expect(empty).toContain('<error type="exit" message="no task"/>');
  });
});

describe("buildCompareReport", () => {
  it("has complete lists, the lift and the regressions as valid JSON", () => {
    const report = buildCompareReport(WORSE);
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(report).toMatchObject({ schema: "assay.comparison/1", level: 0.95, a: { run: "/runs/before" } });
    const [only] = report.comparisons;
    expect(only?.flips.toFail).toHaveLength(15);
    expect(only).toMatchObject({ lift: "worse", regressions: { worse: ["pass_rate"], undetectable: [] } });
    expect(buildCompareReport(WORSE, { minDifference: 0.5 }).comparisons[0]?.regressions.worse).toEqual([]);
  });
});

describe("describeRegressions", () => {
  const words = (a: Side, b: Side, minDifference = 0) => {
    const [gate] = describeRegressions(compared(a, b).comparisons, minDifference);
    if (gate === undefined) throw new Error("nothing compared");
    return gate;
  };

  it("reports what is worse", () => {
    expect(words({ tasks: 40, passes: 30 }, { tasks: 40, passes: 15 })).toEqual({
      failures: ["agent: pass_rate is worse: 0.75 → 0.375, -0.375 (p <0.001)"],
      warning: null,
      remarks: [],
    });
  });

  it("reports insignificant losses and too little power", () => {
    expect(words({ tasks: 4, passes: 4 }, { tasks: 4, passes: 0 })).toEqual({
      failures: [],
      warning:
        "WARNING: --fail-on-regression CHECKED NOTHING for agent: with 4 paired tasks, no loss, however large, would be significant. This is not a pass. Run at least 6 examples, or gate on the plain difference with --max-drop.",
      remarks: ["agent: pass_rate is lower, but not significantly: 1 → 0, -1 (p 0.125)"],
    });
    expect(words({ tasks: 6, passes: 6 }, { tasks: 6, passes: 0 })).toMatchObject({
      failures: [expect.stringContaining("pass_rate is worse")],
      warning: null,
    });
  });

  it("counts groups where tasks share them", () => {
    const grouped = (passes: number) => rows({ tasks: 8, passes }).map((row, i) => makeRow({ ...row, group: i % 2 }));
    const [gate] = describeRegressions([compareRows(grouped(8), grouped(0), { metrics: ["pass_rate"] })], 0);
    expect(gate?.warning).toContain("with paired tasks of 2 groups, no loss");
    expect(gate?.warning).toContain("Run examples of at least 6 groups, or gate");
  });

  it("reports relevant losses that may be missed, and tasks missing in B", () => {
    const { remarks } = words({ tasks: 41, passes: 30 }, { tasks: 40, passes: 28 }, 0.02);
    expect(remarks.join("\n")).toMatch(
      /a loss of 0\.02 may be missed: the minimum detectable difference at 80 % power is 0\.0\d+/,
    );
    expect(remarks).toContain("agent: 1 task of A was not scored in B and not counted");
  });
});

describe("describeDrops", () => {
  const failures = (passes: number, maxDrop: number) =>
    describeDrops(compared({ tasks: 20, passes: 20 }, { tasks: 20, passes }).comparisons, maxDrop)[0]?.failures;

  it("fails by the plain difference, but not at the limit itself", () => {
    expect(failures(19, 0.05)).toEqual([]);
    expect(failures(18, 0.05)).toEqual(["agent: pass_rate dropped by more than 0.05: 1 → 0.9, -0.1"]);
    expect(failures(19, 0)).toEqual(["agent: pass_rate dropped by more than 0: 1 → 0.95, -0.05"]);
    expect(failures(20, 0)).toEqual([]);
    expect(failures(0, 1)).toEqual([]);
  });

  it("is part of the JSON report when a limit is given", () => {
    expect(buildCompareReport(WORSE, { maxDrop: 0.3 }).comparisons[0]?.regressions.dropped).toEqual(["pass_rate"]);
    expect(buildCompareReport(WORSE, { maxDrop: 0.9 }).comparisons[0]?.regressions.dropped).toEqual([]);
    expect(buildCompareReport(WORSE).comparisons[0]?.regressions).not.toHaveProperty("dropped");
  });
});

describe("cells", () => {
  it("formats p-values and signs for people", () => {
    expect([formatPValue(null), formatPValue(0.0004), formatPValue(0.0456), formatPValue(1)]).toEqual([
      "–",
      "<0.001",
      "0.046",
      "1",
    ]);
    const [metric] = compareRows(rows({ tasks: 1, passes: 0 }), rows({ tasks: 1, passes: 1 })).metrics;
    if (metric === undefined) throw new Error("nothing compared");
    expect(formatDifference(metric)).toBe("+1");
    expect(formatDifference({ ...metric, difference: null })).toBe("–");
    expect(formatDifference({ ...metric, difference: 0, low: -0.5, high: 0.5 })).toBe("0 [-0.5, +0.5]");
  });
});
