import type { Evaluator } from "./evaluator.js";
import type { Example, ExampleSource } from "./example.js";

/** Examples with a name, and what belongs to them: their evaluators and the field that decides pass or fail. */
export interface Dataset extends Iterable<Example> {
  readonly name: string;
  /** What a run reads; iterating over the dataset itself gives the same. */
  readonly examples: readonly Example[];
  /** What identifies these very examples, when the loader knows it better than by hashing each. */
  readonly fingerprint?: { readonly of: readonly Example[]; readonly sha256: string };
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  /** Things to tell the user, such as rows that were left out. */
  readonly notes?: readonly string[];
}

/** What a dataset is loaded with. */
export interface LoadOptions {
  /** At most this many examples: a seeded random sample, or the first ones with `head`. */
  maxExamples?: number;
  head?: boolean;
  seed?: number;
  /** Target field → column of the file, e.g. `{ question: "prompt" }`. */
  map?: Readonly<Record<string, string>>;
  /** Keep rows whose column equals the value, e.g. `{ subject: "anatomy" }`. */
  filter?: Readonly<Record<string, string>>;
  /** Count rows that cannot be read instead of stopping at the first. */
  skipBadRows?: boolean;
  /** What follows the colon in `name:config`. */
  config?: string;
}

/** A dataset that can be loaded by name. */
export interface DatasetDefinition {
  readonly description?: string;
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  load(options: LoadOptions): ExampleSource | Promise<ExampleSource>;
}

/**
 * A dataset from its parts.
 * @example
 * const half = makeDataset({ ...dataset, examples: dataset.examples.slice(0, 50) });
 */
export function makeDataset(parts: Omit<Dataset, typeof Symbol.iterator>): Dataset {
  return {
    ...parts,
    [Symbol.iterator]() {
      return this.examples[Symbol.iterator]();
    },
  };
}
