import type { ErrorCategory } from "../../../../src/core/row.js";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import type { Texture } from "../plot/textures.js";
import type { Picked } from "../props.js";

/** Everything that can go wrong in a trial. */
export type Fault = Exclude<ErrorCategory, "none">;

/** The look of each category is the same in all charts; the record holds them all, or does not compile. */
export const FAULT_LOOKS: Readonly<Record<Fault, { colour: string; texture: Texture }>> = {
  logic_error: { colour: "var(--series-8)", texture: "plain" },
  cost_killed: { colour: "var(--series-2)", texture: "stripes" },
  time_killed: { colour: "var(--series-5)", texture: "dots" },
  refused: { colour: "var(--series-4)", texture: "plain" },
  truncated: { colour: "var(--series-4)", texture: "bars" },
  api_error: { colour: "var(--series-1)", texture: "plain" },
  rate_limit: { colour: "var(--series-1)", texture: "stripes" },
  timeout: { colour: "var(--series-3)", texture: "dots" },
  system_error: { colour: "var(--series-7)", texture: "checks" },
  grader_error: { colour: "var(--series-6)", texture: "bars" },
  skipped: { colour: "var(--series-8)", texture: "dots" },
};

const FAULTS = Object.keys(FAULT_LOOKS) as readonly Fault[];

/** A bar: a run, or a system over some runs. */
export interface FaultBar {
  readonly key: string;
  readonly name: string;
  /** When it began, for a run. */
  readonly createdAt: string | null;
  readonly trials: number;
  readonly counts: Readonly<Partial<Record<Fault, number>>>;
  readonly picked: Picked;
}

/** A bar for each run, oldest first. */
export function barsByRun(runs: readonly RunCard[]): FaultBar[] {
  return [...runs]
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map((run) => ({
      key: run.id,
      name: run.title || run.id,
      createdAt: run.createdAt,
      ...summed(run.systems),
      picked: { run: run.id },
    }));
}

/** A bar for each system, over all of the runs. */
export function barsBySystem(runs: readonly RunCard[]): FaultBar[] {
  const only = runs.length === 1 ? runs[0]?.id : undefined;
  const names = [...new Set(runs.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  return names.map((system) => ({
    key: system,
    name: system,
    createdAt: null,
    ...summed(runs.flatMap(({ systems }) => systems.filter((card) => card.system === system))),
    picked: only === undefined ? { system } : { run: only, system },
  }));
}

function summed(cards: RunCard["systems"]): Pick<FaultBar, "trials" | "counts"> {
  const counts: Partial<Record<Fault, number>> = {};
  let trials = 0;
  for (const { outcomes, categories } of cards) {
    for (const count of Object.values(outcomes)) trials += count;
    for (const fault of FAULTS) {
      const count = categories[fault] ?? 0;
      if (count > 0) counts[fault] = (counts[fault] ?? 0) + count;
    }
  }
  return { trials, counts };
}

/** How often each category occurred in all bars, the most frequent first; those that did not are left out. */
export function topFaults(bars: readonly FaultBar[]): { fault: Fault; count: number }[] {
  return FAULTS.map((fault) => ({ fault, count: bars.reduce((sum, { counts }) => sum + (counts[fault] ?? 0), 0) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
