import {
  type EvalConfig,
  type EvalRow,
  getScore,
  type HistoryAdjustment,
  isScored,
  type StratifiedFigure,
  type TaskRate,
} from "../core/index.js";
import { mean } from "../stats/index.js";
import { getGroupKey, pairRows, type TaskPair } from "./compare/compare-rows.js";
import { type AdjustedFigure, adjustFigure, type TaskValue } from "./history-adjustment.js";
import { type StratumOf, stratifyFigure } from "./strata.js";

/** Rows and the settings behind them. */
export interface AdjustedRun {
  readonly rows: readonly EvalRow[];
  readonly config: EvalConfig;
}

/** Adjusts the pass rate of each system, and the mean score where it says more. */
export function adjustRun(run: AdjustedRun, rates: readonly TaskRate[]): HistoryAdjustment[] {
  return listRunFigures(run).flatMap((figure) => adjustFigure(figure, rates));
}

/** The same figures for tasks in the same mix of strata. */
export function stratifyRun(run: AdjustedRun, stratumOf: StratumOf): StratifiedFigure[] {
  return listRunFigures(run).map((figure) => stratifyFigure(figure, stratumOf));
}

function listRunFigures({ rows, config }: AdjustedRun): AdjustedFigure[] {
  return config.systems.flatMap((system) => {
    const own = rows.filter((row) => row.system === system);
    const { pairs } = pairRows(own, []);
    const facts = { system, planned: countPlanned(own, config), lower: 0 };
    const figures = listFigures(config.scoreField, (read) => collectValues(pairs, ({ a }) => readMean(a, read)));
    return figures.map((figure) => ({ ...facts, ...figure }));
  });
}

/** The rows of one system of a run, and the name of the run in the history. */
interface AdjustedSide extends AdjustedRun {
  readonly run: string;
  readonly system: string;
}

/** The two systems of a comparison. */
export interface AdjustedPair {
  readonly a: AdjustedSide;
  readonly b: AdjustedSide;
  /** As the report names the pair. */
  readonly name: string;
  readonly level?: number | undefined;
}

/**
 * Adjusts the differences of two systems, B − A, over the tasks that both have. If one of them was run on more tasks, its
 * own results on these say most; they do not depend on which tasks were drawn for the other.
 */
export function adjustDifference(pair: AdjustedPair, rates: readonly TaskRate[]): HistoryAdjustment[] {
  const { a, b } = pair;
  const isOf = (rate: TaskRate, { run, system }: AdjustedSide) => rate.run === run && rate.system === system;
  const ofOthers = rates.filter(({ run }) => run !== a.run && run !== b.run);
  return listPairFigures(pair).flatMap((figure) => {
    const bySides = [a, b].map((side) =>
      adjustFigure(
        figure,
        rates.filter((rate) => isOf(rate, side)),
      ),
    );
    return bySides.find((found) => found.some(({ adjusted }) => adjusted !== null)) ?? adjustFigure(figure, ofOthers);
  });
}

/** The differences for tasks in the same mix of strata. */
export function stratifyDifference(pair: AdjustedPair, stratumOf: StratumOf): StratifiedFigure[] {
  return listPairFigures(pair).map((figure) => stratifyFigure(figure, stratumOf));
}

function listPairFigures({ a, b, name, level }: AdjustedPair): AdjustedFigure[] {
  const { pairs } = pairRows(a.rows, b.rows);
  const scoreField = a.config.scoreField === b.config.scoreField ? a.config.scoreField : "score";
  const [ofA, ofB] = [countPlanned(a.rows, a.config), countPlanned(b.rows, b.config)];
  const planned = new Map([...ofB].map(([dataset, count]) => [dataset, Math.min(count, ofA.get(dataset) ?? count)]));
  const figures = listFigures(scoreField, (read) =>
    collectValues(pairs, (pair) => {
      const [inA, inB] = [readMean(pair.a, read), readMean(pair.b, read)];
      return inA === null || inB === null ? null : inB - inA;
    }),
  );
  return figures.map((figure) => ({ system: name, planned, lower: -1, level, ...figure }));
}

type ReadValue = (row: EvalRow) => number | undefined;

/** The mean score of pass or fail is the pass rate again. */
function listFigures(
  scoreField: string,
  collect: (read: ReadValue) => TaskValue[],
): Pick<AdjustedFigure, "metric" | "values">[] {
  const passes = collect(({ outcome }) => Number(outcome === "pass"));
  const scores = collect((row) => getScore(row, scoreField));
  const isSame =
    scores.length === passes.length && scores.every(({ value }, i) => Math.abs(value - (passes[i]?.value ?? 0)) < 1e-9);
  const ofScores = isSame || scores.length === 0 ? [] : [{ metric: "mean_score" as const, values: scores }];
  return [{ metric: "pass_rate", values: passes }, ...ofScores];
}

function collectValues(pairs: readonly TaskPair[], read: (pair: TaskPair) => number | null): TaskValue[] {
  return pairs.flatMap((pair) => {
    const value = read(pair);
    const first = pair.b[0] ?? pair.a[0];
    if (value === null || first === undefined) return [];
    return [{ dataset: first.dataset, exampleId: String(first.exampleId), value, group: getGroupKey(pair) }];
  });
}

function readMean(rows: readonly EvalRow[], read: ReadValue): number | null {
  const values = rows.filter(isScored).flatMap((row) => read(row) ?? []);
  return values.length === 0 ? null : mean(values);
}

/** By dataset, as far as the config tells; a mixture of datasets tells only by its rows. */
function countPlanned(rows: readonly EvalRow[], { datasets }: EvalConfig): Map<string, number> {
  const tasks = new Map<string, Set<string>>();
  for (const { dataset, exampleId } of rows)
    tasks.set(dataset, (tasks.get(dataset) ?? new Set()).add(String(exampleId)));
  const alone = new Map(
    datasets.flatMap(({ tags, examples }) => (tags.length === 1 ? [[tags[0] ?? "", examples]] : [])),
  );
  return new Map([...tasks].map(([dataset, ids]) => [dataset, Math.max(ids.size, alone.get(dataset) ?? 0)]));
}
