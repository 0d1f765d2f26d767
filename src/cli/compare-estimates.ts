import { basename } from "node:path";
import type { HistoryAdjustments, LabelCorrections, StratifiedFigures } from "../core/index.js";
import {
  type AdjustedPair,
  type ComparedRun,
  computeComparisonCost,
  type DecisionCost,
  type RunComparison,
} from "../metrics/index.js";
import type { CompareRequest } from "./compare.js";

/** What the comparison cost in dollars, by the rows of the systems that were compared. */
export function computePairCost(
  { comparisons }: RunComparison,
  [a, b]: readonly [ComparedRun, ComparedRun],
  seed: number,
): DecisionCost {
  const select = ({ rows, runDir }: ComparedRun, name: string) => ({
    key: `${runDir}\u0000${name}`,
    rows: rows.filter(({ system }) => system === name),
  });
  const scoreField = a.config.scoreField === b.config.scoreField ? a.config.scoreField : "score";
  return computeComparisonCost(
    comparisons.map((comparison) => ({
      comparison,
      a: select(a, comparison.systemA),
      b: select(b, comparison.systemB),
    })),
    { scoreField, seed },
  );
}

/** The differences of all compared pairs, narrowed by stored runs. */
export async function narrowPairs(
  compared: RunComparison,
  sides: readonly [ComparedRun, ComparedRun],
  { runsDir, useHistory = true }: CompareRequest,
): Promise<HistoryAdjustments> {
  const { adjustStoredPairs } = await import("./read-history.js");
  const runs = sides.map(({ rows, config, runDir }) => ({ rows, config, runDir: runDir ?? "" }));
  return adjustStoredPairs(listPairs(compared, sides), runs, { runsDir, names: useHistory });
}

/** The differences of all compared pairs, with the mix of a facet held fixed. */
export async function stratify(
  compared: RunComparison,
  sides: readonly [ComparedRun, ComparedRun],
  facet: string,
): Promise<StratifiedFigures> {
  return (await import("./read-strata.js")).stratifyPairs(listPairs(compared, sides), facet);
}

function listPairs({ comparisons, level }: RunComparison, [a, b]: readonly [ComparedRun, ComparedRun]): AdjustedPair[] {
  const select = ({ rows, config, runDir }: ComparedRun, name: string) => ({
    config,
    run: basename(runDir ?? ""),
    system: name,
    rows: rows.filter(({ system }) => system === name),
  });
  return comparisons.map(({ systemA, systemB }) => ({
    a: select(a, systemA),
    b: select(b, systemB),
    name: `${systemB} − ${systemA}`,
    level,
  }));
}

/** The differences of all compared pairs, corrected by labels. */
export async function correctPairs(
  { comparisons }: RunComparison,
  [a, b]: readonly [ComparedRun, ComparedRun],
): Promise<LabelCorrections> {
  const { correctComparison } = await import("./read-label-sets.js");
  const select = ({ rows, runDir }: ComparedRun, name: string) => ({
    runDir: runDir ?? "",
    rows: rows.filter(({ system }) => system === name),
  });
  const pairs = comparisons.map(({ systemA, systemB }) => correctComparison(select(a, systemA), select(b, systemB)));
  const systems = pairs.flatMap((pair, i) =>
    pair.systems.map((each) => ({
      ...each,
      system: `${comparisons[i]?.systemB ?? ""} − ${comparisons[i]?.systemA ?? ""}`,
    })),
  );
  return {
    systems,
    halfWidth: pairs[0]?.halfWidth ?? 0,
    notes: [...new Set(pairs.flatMap(({ notes }) => notes))],
  };
}
