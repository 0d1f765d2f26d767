import * as z from "zod";
import { getErrorMessage } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { IdDeduplicator } from "../core/fingerprint.js";
import type { Grader, GraderSpec } from "../core/grader.js";
import { registry as defaultRegistry, type Registry } from "../core/registry.js";
import { describeValue } from "../core/shape.js";
import { amount, flag, nonEmptyText, readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import { makeGrader } from "./make-grader.js";

/** A grader of an example, ready to run. */
export interface ExampleGrader {
  readonly spec: GraderSpec;
  readonly grader: Grader;
  /** Its score field. */
  readonly field: string;
  readonly weight: number;
  readonly required: boolean;
}

/** The graders of an example, and the score needed to pass; null if all graders must pass. */
export interface ExampleGraders {
  readonly graders: readonly ExampleGrader[];
  readonly threshold: number | null;
}

/** The fields for whether the trial passed, and for the weighted score. */
export const VERDICT = "verdict";
export const WEIGHTED_SCORE = "weighted_score";

/** Not available to graders: a field `score` would override the verdict, and `__proto__` cannot be an ordinary key. */
const RESERVED_FIELDS: ReadonlySet<string> = new Set([VERDICT, WEIGHTED_SCORE, "score", "__proto__"]);

const specSchema = z.strictObject(
  {
    type: nonEmptyText,
    config: z.record(z.string(), z.unknown(), "must be an object").optional(),
    name: nonEmptyText.optional(),
    required: flag.optional(),
    weight: amount.optional(),
  },
  "must be an object with a type",
);

/**
 * Throws if a grader of an example cannot be made, and says which one and why. An empty list is valid: the trials of the
 * example are unscored.
 * @example
 * checkGraders({ id: 1, question: "Write add.js", graders: [{ type: "file-exists", config: { path: "add.js" } }] });
 */
export function checkGraders(example: Example, registry: Registry = defaultRegistry): void {
  makeExampleGraders(example, registry);
}

/** Makes the graders of an example; see `checkGraders`. The list may be empty. */
export function makeExampleGraders(example: Example, registry: Registry): ExampleGraders {
  const { graders, threshold } = example;
  if (!Array.isArray(graders))
    throw createExampleError(example, `its graders are ${describeValue(graders)}, not a list`);
  const isShare = typeof threshold === "number" && threshold >= 0 && threshold <= 1;
  if (threshold !== undefined && !isShare)
    throw createExampleError(example, `its threshold is ${describeValue(threshold)}, not a number from 0 to 1`);
  const fields = new IdDeduplicator();
  const made = graders.map((given: unknown, index) => makeExampleGrader(given, { example, index, registry, fields }));
  if (made.length > 0 && made.every(({ weight }) => weight === 0))
    throw createExampleError(
      example,
      "all of its graders have weight 0, so nothing decides. Give one a weight above 0",
    );
  return { graders: made, threshold: isShare ? threshold : null };
}

interface ExampleGraderOptions {
  example: Example;
  index: number;
  registry: Registry;
  fields: IdDeduplicator;
}

function makeExampleGrader(given: unknown, { example, index, registry, fields }: ExampleGraderOptions): ExampleGrader {
  try {
    const spec = readConfig(specSchema, given as Record<string, unknown>, "it") as GraderSpec;
    const field = fields.makeUnique(spec.name ?? spec.type, (name) => RESERVED_FIELDS.has(name));
    return {
      spec,
      grader: makeGrader(spec, registry),
      field,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
    };
  } catch (error) {
    throw createExampleError(
      example,
      `its grader ${formatGraderTitle(given, index)} cannot be used: ${getErrorMessage(error)}`,
      error,
    );
  }
}

function formatGraderTitle(given: unknown, index: number): string {
  const { name, type } = (given ?? {}) as Partial<GraderSpec>;
  const title = name ?? type;
  return typeof title === "string" ? `${index + 1} (${title})` : String(index + 1);
}

function createExampleError({ id, dataset }: Example, what: string, cause?: unknown): GraderError {
  const where = dataset === undefined || dataset === "" ? "" : ` of ${dataset}`;
  return new GraderError(`The example ${JSON.stringify(id)}${where}: ${what.replace(/\.$/, "")}.`, { cause });
}
