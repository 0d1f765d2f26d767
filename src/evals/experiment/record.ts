import { isYamlMapping } from "./mapping.js";
import type { Shard } from "./merge-shards.js";

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
