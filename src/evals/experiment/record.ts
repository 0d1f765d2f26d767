import { isMapping } from "./mapping.js";
import type { Shard } from "./merge-shards.js";

/** What a stored run says of the experiment it is, or is a part of: enough to report it without its files. */
export interface ExperimentRecord {
  readonly name: string;
  readonly description: string | null;
  /** Of the whole plan, so that parts of different plans are told apart. */
  readonly fingerprint: string;
  readonly baseline: string;
  /** JSON pointers. */
  readonly vary: readonly string[];
  readonly variants: readonly RecordedVariant[];
  /** Stimuli of the whole experiment. */
  readonly stimuli: number;
  /** Those stimuli in the order of the eval files; older records lack it. */
  readonly order?: readonly StimulusName[];
  /** Null when the run is the whole of it. */
  readonly shard: Shard | null;
  readonly notes: readonly string[];
}

/** A stimulus by the name its eval has in all variants, and its own. */
export type StimulusName = readonly [evalName: string, stimulus: string | number];

/** A variant, and the names of its systems, by which its rows are found. */
export interface RecordedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values that were set. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Older records lack it. */
  readonly planned?: PlannedTrials;
}

/** How many trials of a variant were planned. */
export interface PlannedTrials {
  /** In the whole experiment. */
  readonly all: number;
  /** In the run, which may be a part of it. */
  readonly here: number;
}

/** What the manifest of a run says of its experiment; null when it is none. */
export function experimentIn(invocation: unknown): ExperimentRecord | null {
  const record = isMapping(invocation) ? invocation.experiment : undefined;
  return isRecord(record) ? record : null;
}

/** A program may keep anything in a manifest: only what a report needs is taken for a record. */
function isRecord(value: unknown): value is ExperimentRecord {
  if (!isMapping(value)) return false;
  const { name, fingerprint, baseline, variants, stimuli, shard, vary, notes, order = [] } = value;
  return (
    [name, fingerprint, baseline].every((text) => typeof text === "string") &&
    typeof stimuli === "number" &&
    (shard === null || (isMapping(shard) && [shard.index, shard.of].every(Number.isInteger))) &&
    [vary, notes].every(Array.isArray) &&
    Array.isArray(order) &&
    order.every((each) => Array.isArray(each) && typeof each[0] === "string") &&
    Array.isArray(variants) &&
    variants.every(isVariant)
  );
}

function isVariant(value: unknown): boolean {
  if (!isMapping(value) || typeof value.name !== "string" || !Array.isArray(value.systems)) return false;
  const { planned } = value;
  return planned === undefined || (isMapping(planned) && [planned.all, planned.here].every(Number.isInteger));
}
