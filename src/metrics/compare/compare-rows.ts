import { UsageError } from "../../core/errors.js";
import { type EvalRow, isScored, type Outcome } from "../../core/row.js";
import { mean } from "../../stats/index.js";
import { type ComparableMetric, selectComparableMetrics } from "./comparable-metrics.js";
import { compareSample, type PairedSample, type SampleOptions } from "./compare-sample.js";
import {
  adjustTogether,
  type CompareOptions,
  DEFAULT_LEVEL,
  type Flips,
  type MetricComparison,
  type PairedComparison,
  type TaskName,
  type TaskPasses,
  type UnmatchedTask,
} from "./comparison.js";

/**
 * Compares two sets of rows, paired by task. Trials of a task are averaged first.
 * @example
 * const comparison = compareRows(before.rows, after.rows);
 * comparison.metrics.find(({ metric }) => metric === "pass_rate"); // { a: 0.7, b: 0.9, difference: 0.2, low: 0.05, high: 0.35, adjustedP: 0.02, … }
 */
export function compareRows(
  a: readonly EvalRow[],
  b: readonly EvalRow[],
  options: CompareOptions = {},
): PairedComparison {
  const level = requireConfidenceLevel(options.level ?? DEFAULT_LEVEL);
  const { pairs, notes } = pairRows(a, b, options);
  const unmatched = listUnmatchedTasks(pairs);
  const paired = pairs.filter(isPaired);
  const scoredIn = (side: string) => unmatched.filter((task) => task.scoredIn === side).length;
  const metrics = selectComparableMetrics({ a, b }, options).map((measure) =>
    compareMetric(measure, pairs, { level, seed: options.seed ?? 0 }),
  );
  const comparison: PairedComparison = {
    systemA: listDistinctNames(a, "system").join(", "),
    systemB: listDistinctNames(b, "system").join(", "),
    level,
    tasks: { paired: paired.length, aOnly: scoredIn("a"), bOnly: scoredIn("b"), neither: scoredIn("neither") },
    trials: { a: countScoredTrials(paired, "a"), b: countScoredTrials(paired, "b") },
    metrics,
    flips: findFlips(pairs),
    unmatched,
    notes: [...notes, ...describeUnscoredTrials(paired)],
  };
  return adjustTogether([comparison])[0] ?? comparison;
}

function requireConfidenceLevel(level: number): number {
  if (level > 0 && level < 1) return level;
  throw new UsageError(`The level must be between 0 and 1, such as 0.95, but is ${level}.`);
}

function countScoredTrials(pairs: readonly TaskPair[], side: "a" | "b"): number {
  return pairs.reduce((total, pair) => total + pair[side].filter(isScored).length, 0);
}

/** Only scored trials count, which may be fewer than planned. */
function describeUnscoredTrials(pairs: readonly TaskPair[]): string[] {
  const lost = (side: "a" | "b") =>
    pairs.reduce((total, pair) => total + pair[side].length, 0) - countScoredTrials(pairs, side);
  const [inA, inB] = [lost("a"), lost("b")];
  return inA + inB === 0 ? [] : [`unscored trials of paired tasks, which do not count: ${inA} in A, ${inB} in B`];
}

/** Tasks without a scored trial on one or both sides, with the reason. */
function listUnmatchedTasks(pairs: readonly TaskPair[]): UnmatchedTask[] {
  return pairs.filter((pair) => !isPaired(pair)).map(toUnmatchedTask);
}

function toUnmatchedTask(pair: TaskPair): UnmatchedTask {
  const name = getTaskName(pair);
  if (pair.a.some(isScored)) return { ...name, scoredIn: "a", reason: explainUnscored("B", pair.b) };
  if (pair.b.some(isScored)) return { ...name, scoredIn: "b", reason: explainUnscored("A", pair.a) };
  return { ...name, scoredIn: "neither", reason: `${explainUnscored("A", pair.a)}; ${explainUnscored("B", pair.b)}` };
}

/** Why a side has no scored trial of a task; errors take precedence. */
function explainUnscored(side: "A" | "B", rows: readonly EvalRow[]): string {
  const first = (wanted: Outcome) => rows.find(({ outcome }) => outcome === wanted);
  const error = first("error");
  if (error !== undefined) return joinReason(`error in ${side}`, error.attempts.at(-1)?.message ?? error.errorCategory);
  const unscored = first("unscored");
  if (unscored !== undefined) return joinReason(`unscored in ${side}`, unscored.notes.at(-1));
  return rows.length === 0 ? `not in ${side}` : `skipped in ${side}`;
}

function joinReason(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? what : `${what}: ${why}`;
}

type Majority = "pass" | "fail" | "tie";

export function findFlips(pairs: readonly TaskPair[]): Flips {
  const toFail: TaskPasses[] = [];
  const toPass: TaskPasses[] = [];
  const flaky: TaskPasses[] = [];
  for (const pair of pairs) {
    if (!isPaired(pair)) continue;
    const passes = countTaskPasses(pair);
    const [before, after] = [
      computeMajority(passes.passesA, passes.trialsA),
      computeMajority(passes.passesB, passes.trialsB),
    ];
    if (before === "pass" && after === "fail") toFail.push(passes);
    else if (before === "fail" && after === "pass") toPass.push(passes);
    else if (passes.isFlaky) flaky.push(passes);
  }
  return { toFail, toPass, flaky };
}

function getTaskName({ a, b, key }: TaskPair): TaskName {
  const { dataset, exampleId } = a[0] ?? b[0] ?? { dataset: "", exampleId: key };
  return { dataset, exampleId };
}

function countTaskPasses(pair: TaskPair): TaskPasses {
  const [a, b] = [pair.a.filter(isScored), pair.b.filter(isScored)];
  const passesA = a.filter(({ outcome }) => outcome === "pass").length;
  const passesB = b.filter(({ outcome }) => outcome === "pass").length;
  const isFlaky = isMixed(passesA, a.length) || isMixed(passesB, b.length);
  return { ...getTaskName(pair), passesA, trialsA: a.length, passesB, trialsB: b.length, isFlaky };
}

function isMixed(passes: number, trials: number): boolean {
  return passes > 0 && passes < trials;
}

function computeMajority(passes: number, trials: number): Majority {
  if (passes * 2 === trials) return "tie";
  return passes * 2 > trials ? "pass" : "fail";
}

/** Compares one metric over the pairs that have it on both sides. */
function compareMetric(
  measure: ComparableMetric,
  pairs: readonly TaskPair[],
  options: SampleOptions,
): MetricComparison {
  const compared = compareSample(measure, collectSample(measure, pairs), options);
  return compared.n === 0 ? { ...compared, reason: explainMissingMetric(measure, pairs) } : compared;
}

export function collectSample({ read }: ComparableMetric, pairs: readonly TaskPair[]): PairedSample {
  const sample: PairedSample = { a: [], b: [], groups: null, trialsA: 0, trialsB: 0, isBinary: true };
  const groups: string[] = [];
  for (const pair of pairs) {
    const [ofA, ofB] = [readMetricValues(pair.a, read), readMetricValues(pair.b, read)];
    if (ofA.length === 0 || ofB.length === 0) continue;
    sample.a.push(mean(ofA));
    sample.b.push(mean(ofB));
    sample.trialsA += ofA.length;
    sample.trialsB += ofB.length;
    sample.isBinary &&= isSingleBinaryValue(ofA) && isSingleBinaryValue(ofB);
    groups.push(getGroupKey(pair));
  }
  const isShared = new Set(groups).size < groups.length;
  return isShared ? { ...sample, groups } : sample;
}

function readMetricValues(rows: readonly EvalRow[], read: ComparableMetric["read"]): number[] {
  const values: number[] = [];
  for (const row of rows) {
    const value = read(row);
    if (value !== undefined && Number.isFinite(value)) values.push(value);
  }
  return values;
}

function isSingleBinaryValue(values: readonly number[]): boolean {
  return values.length === 1 && (values[0] === 0 || values[0] === 1);
}

/** A task without a group is its own group. */
export function getGroupKey({ key, a, b }: TaskPair): string {
  // Copied rows may lack the field.
  const row = a.find(({ group }) => group != null) ?? b.find(({ group }) => group != null);
  if (row === undefined) return `task\u0000${key}`;
  return `group\u0000${row.dataset}\u0000${typeof row.group}\u0000${row.group}`;
}

function explainMissingMetric({ read }: ComparableMetric, pairs: readonly TaskPair[]): string {
  const isIn = (side: "a" | "b") => pairs.some((pair) => readMetricValues(pair[side], read).length > 0);
  const [inA, inB] = [isIn("a"), isIn("b")];
  if (inA && inB) return "no task has it on both sides";
  if (inA || inB) return `not measured in ${inA ? "B" : "A"}`;
  return "not measured";
}

/** The trials of one task in A and B; one side may be empty. */
export interface TaskPair {
  readonly key: string;
  readonly a: readonly EvalRow[];
  readonly b: readonly EvalRow[];
}

interface PairedRows {
  readonly pairs: readonly TaskPair[];
  readonly notes: readonly string[];
}

type TaskKeyFunction = (row: EvalRow) => string;

/**
 * Pairs rows by task, in an order independent of the row order.
 * @example
 * const { pairs } = pairRows(rowsOfA, rowsOfB, { keyOf: ({ exampleId }) => String(exampleId) });
 */
export function pairRows(
  a: readonly EvalRow[],
  b: readonly EvalRow[],
  options: Pick<CompareOptions, "keyOf"> = {},
): PairedRows {
  const { keyOf, notes } = options.keyOf === undefined ? selectDefaultKey(a, b) : { keyOf: options.keyOf, notes: [] };
  const [ofA, ofB] = [groupRowsByKey(a, keyOf), groupRowsByKey(b, keyOf)];
  const keys = [...new Set([...ofA.keys(), ...ofB.keys()])].sort(createKeyComparator());
  return { pairs: keys.map((key) => ({ key, a: ofA.get(key) ?? [], b: ofB.get(key) ?? [] })), notes };
}

/** True if both sides have a scored trial. */
function isPaired({ a, b }: TaskPair): boolean {
  return a.some(isScored) && b.some(isScored);
}

function selectDefaultKey(a: readonly EvalRow[], b: readonly EvalRow[]): { keyOf: TaskKeyFunction; notes: string[] } {
  requireOneSystem("A", a);
  requireOneSystem("B", b);
  const [ofA, ofB] = [listDistinctNames(a, "dataset"), listDistinctNames(b, "dataset")];
  const [nameA = "", nameB = ""] = [ofA[0], ofB[0]];
  if (ofA.length !== 1 || ofB.length !== 1 || nameA === nameB) return { keyOf: buildTaskKey, notes: [] };
  const note = `the datasets have different names, ${quoteDatasetName(nameA)} and ${quoteDatasetName(nameB)}: tasks are paired by example id only`;
  return { keyOf: ({ exampleId }) => String(exampleId), notes: [note] };
}

function buildTaskKey({ dataset, exampleId }: EvalRow): string {
  return `${dataset}\u0000${exampleId}`;
}

/** Trials of different systems are not trials of the same task. */
function requireOneSystem(side: string, rows: readonly EvalRow[]): void {
  const systems = listDistinctNames(rows, "system");
  if (systems.length < 2) return;
  throw new UsageError(
    `The rows of ${side} belong to ${systems.length} systems (${systems.join(", ")}). Compare the rows of one system, or set keyOf to define the pairs.`,
  );
}

function listDistinctNames(rows: readonly EvalRow[], field: "system" | "dataset"): string[] {
  return [...new Set(rows.map((row) => row[field]))];
}

function groupRowsByKey(rows: readonly EvalRow[], keyOf: TaskKeyFunction): Map<string, EvalRow[]> {
  const found = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const known = found.get(key);
    if (known === undefined) found.set(key, [row]);
    else known.push(row);
  }
  return found;
}

/** Natural order, "task-2" before "task-10"; ties that differ only in number format are ordered too. */
function createKeyComparator(): (x: string, y: string) => number {
  const collator = new Intl.Collator("en", { numeric: true });
  return (x, y) => collator.compare(x, y) || (x < y ? -1 : 1);
}

function quoteDatasetName(name: string): string {
  return name === "" ? "none" : `"${name}"`;
}
