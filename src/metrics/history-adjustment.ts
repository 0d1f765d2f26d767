import type { HistoryAdjustment, TaskRate } from "../core/index.js";
import { adjustByHistory, mean } from "../stats/index.js";

/** The value of a task that was run. */
export interface TaskValue {
  readonly dataset: string;
  readonly exampleId: string;
  readonly value: number;
  /** Tasks of one group are not independent. */
  readonly group: string | null;
}

/** A figure and its tasks. */
export interface AdjustedFigure {
  readonly system: string;
  readonly metric: HistoryAdjustment["metric"];
  readonly values: readonly TaskValue[];
  /** By dataset: the tasks that were planned, scored or not. */
  readonly planned: ReadonlyMap<string, number>;
  /** 0, or −1 for differences. */
  readonly lower: number;
  readonly level?: number | undefined;
}

/** Fewer tasks say too little about how well history predicts them. */
const MIN_MATCHED = 10;
/** A history of hardly more tasks than the run has nothing to add. */
const MIN_FRAME_GROWTH = 1.1;
/** Runs are averaged if they have this share of the tasks, so that each task is judged by the same runs. */
const MIN_SHARED = 0.95;
/** With more tasks without a score, those that have one may not be like the others. */
const MIN_SCORED = 0.95;
/** Standard errors. A random sample is further off once in fifteen thousand times. */
const MAX_OFFSET = 4;

/**
 * Adjusts a figure, dataset by dataset, for how hard the tasks that were run are by stored runs, compared with all tasks
 * that these have.
 * @example
 * adjustFigure({ system: "a", metric: "pass_rate", values, planned, lower: 0 }, rates)[0]?.narrower; // 0.23
 */
export function adjustFigure(figure: AdjustedFigure, rates: readonly TaskRate[]): HistoryAdjustment[] {
  const datasets = [...new Set(figure.values.map(({ dataset }) => dataset))];
  return datasets.map((dataset) => {
    const values = figure.values.filter((task) => task.dataset === dataset);
    return adjustDataset({ ...figure, values }, { dataset, rates: rates.filter((rate) => rate.dataset === dataset) });
  });
}

function adjustDataset(
  { system, metric, values, planned, lower, level }: AdjustedFigure,
  { dataset, rates }: { dataset: string; rates: readonly TaskRate[] },
): HistoryAdjustment {
  const own = new Set(values.map(({ exampleId }) => exampleId));
  const { history, runs } = buildHistory(metric, rates, own);
  const matched = values.filter(({ exampleId }) => history.has(exampleId)).length;
  const facts = { system, dataset, metric, tasks: values.length, matched, frame: history.size, runs };
  const scored = values.length / Math.max(values.length, planned.get(dataset) ?? 0);
  const rest = [...history].flatMap(([id, value]) => (own.has(id) ? [] : [value]));
  const ofRun = values.map(({ exampleId }) => history.get(exampleId) ?? Number.NaN);
  const found = adjustByHistory(
    { values: values.map(({ value }) => value), history: ofRun, rest },
    { lower, level, clusters: values.map(({ group }, i) => group ?? i) },
  );
  const reason = findProblem({ facts, hasRates: rates.length > 0, scored, history: ofRun, rest });
  const { plain, varianceReduction } = found;
  const width = getWidth(found);
  const plainWidth = getWidth(plain);
  if (reason !== null)
    return { ...facts, plain: pickBounds(plain), adjusted: null, narrower: null, worthTasks: null, reason };
  return {
    ...facts,
    plain: pickBounds(plain),
    adjusted: pickBounds(found),
    narrower: width === null || plainWidth === null || plainWidth === 0 ? null : 1 - width / plainWidth,
    worthTasks: varianceReduction === null || varianceReduction >= 1 ? null : values.length / (1 - varianceReduction),
    reason: null,
  };
}

interface Checked {
  facts: Pick<HistoryAdjustment, "dataset" | "tasks" | "matched" | "frame">;
  hasRates: boolean;
  /** The share of planned tasks with a score. */
  scored: number;
  /** What history says about the tasks of the run, NaN where it says nothing, and about the others. */
  history: readonly number[];
  rest: readonly number[];
}

/** Why the figure cannot be adjusted. */
function findProblem({ facts, hasRates, scored, history, rest }: Checked): string | null {
  const { dataset, tasks, matched, frame } = facts;
  const name = dataset === "" ? "the dataset" : dataset;
  if (!hasRates) return `no other stored run has scored trials on ${name}`;
  if (matched < MIN_MATCHED)
    return `history has ${matched} of the ${tasks} tasks, and at least ${MIN_MATCHED} are needed`;
  if (frame < MIN_FRAME_GROWTH * matched)
    return `no stored run has many more tasks of ${name} than the ${tasks} of this one, so there is nothing to learn from`;
  if (scored < MIN_SCORED)
    return `only ${Math.floor(scored * 100)} % of its tasks have a score, which may not be like the others`;
  const known = history.filter((value) => !Number.isNaN(value));
  if (measureOffset(known, rest) > MAX_OFFSET)
    return `its tasks are no random sample of those of ${facts.frame} stored ones: by their history they are much ${mean(known) > mean(rest) ? "easier" : "harder"}`;
  return null;
}

/** How far the tasks of the run are from a random sample of all, in standard errors. */
function measureOffset(known: readonly number[], rest: readonly number[]): number {
  const all = [...known, ...rest];
  const center = mean(all);
  const variance = all.reduce((sum, value) => sum + (value - center) ** 2, 0) / (all.length - 1);
  const se = Math.sqrt(variance * (1 / known.length - 1 / all.length));
  return se > 0 ? Math.abs(mean(known) - center) / se : 0;
}

/**
 * What history says about each task. The tasks are those of the stored run that has most; other runs are averaged with it
 * if they have the same tasks, those of the run and the others alike. Otherwise the figure of a task would depend on
 * whether it was run, and the estimate would be biased.
 */
function buildHistory(metric: HistoryAdjustment["metric"], rates: readonly TaskRate[], own: ReadonlySet<string>) {
  const bySize = averageSystems(metric, rates).sort(([a, ofA], [b, ofB]) => ofB.size - ofA.size || (a < b ? 1 : -1));
  const [largest] = bySize;
  if (largest === undefined) return { history: new Map<string, number>(), runs: [] };
  const frame = [...largest[1].keys()];
  const outside = frame.filter((id) => !own.has(id));
  const isShared = (tasks: ReadonlyMap<string, number>) =>
    [frame, outside].every((ids) => ids.filter((id) => tasks.has(id)).length >= MIN_SHARED * ids.length);
  const used = bySize.filter(([, tasks]) => isShared(tasks));
  const centered = used.map(([, tasks]) => {
    const shared = frame.flatMap((id) => tasks.get(id) ?? []);
    const center = mean(shared);
    return { tasks, center };
  });
  const history = new Map(
    frame.map((id) => [
      id,
      mean(centered.flatMap(({ tasks, center }) => (tasks.has(id) ? [(tasks.get(id) ?? 0) - center] : []))),
    ]),
  );
  return { history, runs: used.map(([run]) => run) };
}

/** By run and task: the mean over systems. */
function averageSystems(
  metric: HistoryAdjustment["metric"],
  rates: readonly TaskRate[],
): [string, Map<string, number>][] {
  const byRun = new Map<string, Map<string, number[]>>();
  for (const { run, exampleId, passRate, score } of rates) {
    const value = metric === "pass_rate" ? passRate : score;
    if (value === null) continue;
    const tasks = byRun.get(run) ?? new Map<string, number[]>();
    byRun.set(run, tasks);
    const known = tasks.get(exampleId);
    if (known === undefined) tasks.set(exampleId, [value]);
    else known.push(value);
  }
  return Array.from(byRun, ([run, tasks]) => [run, new Map(Array.from(tasks, ([id, values]) => [id, mean(values)]))]);
}

function getWidth({ low, high }: { low: number | null; high: number | null }): number | null {
  return low === null || high === null ? null : high - low;
}

function pickBounds({ value, low, high }: { value: number; low: number | null; high: number | null }) {
  return { value, low, high };
}
