import { basename, relative } from "node:path";
import {
  describeValue,
  type Evaluator,
  type Example,
  type Output,
  type ScoreContext,
  type Scored,
  ShapeError,
  UsageError,
} from "../core/index.js";
import { FunctionSystem } from "../systems/index.js";
import type { EvalDefinition, EvalGate, EvaluatorFunction, SystemFunction } from "./define-eval.js";
import { toEvalDataset } from "./eval-data.js";
import { EVAL_ENDING, fingerprintModule, loadImports, loadModule } from "./load-module.js";
import type { RunConfig } from "./run-config.js";

/** Keys of config files that an eval has another word for. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  datasets: "data",
  failUnder: "gates: { pass_rate: { min: 0.9 } }",
  failOver: "gates: { latency_p95: { max: 2 } }",
  title: "name",
};

/** Settings of a project, which a single eval does not have. */
const PROJECT_KEYS = ["evals", "namedDatasets", "reader"];

/** Chosen where a command is started. */
const COMMAND_KEYS: Readonly<Record<string, string>> = { output: "--output" };

/** Reads the eval that a file exports, as the config of a run. */
export async function loadEvalModule(file: string): Promise<RunConfig> {
  const path = relative(process.cwd(), file);
  const exports = await loadModule(path, "eval file");
  const definition = requireDefinition(exports.default, path);
  const {
    name = basename(path).replace(EVAL_ENDING, ""),
    data,
    system,
    systems,
    evaluators,
    gates,
    ...rest
  } = definition;
  const identify = await createIdentifier(path);
  const about = { path, name, identify };
  const measured = systems ?? (system === undefined ? undefined : [system]);
  return {
    ...rest,
    title: name,
    datasets: [toEvalDataset(data, { path, name })],
    ...(measured && { systems: measured.flatMap((each) => toSystems(each, about)) }),
    ...(evaluators && { evaluators: evaluators.flatMap((each) => toEvaluators(each, about)) }),
    ...toGates(gates ?? {}, path),
  };
}

type SystemEntry = NonNullable<RunConfig["systems"]>[number];
type EvaluatorEntry = NonNullable<RunConfig["evaluators"]>[number];

interface EvalContext {
  readonly path: string;
  readonly name: string;
  /** What a function of the eval depends on. */
  readonly identify: (fn: unknown) => string;
}

function requireDefinition(value: unknown, path: string): EvalDefinition {
  const example = "Write: export default defineEval({ data: […], system: (example) => …, evaluators: […] }).";
  if (value === undefined) throw new UsageError(`${path} has no default export. ${example}`);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError(`The default export of ${path} is ${describeValue(value)}, not an eval. ${example}`);
  if (!("data" in value)) throw new UsageError(`The eval of ${path} has no data. ${example}`);
  const other = Object.keys(value).find((key) => Object.hasOwn(OTHER_WORDS, key));
  if (other !== undefined) throw new UsageError(`${path}: an eval has no key "${other}". Write ${OTHER_WORDS[other]}.`);
  const flag = Object.entries(COMMAND_KEYS).find(([key]) => Object.hasOwn(value, key));
  if (flag !== undefined) throw new UsageError(`${path}: an eval has no key "${flag[0]}". Use the flag ${flag[1]}.`);
  const project = Object.keys(value).find((key) => PROJECT_KEYS.includes(key));
  if (project !== undefined)
    throw new UsageError(`${path}: "${project}" belongs to a project, not to an eval. Put it into assay.config.yaml.`);
  const { system, systems, evaluators, name } = value as Partial<EvalDefinition>;
  if (name !== undefined && (typeof name !== "string" || name === ""))
    throw new UsageError(`${path}: name is ${describeValue(name)}, not text.`);
  if (system !== undefined && systems !== undefined)
    throw new UsageError(`${path} has both system and systems. Keep one of them.`);
  for (const [key, list] of Object.entries({ systems, evaluators }))
    if (list !== undefined && !Array.isArray(list))
      throw new UsageError(`${path}: ${key} is ${describeValue(list)}, not a list. Write ${key}: [ … ].`);
  return value as EvalDefinition;
}

/**
 * A function depends on the module that exports it, with its imports; one that is written in the eval file depends on the
 * whole file. So outputs of an imported system stay cached while the eval changes.
 */
async function createIdentifier(path: string): Promise<(fn: unknown) => string> {
  const imports = await loadImports(path);
  return (fn) => {
    const origin = imports.find(({ exports }) => Object.values(exports).includes(fn));
    return fingerprintModule(origin?.file ?? path);
  };
}

function toSystems(given: NonNullable<EvalDefinition["system"]>, about: EvalContext): SystemEntry[] {
  const named = typeof given === "function" ? [[nameSystem(given, about), given] as const] : listFunctions(given);
  if (named === null) return [given as SystemEntry];
  return named.map(([name, fn]) => {
    const run = fn as SystemFunction;
    return new FunctionSystem({
      name,
      fn: (example, trial) => run(example, trial),
      fingerprint: { name, source: String(run), module: about.identify(run) },
    });
  });
}

/** An inline function gets the name of its key, which says nothing. */
function nameSystem(fn: SystemFunction, { name }: EvalContext): string {
  return ["", "system", "systems", "default"].includes(fn.name) ? name : fn.name;
}

type EvaluatorItem = NonNullable<EvalDefinition["evaluators"]>[number];

function toEvaluators(given: EvaluatorItem, about: EvalContext): EvaluatorEntry[] {
  if (typeof given === "function" && given.name === "")
    throw new UsageError(
      `${about.path}: an evaluator is a function without a name. Write { my_score: ({ example, response }) => … }, or a named function.`,
    );
  const named = typeof given === "function" ? [[given.name, given] as const] : listFunctions(given);
  if (named === null) return [given as EvaluatorEntry];
  return named.map(([name, fn]) => makeEvaluator(name, fn as EvaluatorFunction, about));
}

function makeEvaluator(name: string, fn: EvaluatorFunction, { identify }: EvalContext): Evaluator {
  const identity = { name, source: String(fn), module: identify(fn) };
  return {
    name,
    primaryFields: [name],
    score: async (example: Example, output: Output, context?: ScoreContext) =>
      toScores(name, await fn({ ...context, example, output, response: output.response ?? "" })),
    fingerprint: () => identity,
  };
}

function toScores(name: string, result: unknown): Scored {
  if (typeof result === "boolean" || typeof result === "number") return { [name]: Number(result) };
  if (typeof result === "object" && result !== null && !Array.isArray(result)) return result as Scored;
  throw new ShapeError(
    `The evaluator "${name}" returned ${describeValue(result)}. Return a number from 0 to 1, true or false, or scores by field.`,
  );
}

/** Functions by name; null for anything else, which config files may contain, too. */
function listFunctions(given: unknown): (readonly [string, unknown])[] | null {
  if (typeof given !== "object" || given === null || "process" in given || "score" in given) return null;
  const entries = Object.entries(given);
  return entries.length > 0 && entries.every(([, value]) => typeof value === "function") ? entries : null;
}

function toGates(
  gates: Readonly<Record<string, EvalGate | undefined>>,
  path: string,
): Pick<RunConfig, "failUnder" | "failOver"> {
  const bounds = Object.entries(gates).map(([key, gate]) => [key, requireGate(gate, { key, path })] as const);
  const collect = (side: keyof EvalGate) =>
    Object.fromEntries(bounds.flatMap(([key, { [side]: limit }]) => (limit === undefined ? [] : [[key, limit]])));
  const [failUnder, failOver] = [collect("min"), collect("max")];
  return {
    ...(Object.keys(failUnder).length > 0 && { failUnder }),
    ...(Object.keys(failOver).length > 0 && { failOver }),
  };
}

function requireGate(gate: unknown, { key, path }: { key: string; path: string }): EvalGate {
  const { min, max, ...others } = typeof gate === "object" && gate !== null ? (gate as Record<string, unknown>) : {};
  const isBound = (bound: unknown) => bound === undefined || (typeof bound === "number" && Number.isFinite(bound));
  const isEmpty = min === undefined && max === undefined;
  if (isBound(min) && isBound(max) && !isEmpty && Object.keys(others).length === 0) return gate as EvalGate;
  throw new UsageError(
    `${path}: the gate on ${key} is ${describeValue(gate)}. Write ${key}: { min: 0.9 }, { max: 2 } or both.`,
  );
}
