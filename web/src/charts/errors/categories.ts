import type { ErrorCategory } from "../../../../src/core/row.js";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import type { Texture } from "../plot/textures.js";
import type { ChartSelection } from "../props.js";

/** Everything that can go wrong in a trial. */
export type FailureCategory = Exclude<ErrorCategory, "none">;

/** The look of each category is the same in all charts; the record holds them all, or does not compile. */
export const CATEGORY_LOOKS: Readonly<Record<FailureCategory, { color: string; texture: Texture }>> = {
  logic_error: { color: "var(--series-8)", texture: "plain" },
  cost_killed: { color: "var(--series-2)", texture: "stripes" },
  time_killed: { color: "var(--series-5)", texture: "dots" },
  refused: { color: "var(--series-4)", texture: "plain" },
  truncated: { color: "var(--series-4)", texture: "bars" },
  api_error: { color: "var(--series-1)", texture: "plain" },
  rate_limit: { color: "var(--series-1)", texture: "stripes" },
  timeout: { color: "var(--series-3)", texture: "dots" },
  system_error: { color: "var(--series-7)", texture: "checks" },
  grader_error: { color: "var(--series-6)", texture: "bars" },
  skipped: { color: "var(--series-8)", texture: "dots" },
};

const FAILURE_CATEGORIES = Object.keys(CATEGORY_LOOKS) as readonly FailureCategory[];

/** A bar: a run, or a system over some runs. */
export interface CategoryBar {
  readonly key: string;
  readonly name: string;
  /** When it began, for a run. */
  readonly createdAt: string | null;
  readonly trials: number;
  readonly counts: Readonly<Partial<Record<FailureCategory, number>>>;
  readonly selection: ChartSelection;
}

/** A bar for each run, oldest first. */
export function buildBarsByRun(runs: readonly RunCard[]): CategoryBar[] {
  return [...runs]
    .sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
    .map((run) => ({
      key: run.id,
      name: run.title || run.id,
      createdAt: run.createdAt,
      ...sumCategories(run.systems),
      selection: { run: run.id },
    }));
}

/** A bar for each system, over all of the runs. */
export function buildBarsBySystem(runs: readonly RunCard[]): CategoryBar[] {
  const only = runs.length === 1 ? runs[0]?.id : undefined;
  const names = [...new Set(runs.flatMap(({ systems }) => systems.map(({ system }) => system)))];
  return names.map((system) => ({
    key: system,
    name: system,
    createdAt: null,
    ...sumCategories(runs.flatMap(({ systems }) => systems.filter((card) => card.system === system))),
    selection: only === undefined ? { system } : { run: only, system },
  }));
}

function sumCategories(cards: RunCard["systems"]): Pick<CategoryBar, "trials" | "counts"> {
  const counts: Partial<Record<FailureCategory, number>> = {};
  let trials = 0;
  for (const { outcomes, categories } of cards) {
    for (const count of Object.values(outcomes)) trials += count;
    for (const category of FAILURE_CATEGORIES) {
      const count = categories[category] ?? 0;
      if (count > 0) counts[category] = (counts[category] ?? 0) + count;
    }
  }
  return { trials, counts };
}

/** How often each category occurred in all bars, the most frequent first; those that did not are left out. */
export function rankCategories(bars: readonly CategoryBar[]): { category: FailureCategory; count: number }[] {
  return FAILURE_CATEGORIES.map((category) => ({
    category,
    count: bars.reduce((sum, { counts }) => sum + (counts[category] ?? 0), 0),
  }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count);
}
