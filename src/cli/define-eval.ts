import type { BaseExample, Dataset, Example, Output, ScoreContext, Scored, TrialContext } from "../core/index.js";
import type { SummaryKey } from "../metrics/index.js";
import type { RunConfig } from "./run-config-schema.js";

/** A row of `data`: the fields of an example, an id only if it has one, and any others. */
export type DataRow = Partial<BaseExample>;

/** The examples of an eval: rows, a function that returns them, or a dataset by name or file. */
export type EvalData<Row extends object> = string | Rows<Row> | (() => Rows<Row> | Promise<Rows<Row>>);

/** Not any iterable, because text is one, too. */
type Rows<Row extends object> = readonly Row[] | AsyncIterable<Row> | Dataset;

/**
 * A system as a function: returns the response, or a whole output.
 * @example
 * const shout: SystemFunction<{ question: string }> = (example) => example.question.toUpperCase();
 */
export type SystemFunction<Row extends object = Record<string, unknown>> = (
  example: Example<Row>,
  trial: TrialContext,
) => string | Output | Promise<string | Output>;

/** What an evaluator function sees. */
export interface EvaluatorInput<Row extends object = Record<string, unknown>> extends Partial<ScoreContext> {
  readonly example: Example<Row>;
  readonly output: Output;
  /** The response of the output; empty if it has none. */
  readonly response: string;
}

/**
 * An evaluator as a function: returns a score from 0 to 1, whether the output is right, or several scores by field.
 * @example
 * const brief: EvaluatorFunction = ({ response }) => response.length < 80;
 */
export type EvaluatorFunction<Row extends object = Record<string, unknown>> = (
  input: EvaluatorInput<Row>,
) => number | boolean | Scored | Promise<number | boolean | Scored>;

/** As in config files, or a function with a name, or functions by name. */
type Entry<Key extends "systems" | "evaluators", Fn> =
  | NonNullable<RunConfig[Key]>[number]
  | Fn
  | Readonly<Record<string, Fn>>;

/** Bounds of a summary value; outside of them the eval fails. */
export interface EvalGate {
  readonly min?: number;
  readonly max?: number;
}

/** Settings that an eval has another word for, or that belong to a project. */
type ReplacedKey =
  | "systems"
  | "datasets"
  | "evaluators"
  | "failUnder"
  | "failOver"
  | "title"
  | "output"
  | "evals"
  | "namedDatasets"
  | "reader";

/** An eval: what an `*.eval.ts` file exports. Everything besides the keys here is as in `assay.config.ts`. */
export interface EvalDefinition<Row extends object = Record<string, unknown>> extends Omit<RunConfig, ReplacedKey> {
  /** Its name in reports. Default: the name of the file. */
  readonly name?: string;
  readonly data: EvalData<Row>;
  /** What is measured. May be omitted if the eval names models or agents. */
  readonly system?: Entry<"systems", SystemFunction<Row>>;
  /** Several, to compare them. */
  readonly systems?: readonly Entry<"systems", SystemFunction<Row>>[];
  /** How outputs are scored; the first one decides pass or fail. Default: those of the dataset. */
  readonly evaluators?: readonly Entry<"evaluators", EvaluatorFunction<Row>>[];
  /** Bounds of summary values, for every system. */
  readonly gates?: { readonly [Key in SummaryKey]?: EvalGate };
}

/**
 * Describes an eval, with the types of its rows. `assay run` finds it in files named `*.eval.ts`.
 * @example
 * export default defineEval({
 *   data: [{ question: "Capital of France?", answer: "Paris" }],
 *   system: (example) => ask(example.question),
 *   evaluators: [{ names_it: ({ example, response }) => response.includes(example.answer) }],
 *   gates: { pass_rate: { min: 0.9 } },
 * });
 */
export function defineEval<Row extends DataRow = Record<string, unknown>>(
  definition: EvalDefinition<Row>,
): EvalDefinition<Row> {
  return definition;
}
