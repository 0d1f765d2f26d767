import { ownValue } from "../../core/own-value.js";
import { readSummary } from "../summary-file.js";
import { flatFigures } from "./flat-figures.js";
import type { StoredRun } from "./stored-runs.js";

type Figures = Readonly<Record<string, number | string | null>>;

/** What stands beside a figure, by how its key ends. */
const BESIDE = /^(.+)_(?:ci_low|ci_high|n|groups|reason)$/;

/** The lines of `summary`: one a run, system and figure. Runs that never came to an end have none. */
export function* summaryTable(runs: readonly StoredRun[]): Generator<Record<string, unknown>> {
  for (const { run, dir, manifest } of runs) {
    const stored = readSummary(dir);
    const head = { run, created_at: manifest.createdAt ?? null };
    for (const [system, figures] of Object.entries(stored?.summary ?? {}))
      yield* figureLines(flatFigures(figures), { ...head, system });
    yield* figureLines(stored?.across ?? {}, { ...head, system: null });
  }
}

function* figureLines(figures: Figures, head: Record<string, unknown>): Generator<Record<string, unknown>> {
  const at = (key: string) => ownValue(figures, key) ?? null;
  for (const [metric, value] of Object.entries(figures)) {
    if (isBeside(metric, figures)) continue;
    const n = at(`${metric}_n`);
    yield {
      ...head,
      metric,
      // The mean of no tasks is written down as 0, which would pull down every average over runs.
      value: typeof value === "number" && n !== 0 ? value : null,
      ci_low: at(`${metric}_ci_low`),
      ci_high: at(`${metric}_ci_high`),
      n,
      reason: at(`${metric}_reason`) ?? at(`${metric}_ci_low_reason`) ?? at(`${metric}_ci_high_reason`),
    };
  }
}

/** A metric may end like this itself: it stands beside a figure only where there is that figure. */
function isBeside(key: string, figures: Figures): boolean {
  const base = BESIDE.exec(key)?.[1];
  return base !== undefined && Object.hasOwn(figures, base);
}
