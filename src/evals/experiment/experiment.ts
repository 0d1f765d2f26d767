import type { PointerPath } from "./pointer.js";

/** An experiment file, read and checked: what is varied, and how. */
export interface Experiment {
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** The eval files; paths are absolute. */
  readonly evals: readonly string[];
  /** The variant that all others are held against. */
  readonly baseline: string;
  /** The places of an eval document at which variants may differ. */
  readonly vary: readonly PointerPath[];
  readonly variants: readonly Variant[];
  /** Trials of each stimulus, whatever the eval files say; null to leave it to them. */
  readonly runs: number | null;
  readonly notes: readonly string[];
}

/** One way of running the evals of an experiment. */
export interface Variant {
  readonly name: string;
  /** Eval files of its own, in the order of the experiment's; null for those. */
  readonly evals: readonly string[] | null;
  readonly settings: readonly Setting[];
  /** True when it is a combination of a matrix, and so has no place of its own in the file. */
  readonly isCombination: boolean;
}

/** A place of an eval document, and what is put there; null takes away what is there. */
export interface Setting {
  readonly path: PointerPath;
  readonly value: unknown;
}
