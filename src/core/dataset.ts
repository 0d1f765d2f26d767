import type { Evaluator } from "./evaluator.js";
import type { Example, ExampleSource } from "./example.js";

/** Examples with a name, and what belongs to them: their evaluators and the field that decides pass or fail. */
export interface Dataset extends Iterable<Example> {
  readonly name: string;
  readonly examples: readonly Example[];
  /** What identifies the content, when the loader knows it better than by hashing every example. */
  readonly fingerprint?: string;
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
