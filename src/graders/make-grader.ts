import { getErrorMessage } from "../core/errors.js";
import type { Grader, GraderFactory, GraderSpec } from "../core/grader.js";
import type { Registry } from "../core/registry.js";
import { getOwn } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import { completedGraders } from "./completed.js";
import { createComposedGraders } from "./compose.js";
import { customMetricsGraders } from "./custom-metrics.js";
import { diffGraders } from "./diff.js";
import { fileExistsGraders } from "./file-exists.js";
import { fileTextGraders } from "./file-text.js";
import { GraderError } from "./grader-error.js";
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
  if (made === undefined) throw new GraderError(`there is no grader of this type.${suggestGraderType(type, registry)}`);
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
    throw new GraderError(`${spec.name ?? spec.type}: ${getErrorMessage(error)}`, { cause: error });
  }
}
