import { isMapping } from "./mapping.js";
import type { Shard } from "./shard.js";

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
  /** Null when the run is the whole of it. */
  readonly shard: Shard | null;
  readonly notes: readonly string[];
}

/** A variant, and the names of its systems, by which its rows are found. */
export interface RecordedVariant {
  readonly name: string;
  readonly systems: readonly string[];
  /** JSON pointers with the values that were set. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** What the manifest of a run says of its experiment; null when it is none. */
export function experimentIn(invocation: unknown): ExperimentRecord | null {
  const record = isMapping(invocation) ? invocation.experiment : undefined;
  return isRecord(record) ? record : null;
}

/** A program may keep anything in a manifest: only what a report needs is taken for a record. */
function isRecord(value: unknown): value is ExperimentRecord {
  if (!isMapping(value)) return false;
  const { name, fingerprint, baseline, variants, stimuli, shard, vary, notes } = value;
  return (
    [name, fingerprint, baseline].every((text) => typeof text === "string") &&
    typeof stimuli === "number" &&
    (shard === null || (isMapping(shard) && [shard.index, shard.of].every(Number.isInteger))) &&
    [vary, notes].every(Array.isArray) &&
    Array.isArray(variants) &&
    variants.every((each) => isMapping(each) && typeof each.name === "string" && Array.isArray(each.systems))
  );
}
