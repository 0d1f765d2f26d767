import { afterAll, describe, expect, it } from "vitest";
import type { PrintedReport } from "../../src/testing/run-assay.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { type Bill, computeBill } from "./bill.js";
import { type ChaosOutcome, playScenario } from "./harness.js";
import { KILLS, SCENARIOS, type Scenario, TRIAL_LIMIT_USD } from "./scenarios.js";

const CENT = 0.01;
/** Generous, so that no busy machine reaches it. */
const LIMIT_MS = 120_000 + 20_000 * KILLS;

describe(`${KILLS} × kill -9`, () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    "of %s",
    { timeout: LIMIT_MS },
    async (_, scenario) => {
      if (scenario.workers !== undefined && isCommandMissing("redis-server")) return;
      const whole = await playWhole(scenario);
      const maxCostUsd = scenario.budget * computeBill(whole.requests, () => true).neededUsd;
      const killed = await playScenario(scenario, KILLS, maxCostUsd);
      const bill = computeBill(killed.requests, ranIn(killed.report));
      figures.push(figuresOf(scenario, killed, bill));

      expect(countRows(killed)).toEqual({ lost: 0, duplicated: 0 });
      expectSameReport(killed.report, whole.report, scenario);
      // A trial in flight loses its calls since the last stored output, whether answered or interrupted.
      expect(bill.answeredTwice + bill.cut).toBeLessThanOrEqual(killed.inFlight * scenario.callsAtStake);

      const { spentUsd, trialsUsd, ungradedUsd, repeatedUsd, unknownUsd, lostUsd } = killed.report.budget;
      const reservation = Math.max(TRIAL_LIMIT_USD, ...killed.lines.map(({ usd = 0 }) => usd));
      expect(bill.billedUsd).toBeLessThanOrEqual(maxCostUsd + scenario.slots * reservation);
      expect(trialsUsd + ungradedUsd + repeatedUsd + unknownUsd + lostUsd).toBeCloseTo(spentUsd, 9);
      // Recorded costs match what the endpoint billed. All other billed costs are reported as lost or paid twice.
      expect(Math.abs(trialsUsd + unknownUsd - bill.neededUsd)).toBeLessThan(CENT);
      expect(repeatedUsd).toBeLessThan(bill.billedUsd - bill.neededUsd + CENT);
      expect(bill.billedUsd).toBeLessThan(spentUsd + CENT);
    },
  );
});

const played = new Map<string, Promise<ChaosOutcome>>();

/** Plays a scenario without kills and with enough budget; once for scenarios that differ in nothing else. */
function playWhole(scenario: Scenario): Promise<ChaosOutcome> {
  const key = scenario.args.join(" ");
  const whole = played.get(key) ?? playScenario(scenario, 0, 1000);
  played.set(key, whole);
  return whole;
}

function wasRun({ outcome }: PrintedReport["rows"][number]): boolean {
  return outcome !== "skipped";
}

/** True if the trial of an example was run: the budget may have stopped the run before it. */
function ranIn({ rows }: PrintedReport): (id: string) => boolean {
  const skipped = new Set(rows.filter((row) => !wasRun(row)).map(({ exampleId }) => exampleId));
  return (id) => !skipped.has(id);
}

/** How many trials of the report are missing in the journal, and how many are there twice. */
function countRows({ lines, report }: ChaosOutcome): { lost: number; duplicated: number } {
  const rows = lines.filter(({ kind, outcome }) => kind === undefined && outcome !== "skipped");
  const distinct = new Set(rows.map(({ exampleId, trial }) => `${exampleId} ${trial}`)).size;
  return { lost: report.rows.filter(wasRun).length - distinct, duplicated: rows.length - distinct };
}

/**
 * The same rows and summary except for times: verdicts, scores, tokens, costs, attempts, notes and metadata. For a run
 * stopped by its budget, only the rows that were run.
 */
function expectSameReport(killed: PrintedReport, whole: PrintedReport, { budget, examples }: Scenario): void {
  expect(killed.rows).toHaveLength(examples);
  const ran = killed.rows.filter(wasRun);
  const keys = new Set(ran.map(keyOf));
  expect(ran.map(withoutTimes)).toEqual(whole.rows.filter((row) => keys.has(keyOf(row))).map(withoutTimes));
  if (budget < 1) expect(killed.notes.some((note) => note.startsWith("budget stopped"))).toBe(true);
  else expect(withoutTimes(killed.summary)).toEqual(withoutTimes(whole.summary));
}

function keyOf({ system, exampleId, trial }: PrintedReport["rows"][number]): string {
  return `${system} ${exampleId} ${trial}`;
}

const TIMES = /latency|duration|seconds|time|speed|ttft|tokens_?per_?sec|efficiency$|Ms$/i;

function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => !TIMES.test(key));
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutTimes(item)]));
}

const COLUMNS = [
  ...["scenario", "kills", "trials", "lost", "duplicated", "calls", "cut", "answered twice", "max in flight"],
  ...["budget", "billed", "receipt", "of which lost"],
];

const figures: string[][] = [];
afterAll(() => {
  const lines = [COLUMNS, COLUMNS.map(() => "---"), ...figures].map((cells) => `| ${cells.join(" | ")} |`);
  console.log(`\n${lines.join("\n")}\n`);
});

function figuresOf({ name, examples }: Scenario, killed: ChaosOutcome, bill: Bill): string[] {
  const { lost, duplicated } = countRows(killed);
  const { maxCostUsd, spentUsd, lostUsd } = killed.report.budget;
  const counts = [killed.kills, examples, lost, duplicated, bill.calls, bill.cut, bill.answeredTwice, killed.inFlight];
  const dollars = [maxCostUsd, bill.billedUsd, spentUsd, lostUsd].map((usd) => `$${usd.toFixed(2)}`);
  return [name, ...counts.map(String), ...dollars];
}
