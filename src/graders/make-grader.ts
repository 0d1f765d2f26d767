import * as z from "zod";
import type { Example, Grader, GraderFactory, GraderSpec } from "../core/index.js";
import {
  countAskedTurns,
  registry as defaultRegistry,
  describeValue,
  didYouMean,
  getErrorMessage,
  getOwn,
  IdDeduplicator,
  type Registry,
  readUserRole,
} from "../core/index.js";
import { completedGraders } from "./completed.js";
import { createComposedGraders } from "./compose.js";
import { amount, flag, nonEmptyText, readConfig, turnNumber } from "./config.js";
import { customMetricsGraders } from "./custom-metrics.js";
import { diffGraders } from "./diff.js";
import { fileExistsGraders } from "./file-exists.js";
import { fileTextGraders } from "./file-text.js";
import { GraderError, UnknownGraderTypeError } from "./grader-error.js";
import { jsonSchemaGraders } from "./json-schema.js";
import { limitGraders } from "./limits.js";
import { maxRepeatGraders } from "./max-repeat.js";
import { outputTextGraders } from "./output-text.js";
import { programGraders } from "./program.js";
import { runCommandGraders } from "./run-command.js";
import { skillInvocationGraders } from "./skill-invocation.js";
import { toolCallsGraders } from "./tool-calls.js";
import { transcriptGraders } from "./transcript.js";

const SIMPLE_FACTORIES: Readonly<Record<string, GraderFactory>> = {
  ...completedGraders,
  ...outputTextGraders,
  ...transcriptGraders,
  ...fileExistsGraders,
  ...fileTextGraders,
  ...diffGraders,
  ...toolCallsGraders,
  ...limitGraders,
  ...maxRepeatGraders,
  ...skillInvocationGraders,
  ...customMetricsGraders,
  ...jsonSchemaGraders,
  ...runCommandGraders,
  ...programGraders,
};

/**
 * The built-in graders by type. Graders that combine others take their parts from the registry, too.
 * @example
 * createBuiltInFactories(registry)["file-exists"]?.({ path: "add.js" });
 */
export function createBuiltInFactories(registry: Registry): Readonly<Record<string, GraderFactory>> {
  return { ...SIMPLE_FACTORIES, ...createComposedFactories(registry) };
}

function createComposedFactories(registry: Registry): Readonly<Record<string, GraderFactory>> {
  return createComposedGraders((spec) => makePartGrader(spec, registry));
}

/**
 * Makes the grader that a spec names: a registered one, otherwise a built-in one. Graders that combine others are always
 * built in: registered ones would look up their parts in the registry they were made with.
 * @example
 * makeGrader({ type: "file-exists", config: { path: "add.js" } }, registry);
 */
export function makeGrader({ type, config }: GraderSpec, registry: Registry): Grader {
  const made =
    getOwn(createComposedFactories(registry), type) ?? findRegistered(type, registry) ?? getOwn(SIMPLE_FACTORIES, type);
  if (made === undefined) throw new UnknownGraderTypeError(type, suggestGraderType(type, registry));
  if (typeof made === "function") return callFactory(made, config);
  if (config !== undefined && Object.keys(config).length > 0)
    throw new GraderError("it takes no config: it is registered ready-made");
  return made;
}

function findRegistered(type: string, registry: Registry): Grader | GraderFactory | undefined {
  return registry.has("grader", type) ? registry.get("grader", type) : undefined;
}

function suggestGraderType(type: string, registry: Registry): string {
  return didYouMean(type, new Set([...Object.keys(createBuiltInFactories(registry)), ...registry.list("grader")]));
}

function callFactory(factory: GraderFactory, config: GraderSpec["config"]): Grader {
  const grader: unknown = factory(config ?? {});
  if (typeof (grader as Partial<Grader> | null)?.grade === "function") return grader as Grader;
  throw new GraderError("its factory did not return a grader: an object with a method grade()");
}

/** Makes a part of another grader; errors include its type. */
function makePartGrader(spec: GraderSpec, registry: Registry): Grader {
  try {
    return makeGrader(spec, registry);
  } catch (error) {
    if (error instanceof UnknownGraderTypeError) throw error;
    throw new GraderError(`${spec.name ?? spec.type}: ${getErrorMessage(error)}`, { cause: error });
  }
}

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
    after_turn: turnNumber.optional(),
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
    requireTurn(spec, example);
    const field = fields.makeUnique(spec.name ?? formatDefaultField(spec), (name) => RESERVED_FIELDS.has(name));
    return {
      spec,
      grader: makeGrader(spec, registry),
      field,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
    };
  } catch (error) {
    if (error instanceof UnknownGraderTypeError) throw createUnknownTypeError(error, example, index);
    throw createExampleError(
      example,
      `its grader ${formatGraderTitle(given, index)} cannot be used: ${getErrorMessage(error)}`,
      error,
    );
  }
}

function formatDefaultField({ type, after_turn: turn }: GraderSpec): string {
  return turn === undefined ? type : `${type}-after-turn-${turn}`;
}

/** A turn that the example does not have is a mistake; noticed before anything is spent. */
function requireTurn({ after_turn: turn }: GraderSpec, example: Example): void {
  const asked = Math.max(countAskedTurns(example), readUserRole(example)?.maxTurns ?? 0);
  if (turn === undefined || turn <= asked) return;
  const count = asked === 1 ? "is one message" : `has ${asked} messages of the user to answer`;
  throw new GraderError(`it judges after turn ${turn}, but the example ${count}`);
}

function formatGraderTitle(given: unknown, index: number): string {
  const { name, type } = (given ?? {}) as Partial<GraderSpec>;
  const title = name ?? type;
  return typeof title === "string" ? `${index + 1} (${title})` : String(index + 1);
}

function createUnknownTypeError(error: UnknownGraderTypeError, { id, dataset }: Example, index: number): GraderError {
  const where = dataset === undefined || dataset === "" ? "" : ` in ${dataset}`;
  return new GraderError(
    `Unknown grader type "${error.type}" (grader ${index + 1} of example ${JSON.stringify(id)}${where}).${error.suggestion}`,
    { cause: error },
  );
}

function createExampleError({ id, dataset }: Example, what: string, cause?: unknown): GraderError {
  const where = dataset === undefined || dataset === "" ? "" : ` of ${dataset}`;
  return new GraderError(`The example ${JSON.stringify(id)}${where}: ${what.replace(/\.$/, "")}.`, { cause });
}
