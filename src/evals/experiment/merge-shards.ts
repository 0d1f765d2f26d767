import { UsageError } from "../../core/errors.js";
import { digest } from "../../core/fingerprint.js";
import type { ExperimentRecord, RecordedVariant } from "./record.js";

/** A stored run that is a part of an experiment. */
export interface ShardRun {
  /** What messages call it, such as its folder. */
  readonly run: string;
  readonly record: ExperimentRecord;
}

/** The experiment that several runs are parts of. */
export interface MergedShards<T extends ShardRun = ShardRun> {
  readonly record: ExperimentRecord;
  /** The runs in the order of their shards, whichever they were given in. */
  readonly runs: readonly T[];
  /** Parts that no run was given for, such as `3/4`. */
  readonly missing: readonly string[];
}

/**
 * Joins the parts of an experiment. Throws when they are not parts of one plan, or when one is there twice.
 * @example
 * mergeShards([{ run: "a", record: first }, { run: "b", record: second }]).missing; // ["3/3"]
 */
export function mergeShards<T extends ShardRun>(given: readonly T[]): MergedShards<T> {
  const runs = given.toSorted((a, b) => indexOf(a) - indexOf(b));
  const [first] = runs;
  if (first === undefined) throw new UsageError("There is no run to merge. Name the run of each shard.");
  requireOnePlan(first, runs);
  const of = requireOneCut(first, runs);
  requireEachOnce(runs);
  const present = new Set(runs.map(indexOf));
  const missing = Array.from({ length: of }, (_, i) => i + 1).filter((index) => !present.has(index));
  const notes = [...new Set(runs.flatMap(({ record }) => record.notes))];
  return {
    record: { ...first.record, variants: first.record.variants.map(asWhole), shard: null, notes },
    runs,
    missing: missing.map((index) => formatShard({ index, of })),
  };
}

/** What was planned in parts that are missing was planned all the same. */
function asWhole(variant: RecordedVariant): RecordedVariant {
  const { planned, ...rest } = variant;
  return planned === undefined ? rest : { ...rest, planned: { all: planned.all, here: planned.all } };
}

function requireOnePlan({ run, record }: ShardRun, runs: readonly ShardRun[]): void {
  const other = runs.find((each) => each.record.fingerprint !== record.fingerprint);
  if (other === undefined) return;
  const what =
    other.record.name === record.name
      ? `the same experiment "${record.name}", but its file, its evals or what they name were not the same`
      : `different experiments, "${record.name}" and "${other.record.name}"`;
  throw new UsageError(`${run} and ${other.run} are of ${what}. Merge shards of one plan only.`);
}

/** Into how many shards the plan was cut. */
function requireOneCut({ run, record }: ShardRun, runs: readonly ShardRun[]): number {
  const of = record.shard?.of ?? 1;
  const other = runs.find((each) => (each.record.shard?.of ?? 1) !== of);
  if (other === undefined) return of;
  throw new UsageError(
    `${run} is one of ${of} shards, ${other.run} one of ${other.record.shard?.of ?? 1}: parts of different cuts overlap. Merge those of one.`,
  );
}

function requireEachOnce(runs: readonly ShardRun[]): void {
  const doubles = runs.flatMap((run, i) => {
    const before = runs.slice(0, i).find((other) => indexOf(other) === indexOf(run));
    const { shard } = run.record;
    return before === undefined
      ? []
      : [`${shard === null ? "the whole" : formatShard(shard)} (${before.run} and ${run.run})`];
  });
  if (doubles.length > 0)
    throw new UsageError(`These parts are there twice: ${doubles.join("; ")}. Leave one of each out.`);
}

function indexOf({ record }: ShardRun): number {
  return record.shard?.index ?? 1;
}

/** One of several parts of an experiment, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/**
 * Reads what `--shard` is given.
 * @example
 * parseShard("1/4"); // { index: 1, of: 4 }
 */
export function parseShard(text: string): Shard {
  const [, index, of] = (/^(\d{1,6})\/(\d{1,6})$/.exec(text.trim()) ?? []).map(Number);
  if (index !== undefined && of !== undefined && index >= 1 && index <= of) return { index, of };
  throw new UsageError(`--shard must look like 1/4, the first of four, but is "${text}".`);
}

export function formatShard({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/**
 * The stimuli of a shard. All trials of a stimulus are in one shard, whatever the variant, so that pairs stay together;
 * shards are as large as each other to within one stimulus. Which one a stimulus is in depends on the stimuli alone, not
 * on their order.
 */
export function inShard(stimuli: Iterable<string>, { index, of }: Shard): Set<string> {
  const shuffled = [...new Set(stimuli)].map((name) => ({ name, order: digest(name) })).sort(byOrder);
  if (of > shuffled.length)
    throw new UsageError(
      `There ${shuffled.length === 1 ? "is 1 stimulus" : `are ${shuffled.length} stimuli`}, too few for ${of} shards: some would have nothing to run. Use at most ${shuffled.length}.`,
    );
  return new Set(shuffled.filter((_, place) => place % of === index - 1).map(({ name }) => name));
}

function byOrder(a: { order: string }, b: { order: string }): number {
  return a.order < b.order ? -1 : a.order > b.order ? 1 : 0;
}
