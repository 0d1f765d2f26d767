import type { Example, Output, System, TrialContext } from "../core/index.js";
import { describeValue, isThenable, ShapeError, TrialError } from "../core/index.js";

/** What a function may return: the response, or a whole output. */
export type FunctionResult = string | Output;

/** Options of `FunctionSystem`. */
export interface FunctionSystemOptions<Name extends string = string> {
  name: Name;
  fn: (example: Example, trial: TrialContext) => FunctionResult | Promise<FunctionResult>;
  /** Identifies the function's work in the cache. Needed if it depends on values outside its source. */
  fingerprint?: unknown;
}

/**
 * A system from any function.
 * @example
 * new FunctionSystem({ name: "shout", fn: (example) => (example.question ?? "").toUpperCase() });
 */
export class FunctionSystem<const Name extends string = string> implements System<Name> {
  readonly name: Name;
  readonly #fn: FunctionSystemOptions["fn"];
  readonly #fingerprint: unknown;

  constructor({ name, fn, fingerprint }: FunctionSystemOptions<Name>) {
    if (typeof name !== "string" || name === "") {
      throw new ShapeError(`A FunctionSystem needs a non-empty \`name\`, but has ${describeValue(name)}.`);
    }
    if (typeof fn !== "function") {
      throw new ShapeError(`The FunctionSystem "${name}" needs a function \`fn\`, but has ${describeValue(fn)}.`);
    }
    this.name = name;
    this.#fn = fn;
    this.#fingerprint = fingerprint ?? { name, source: String(fn) };
  }

  process(example: Example, trial: TrialContext): Output | Promise<Output> {
    const result = this.#fn(example, trial);
    return isThenable(result) ? Promise.resolve(result).then((value) => this.#toOutput(value)) : this.#toOutput(result);
  }

  fingerprint(): unknown {
    return this.#fingerprint;
  }

  #toOutput(result: FunctionResult): Output {
    if (typeof result === "string") return { response: result };
    if (typeof result === "object" && result !== null && !Array.isArray(result)) return result;
    throw new TrialError(
      "system_error",
      `The function of "${this.name}" returned ${describeValue(result)}. Return a string, or an output such as { response: "…" }.`,
    );
  }
}
