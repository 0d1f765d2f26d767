import type { PointerPath } from "./pointer.js";

/** An experiment file, read and checked: what is varied, and how. */
export interface Experiment {
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** Absolute paths of the eval files. */
  readonly evals: readonly string[];
  /** The variant that the others are compared with. */
  readonly baseline: string;
  /** Paths in the eval document at which variants may differ. */
  readonly vary: readonly PointerPath[];
  readonly variants: readonly Variant[];
  /** Trials of each test case; null to use the value of the eval files. */
  readonly runs: number | null;
  readonly notes: readonly string[];
}

/** One way of running the evals of an experiment. */
export interface Variant {
  readonly name: string;
  /** Eval files of this variant, in the order of the experiment's; null to use those of the experiment. */
  readonly evals: readonly string[] | null;
  readonly settings: readonly Setting[];
  /** True for a combination of a matrix, which has no line of its own in the file. */
  readonly isCombination: boolean;
}

/** A path in an eval document and the value to set there; null removes the value. */
export interface Setting {
  readonly path: PointerPath;
  readonly value: unknown;
}
