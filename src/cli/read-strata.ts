import { didYouMean, type EvalConfig, type EvalRow, type StratifiedFigures, UsageError } from "../core/index.js";
import {
  type AdjustedPair,
  type AdjustedRun,
  listStrata,
  readStrata,
  stratifyDifference,
  stratifyRun,
} from "../metrics/index.js";

/** The figures of a run with the mix of a facet held fixed. */
export function stratifyStoredRun(run: AdjustedRun, facet: string): StratifiedFigures {
  return { facet, systems: stratifyRun(run, requireStrata(run.rows, run.config, facet)) };
}

/** The differences of pairs of systems likewise. */
export function stratifyPairs(pairs: readonly AdjustedPair[], facet: string): StratifiedFigures {
  return {
    facet,
    systems: pairs.flatMap((pair) =>
      stratifyDifference(pair, requireStrata([...pair.a.rows, ...pair.b.rows], pair.b.config, facet)),
    ),
  };
}

function requireStrata(rows: readonly EvalRow[], { until }: EvalConfig, facet: string) {
  if (until !== undefined)
    throw new UsageError("The run has --until, and --strata is for runs of a fixed number of tasks. Remove --strata.");
  const strata = readStrata(rows, facet);
  if (strata !== null) return strata;
  const known = listStrata(rows);
  throw new UsageError(
    `No task has the facet "${facet}".${known.length === 0 ? " The rows have no facets: see facets of a dataset in docs/guides/datasets.md." : didYouMean(facet, known)}`,
  );
}
