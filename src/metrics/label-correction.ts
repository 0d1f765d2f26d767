import type { EvalRow, LabelCorrection, TrialKey } from "../core/index.js";
import { getScore } from "../core/index.js";
import {
  correctJudgedRate,
  createRandom,
  hashSeed,
  type PredictionPoweredMean,
  planLabelChances,
  predictionPoweredMean,
  requiredLabels,
  shuffle,
} from "../stats/index.js";

/** A trial with its chance of being chosen for a label. */
export interface PlannedLabel extends TrialKey {
  readonly chance: number;
}

/** What a person said about a trial that was chosen at random. */
export interface RandomLabel extends TrialKey {
  readonly isRight: boolean;
  /** Null if all trials had the same chance of being chosen. */
  readonly chance: number | null;
}

/** Fewer labels say too little about how often a judge is wrong. */
export const MIN_LABELS = 10;

export const DEFAULT_HALF_WIDTH = 0.05;

const MIN_EXPECTED_RATE = 0.05;

/**
 * Chooses trials to label, in a random order: more of those whose verdict is doubtful, because the score is near the middle
 * or trials of the example disagree. All systems are labeled on the same examples, so that their difference can be
 * corrected too. Every trial has a chance, which the estimates take into account.
 */
export function planLabels(
  rows: readonly EvalRow[],
  { count, seed }: { count: number; seed: number },
): readonly PlannedLabel[] {
  const groups = shuffle(groupByPair(rows.filter(hasVerdict)), createRandom(hashSeed(seed, "labels")));
  const trials = groups.reduce((sum, group) => sum + group.length, 0);
  if (trials === 0) return [];
  const wanted = Math.max(1, Math.min(groups.length, Math.round((count * groups.length) / trials)));
  const chances = planLabelChances(expectErrors(groups), wanted);
  // Systematic sampling: each group is chosen with exactly its chance, and the number of groups is fixed.
  const start = createRandom(hashSeed(seed, "label start")).next();
  const chosen: PlannedLabel[] = [];
  let total = 0;
  for (const [i, group] of groups.entries()) {
    const chance = chances[i] ?? 0;
    const before = Math.ceil(total - start);
    total += chance;
    if (Math.ceil(total - start) > before) chosen.push(...group.map((row) => ({ ...toKey(row), chance })));
  }
  return shuffle(chosen, createRandom(hashSeed(seed, "label order")));
}

/** Trials with the same number of one example, by all systems. */
function groupByPair(rows: readonly EvalRow[]): EvalRow[][] {
  const groups = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const group = groups.get(formatPairKey(row));
    if (group === undefined) groups.set(formatPairKey(row), [row]);
    else group.push(row);
  }
  return [...groups.values()];
}

/** How far the verdicts of a group are expected to be off, from their scores and from the other trials of the example. */
function expectErrors(groups: readonly (readonly EvalRow[])[]): number[] {
  const sums = new Map<string, { total: number; n: number }>();
  for (const row of groups.flat()) {
    const { total, n } = sums.get(getTaskKey(row)) ?? { total: 0, n: 0 };
    sums.set(getTaskKey(row), { total: total + getShare(row), n: n + 1 });
  }
  const expectError = (row: EvalRow) => {
    const { total, n } = sums.get(getTaskKey(row)) ?? { total: 0, n: 1 };
    const rate = (getShare(row) + total / n) / 2;
    const expected = Math.min(1 - MIN_EXPECTED_RATE, Math.max(MIN_EXPECTED_RATE, rate));
    return Math.sqrt(expected * (1 - expected));
  };
  return groups.map((group) => group.reduce((sum, row) => sum + expectError(row), 0) / group.length);
}

function getShare(row: EvalRow): number {
  const score = getScore(row, "score");
  return score === undefined ? Number(row.passed) : Math.min(1, Math.max(0, score));
}

interface CorrectionOptions {
  halfWidth?: number | undefined;
}

/**
 * Corrects the pass rate of each system with labels of some of its trials: prediction-powered inference, with the examples
 * as clusters.
 */
export function correctPassRates(
  rows: readonly EvalRow[],
  labels: readonly RandomLabel[],
  { halfWidth = DEFAULT_HALF_WIDTH }: CorrectionOptions = {},
): LabelCorrection[] {
  const byKey = new Map(labels.map((label) => [formatTrialKey(label), label]));
  return listSystems(rows).map((system) => {
    const units = rows
      .filter((row) => row.system === system && hasVerdict(row))
      .map((row) => ({ task: getTaskKey(row), judged: Number(row.passed), label: byKey.get(formatTrialKey(row)) }));
    return correctUnits(
      system,
      units.map(({ task, judged, label }) => ({
        task,
        judged,
        label: label === undefined ? null : Number(label.isRight),
        chance: label?.chance ?? null,
      })),
      { lower: 0, halfWidth },
    );
  });
}

/**
 * Corrects the difference of pass rates, B − A, over trials that both have. Only trials that are labeled on both sides
 * correct it.
 */
export function correctDifference(
  a: { readonly rows: readonly EvalRow[]; readonly labels: readonly RandomLabel[] },
  b: { readonly rows: readonly EvalRow[]; readonly labels: readonly RandomLabel[] },
  { halfWidth = DEFAULT_HALF_WIDTH }: CorrectionOptions = {},
): LabelCorrection {
  const [labelsA, labelsB] = [a, b].map(
    ({ labels }) => new Map(labels.map((label) => [formatPairKey(label), label])),
  ) as [Map<string, RandomLabel>, Map<string, RandomLabel>];
  const rowsA = new Map(a.rows.filter(hasVerdict).map((row) => [formatPairKey(row), row]));
  const units = b.rows.filter(hasVerdict).flatMap((row): Unit[] => {
    const key = formatPairKey(row);
    const other = rowsA.get(key);
    if (other === undefined) return [];
    const [ofA, ofB] = [labelsA.get(key), labelsB.get(key)];
    const label = ofA === undefined || ofB === undefined ? null : Number(ofB.isRight) - Number(ofA.isRight);
    return [
      { task: getTaskKey(row), judged: Number(row.passed) - Number(other.passed), label, chance: ofA?.chance ?? null },
    ];
  });
  return correctUnits(b.rows[0]?.system ?? "", units, { lower: -1, halfWidth });
}

/** What people and the judge said about answers of another set. */
export interface JudgedLabel {
  readonly isRight: boolean;
  readonly isPassed: boolean;
}

/** Corrects the pass rate of each system by how often the judge was wrong on another set: Rogan and Gladen's estimate. */
export function correctByOtherLabels(rows: readonly EvalRow[], labels: readonly JudgedLabel[]): LabelCorrection[] {
  const count = (isRight: boolean, isPassed: boolean) =>
    labels.filter((label) => label.isRight === isRight && label.isPassed === isPassed).length;
  const known = {
    passes: count(true, true) + count(true, false),
    truePasses: count(true, true),
    fails: count(false, true) + count(false, false),
    trueFails: count(false, false),
  };
  return listSystems(rows).map((system) => {
    const own = rows.filter((row) => row.system === system && hasVerdict(row));
    const tasks = new Set(own.map(getTaskKey)).size;
    const judgeAlone = own.reduce((sum, { passed }) => sum + Number(passed), 0) / own.length;
    const base = { system, judgeAlone, labels: labels.length, trials: own.length, ...NOT_CORRECTED };
    if (own.length === 0) return { ...base, judgeAlone: 0, reason: "no trial has a verdict" };
    if (known.passes === 0 || known.fails === 0)
      return { ...base, reason: "the labels need answers that are right and answers that are wrong" };
    // Trials of one example are not independent, so the examples count.
    const { value, low, high } = correctJudgedRate({ rate: judgeAlone, n: tasks, ...known });
    if (value === null) return { ...base, reason: "the judge is hardly better than a coin on these labels" };
    return { ...base, method: "rogan-gladen", corrected: { value, low, high }, reason: null };
  });
}

/** One trial, or a pair of trials, with the label it may have. */
interface Unit {
  readonly task: string;
  readonly judged: number;
  readonly label: number | null;
  readonly chance: number | null;
}

const NOT_CORRECTED = {
  method: null,
  corrected: null,
  labelsAlone: null,
  effectiveLabels: null,
  neededLabels: null,
} as const;

function correctUnits(
  system: string,
  units: readonly Unit[],
  { lower, halfWidth }: { lower: number; halfWidth: number },
): LabelCorrection {
  const labeled = units.filter(({ label }) => label !== null);
  const others = units.filter(({ label }) => label === null);
  const sum = units.reduce((total, { judged }) => total + judged, 0);
  const base = { system, labels: labeled.length, trials: units.length, ...NOT_CORRECTED };
  if (units.length === 0) return { ...base, judgeAlone: 0, reason: "no trial has a verdict" };
  const judgeAlone = sum / units.length;
  if (labeled.length < MIN_LABELS)
    return { ...base, judgeAlone, reason: `${labeled.length} labels are too few: at least ${MIN_LABELS} are needed` };
  const labels = labeled.map(({ label }) => label ?? 0);
  const judged = labeled.map((unit) => unit.judged);
  const chances = labeled.every(({ chance }) => chance !== null) ? labeled.map(({ chance }) => chance ?? 1) : undefined;
  const tasks = numberTasks(units);
  const clustersOf = (some: readonly Unit[]) => some.map(({ task }) => tasks.get(task) ?? 0);
  const found = predictionPoweredMean(
    { labels, judged, unlabeled: others.map((unit) => unit.judged) },
    { lower, chances, clusters: { labeled: clustersOf(labeled), unlabeled: clustersOf(others) } },
  );
  return {
    ...base,
    judgeAlone,
    method: "prediction-powered",
    corrected: pickBounds(found),
    labelsAlone: pickBounds(found.labelsAlone),
    effectiveLabels: found.effectiveLabels,
    neededLabels: requiredLabels({ labels, judged, units: units.length, halfWidth }),
    reason: null,
  };
}

function pickBounds({ value, low, high }: Pick<PredictionPoweredMean, "value" | "low" | "high">) {
  return { value, low, high };
}

function numberTasks(units: readonly Unit[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (const { task } of units) if (!numbers.has(task)) numbers.set(task, numbers.size);
  return numbers;
}

function hasVerdict({ outcome }: EvalRow): boolean {
  return outcome === "pass" || outcome === "fail";
}

function listSystems(rows: readonly EvalRow[]): string[] {
  return [...new Set(rows.map(({ system }) => system))];
}

function toKey({ system, dataset, exampleId, trial }: TrialKey): TrialKey {
  return { system, dataset, exampleId, trial };
}

/** Examples of one group are not independent, so they are one cluster. */
function getTaskKey({ dataset, exampleId, group }: EvalRow): string {
  return JSON.stringify(group === null ? [dataset, exampleId] : [dataset, "group", group]);
}

function formatTrialKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

/** The same for both sides of a comparison. */
function formatPairKey({ dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([dataset, exampleId, trial]);
}
