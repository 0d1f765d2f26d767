import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { OVERSPENDING_TASK, UNSOLVED_TASK } from "../agents/tasks/index.js";
import type { EvalRow } from "../core/row.js";
import { describeUnsolved, executeDemoAgents } from "./demo-agents.js";

let runsDir: string;
let printed: { stdout: string; stderr: string };

beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "assay-demo-"));
  printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    vi.spyOn(process[name], "write").mockImplementation((text) => {
      printed[name] += String(text);
      return true;
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
  rmSync(runsDir, { recursive: true, force: true });
});

interface Report {
  rows: readonly EvalRow[];
}

it("lets the tiny agent solve all tasks but one, and stops it when it keeps talking", {
  timeout: 120_000,
}, async () => {
  const code = await executeDemoAgents({ output: "json", runsDir, seed: 0, agents: [] });
  expect(code).toBe(0);
  const { rows } = JSON.parse(printed.stdout) as Report;
  const by = new Map(rows.map((row) => [row.exampleId, row]));
  expect(by.size).toBe(8);
  expect(rows.filter(({ outcome }) => outcome !== "pass").map(({ exampleId }) => exampleId)).toEqual([UNSOLVED_TASK]);

  const killed = rows.filter(({ errorCategory }) => errorCategory === "cost_killed");
  expect(killed).toMatchObject([{ exampleId: OVERSPENDING_TASK, outcome: "pass" }]);
  expect(killed[0]?.costKilledAt).toBeGreaterThan(0.05);

  // It continues after it is done: success comes before the end.
  const { successAtMs = null, durationMs = null } = by.get("add-flag") ?? {};
  expect(successAtMs).toBeGreaterThan(0);
  expect((durationMs ?? 0) - (successAtMs ?? 0)).toBeGreaterThan(500);

  for (const { costUsd, costSource, turns } of rows) {
    expect(costSource).not.toBe("unknown");
    expect(costUsd).toBeGreaterThan(0);
    expect(turns).toBeGreaterThan(0);
  }
  expect(readdirSync(runsDir)).toHaveLength(1);
  expect(printed.stderr).toContain("8 tasks with tiny-agent.");
  expect(printed.stderr).toMatch(/assay show \S+ add-flag --system tiny-agent/);
});

it("rejects an unknown agent", async () => {
  await expect(executeDemoAgents({ output: "table", runsDir, seed: 0, agents: ["clade"] })).rejects.toThrow(
    'Did you mean "claude"',
  );
});

it("explains only the task that the script gives up", () => {
  const rows = (...passed: [id: string, passed: boolean | null][]) =>
    passed.map(([exampleId, isDone]) => ({ exampleId, passed: isDone }));
  expect(describeUnsolved(rows([UNSOLVED_TASK, false], ["a", true], ["a", false]), UNSOLVED_TASK)).toEqual([
    `No agent solved ${UNSOLVED_TASK}: the scripted model gives up on it.`,
  ]);
  expect(describeUnsolved(rows(["a", null], [UNSOLVED_TASK, false], ["b", false]), UNSOLVED_TASK)).toEqual([
    "No agent solved a, b.",
    `No agent solved ${UNSOLVED_TASK}: the scripted model gives up on it.`,
  ]);
  expect(describeUnsolved(rows(["a", null], [UNSOLVED_TASK, true]), UNSOLVED_TASK)).toEqual(["No agent solved a."]);
});
