import type { EvalConfig, EvalResult } from "../../core/result.js";
import { adjustTogether } from "./adjust.js";
import { chooseSystems } from "./choose-systems.js";
import { compareRows } from "./compare-rows.js";
import { type CompareOptions, type Comparison, DEFAULT_LEVEL } from "./comparison.js";
import { runDifferences } from "./run-differences.js";

/** A run as far as a comparison reads it. */
export type ComparedRun = Pick<EvalResult, "rows" | "config" | "runDir">;

export interface CompareRunsOptions extends Omit<CompareOptions, "keyOf" | "scoreField"> {
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/** Two runs, system by system. */
export interface RunComparison {
  a: RunName;
  b: RunName;
  level: number;
  comparisons: readonly Comparison[];
  /** What holds for all of them, such as that the runs have different thresholds. */
  notes: readonly string[];
}

export interface RunName {
  run: string | null;
  title: string;
}

/**
 * Compares two runs of any kind: the systems that are named, the only ones, or those of the same name.
 * @example
 * const { comparisons } = compareRuns(await loadRun(before), await loadRun(after));
 */
export function compareRuns(a: ComparedRun, b: ComparedRun, options: CompareRunsOptions = {}): RunComparison {
  const { systemA, systemB, ...rest } = options;
  const isSameRun = a === b || (a.runDir !== null && a.runDir === b.runDir);
  const [ofA, ofB] = [a.config.systems, b.config.systems];
  const { pairs, notes } = chooseSystems({ ofA, ofB, isSameRun, systemA, systemB });
  const scoreField = sharedField(a.config, b.config);
  const comparisons = pairs.map(([nameA, nameB]) => ({
    ...compareRows(rowsOf(a, nameA), rowsOf(b, nameB), { ...rest, scoreField }),
    // A system without rows has its name all the same.
    systemA: nameA,
    systemB: nameB,
  }));
  const together = pairs.length > 1 ? [`p is adjusted over the metrics of all ${pairs.length} systems together`] : [];
  return {
    a: nameOf(a),
    b: nameOf(b),
    level: rest.level ?? DEFAULT_LEVEL,
    comparisons: adjustTogether(comparisons),
    notes: [...runDifferences(a.config, b.config), ...notes, ...together],
  };
}

function rowsOf({ rows }: ComparedRun, system: string) {
  return rows.filter((row) => row.system === system);
}

/** Runs that were decided by different fields are compared by what was primary in each. */
function sharedField(a: EvalConfig, b: EvalConfig): string {
  return a.scoreField === b.scoreField ? a.scoreField : "score";
}

function nameOf({ runDir, config }: ComparedRun): RunName {
  return { run: runDir, title: config.title };
}
