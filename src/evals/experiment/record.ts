import { digest, UsageError } from "../../core/index.js";
import { isYamlMapping } from "./pointer.js";

/** What a stored run records about its experiment: enough to report it without the experiment's files. */
export interface ExperimentRecord {
  readonly name: string;
  readonly description: string | null;
  /** Identifies the whole plan, so that shards of different plans are not mixed. */
  readonly fingerprint: string;
  readonly baseline: string;
  /** JSON pointers. */
  readonly vary: readonly string[];
  readonly variants: readonly RecordedVariant[];
  /** Number of test cases in the whole experiment. */
  readonly stimuli: number;
  /** Test cases in the order of the eval files; missing in older records. */
  readonly order?: readonly StimulusName[];
  /** Null when the run is the whole experiment. */
  readonly shard: Shard | null;
  readonly notes: readonly string[];
}

/** The name of the eval, which is the same in all variants, and the name of the test case. */
export type StimulusName = readonly [evalName: string, stimulus: string | number];

/** A variant, and the names of its systems, which identify its rows. */
export interface RecordedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values that were set. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Missing in older records. */
  readonly planned?: PlannedTrials;
}

/** How many trials of a variant were planned. */
export interface PlannedTrials {
  /** In the whole experiment. */
  readonly all: number;
  /** In this run, which may be a shard. */
  readonly here: number;
}

/** Returns null when the run is not part of an experiment. */
export function readExperimentRecord(invocation: unknown): ExperimentRecord | null {
  const record = isYamlMapping(invocation) ? invocation.experiment : undefined;
  return isExperimentRecord(record) ? record : null;
}

/** Programs may store anything in a manifest, so check the fields that a report needs. */
function isExperimentRecord(value: unknown): value is ExperimentRecord {
  if (!isYamlMapping(value)) return false;
  const { name, fingerprint, baseline, variants, stimuli, shard, vary, notes, order = [] } = value;
  return (
    [name, fingerprint, baseline].every((text) => typeof text === "string") &&
    typeof stimuli === "number" &&
    (shard === null || (isYamlMapping(shard) && [shard.index, shard.of].every(Number.isInteger))) &&
    [vary, notes].every(Array.isArray) &&
    Array.isArray(order) &&
    order.every((each) => Array.isArray(each) && typeof each[0] === "string") &&
    Array.isArray(variants) &&
    variants.every(isRecordedVariant)
  );
}

function isRecordedVariant(value: unknown): boolean {
  if (!isYamlMapping(value) || typeof value.name !== "string" || !Array.isArray(value.systems)) return false;
  const { planned } = value;
  return planned === undefined || (isYamlMapping(planned) && [planned.all, planned.here].every(Number.isInteger));
}

/** A stored run that is a part of an experiment. */
interface ShardRun {
  /** The name of the run in messages, such as its folder. */
  readonly run: string;
  readonly record: ExperimentRecord;
}

interface MergedShards<T extends ShardRun = ShardRun> {
  readonly record: ExperimentRecord;
  /** In the order of the shards. */
  readonly runs: readonly T[];
  /** Shards without a run, such as `3/4`. */
  readonly missing: readonly string[];
}

/**
 * Merges the shards of an experiment. Throws if they belong to different plans or if a shard is given twice.
 * @example
 * mergeShards([{ run: "a", record: first }, { run: "b", record: second }]).missing; // ["3/3"]
 */
export function mergeShards<T extends ShardRun>(given: readonly T[]): MergedShards<T> {
  const runs = given.toSorted((a, b) => getShardIndex(a) - getShardIndex(b));
  const [first] = runs;
  if (first === undefined) throw new UsageError("No runs to merge. Name the run of each shard.");
  requireSamePlan(first, runs);
  const of = requireSameShardCount(first, runs);
  requireDistinctShards(runs);
  const present = new Set(runs.map(getShardIndex));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !present.has(index));
  const notes = [...new Set(runs.flatMap(({ record }) => record.notes))];
  return {
    record: { ...first.record, variants: first.record.variants.map(countWholePlan), shard: null, notes },
    runs,
    missing: missing.map((index) => formatShard({ index, of })),
  };
}

/** Trials of missing shards were planned as well, so they count. */
function countWholePlan(variant: RecordedVariant): RecordedVariant {
  const { planned, ...rest } = variant;
  return planned === undefined ? rest : { ...rest, planned: { all: planned.all, here: planned.all } };
}

function requireSamePlan({ run, record }: ShardRun, runs: readonly ShardRun[]): void {
  const other = runs.find((each) => each.record.fingerprint !== record.fingerprint);
  if (other === undefined) return;
  const what =
    other.record.name === record.name
      ? `the same experiment "${record.name}", but its file, its evals or the files they name differ`
      : `different experiments, "${record.name}" and "${other.record.name}"`;
  throw new UsageError(`${run} and ${other.run} belong to ${what}. Merge only shards of one plan.`);
}

/** Returns the number of shards. */
function requireSameShardCount({ run, record }: ShardRun, runs: readonly ShardRun[]): number {
  const of = record.shard?.of ?? 1;
  const other = runs.find((each) => (each.record.shard?.of ?? 1) !== of);
  if (other === undefined) return of;
  throw new UsageError(
    `${run} is one of ${of} shards, ${other.run} one of ${other.record.shard?.of ?? 1}: shards of different splits overlap. Merge shards of one split.`,
  );
}

function requireDistinctShards(runs: readonly ShardRun[]): void {
  const doubles = runs.flatMap((run, i) => {
    const before = runs.slice(0, i).find((other) => getShardIndex(other) === getShardIndex(run));
    const { shard } = run.record;
    return before === undefined
      ? []
      : [`${shard === null ? "the whole" : formatShard(shard)} (${before.run} and ${run.run})`];
  });
  if (doubles.length > 0) throw new UsageError(`Given twice: ${doubles.join("; ")}. Keep one run of each shard.`);
}

function getShardIndex({ record }: ShardRun): number {
  return record.shard?.index ?? 1;
}

/** One part of an experiment; `index` starts at 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/**
 * Parses the value of `--shard`.
 * @example
 * parseShard("1/4"); // { index: 1, of: 4 }
 */
export function parseShard(text: string): Shard {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? []).map(Number);
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw new UsageError(`--shard expects a value like 1/4 (the first of four), got "${text}".`);
}

export function formatShard({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/**
 * Selects the test cases of a shard. All trials of a test case are in one shard, in every variant, so that pairs stay
 * together. Shard sizes differ by at most one. The assignment depends on the set of test cases, not on their order.
 */
export function selectShardStimuli(stimuli: Iterable<string>, { index, of }: Shard): Set<string> {
  const shuffled = [...new Set(stimuli)].map((name) => ({ name, order: digest(name) })).sort(compareOrder);
  if (of > shuffled.length)
    throw new UsageError(
      `${of} shards are too many for ${shuffled.length === 1 ? "1 test case" : `${shuffled.length} test cases`}: some would have nothing to run. Use at most ${shuffled.length}.`,
    );
  return new Set(shuffled.filter((_, place) => place % of === index - 1).map(({ name }) => name));
}

function compareOrder(a: { order: string }, b: { order: string }): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}
