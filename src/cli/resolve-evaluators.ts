import { type Dataset, makeDataset } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { ExampleSource } from "../core/example.js";
import type { Registry } from "../core/registry.js";
import { didYouMean } from "../core/suggest.js";
import { isModulePath } from "./load-module.js";
import type { Judged } from "./make-judge.js";
import { argumentOf, identifiedBy, named, nameOf, oneFromModule } from "./resolve.js";
import type { RunConfig } from "./run-config.js";

/** Datasets joined to the evaluators that a run brings for them. */
export interface Evaluated {
  datasets: (Dataset | ExampleSource)[];
  /** Those that score every dataset; undefined where each has its own. */
  evaluators: Evaluator[] | undefined;
  /** Those that were made here, and are to be closed when the run is over. */
  made: Evaluator[];
}

/** What a run says of its evaluators. */
export type EvaluatorConfig = Pick<RunConfig, "evaluators" | "unsafeLocalExec"> & Judged;

/**
 * Makes the evaluators that a run names: `NAME` scores every dataset, `DATASET=NAME` one of them. A dataset that none is
 * named for keeps its own. A judge comes before all others, so that it decides where nothing else is said to.
 */
export async function resolveEvaluators(
  registry: Registry,
  config: EvaluatorConfig,
  datasets: (Dataset | ExampleSource)[],
): Promise<Evaluated> {
  const made: Evaluator[] = [];
  const judge = config.judge === undefined ? null : await judgeOf(config);
  if (judge !== null) made.push(judge);
  const forAll: Evaluator[] = [];
  const forOne = new Map<string, Evaluator[]>();
  const names = datasets.flatMap((dataset) => ("examples" in dataset ? dataset.name : []));
  for (const given of config.evaluators ?? []) {
    if (typeof given !== "string") {
      forAll.push(given);
      continue;
    }
    const { dataset, spec } = splitDataset(given, names);
    const isJudge = judge !== null && spec === judge.name;
    const evaluator = isJudge ? judge : await makeEvaluator(registry, spec, config);
    if (!isJudge) made.push(evaluator);
    if (dataset === null) forAll.push(evaluator);
    else forOne.set(dataset, [...(forOne.get(dataset) ?? []), evaluator]);
  }
  const evaluators = forAll.length === 0 ? undefined : forAll;
  const isNamed = judge !== null && [...forAll, ...[...forOne.values()].flat()].includes(judge);
  const extra = judge === null || isNamed ? [] : [judge];
  if (forOne.size + extra.length === 0) return { datasets, evaluators, made };
  const joined = datasets.map((dataset) => {
    const own = "examples" in dataset ? (forOne.get(dataset.name) ?? evaluators ?? dataset.evaluators) : evaluators;
    return withEvaluators(dataset, [...extra, ...(own ?? [])]);
  });
  return { datasets: joined, evaluators: undefined, made };
}

async function judgeOf(config: EvaluatorConfig): Promise<Evaluator | null> {
  const { makeJudge } = await import("./make-judge.js");
  return makeJudge(config);
}

/** `gsm8k=math_equivalence` names a dataset of the run; the argument of an evaluator may hold "=" too: `regex:a=b`. */
function splitDataset(given: string, names: readonly string[]): { dataset: string | null; spec: string } {
  const at = given.indexOf("=");
  const dataset = given.slice(0, at);
  if (at > 0 && names.includes(dataset)) return { dataset, spec: given.slice(at + 1) };
  if (at > 0 && /^[\w-]+$/.test(dataset))
    throw new UsageError(
      `--evaluator ${given} names the dataset "${dataset}", which is none of this run's.${didYouMean(dataset, names)}`,
    );
  return { dataset: null, spec: given };
}

function withEvaluators(dataset: Dataset | ExampleSource, evaluators: readonly Evaluator[]): Dataset | ExampleSource {
  if (evaluators.length === 0) return dataset;
  if (!("examples" in dataset)) return sourceWith(dataset, evaluators);
  const { primaryField, ...rest } = dataset;
  const keeps = primaryField !== undefined && evaluators.some(({ fields }) => fields?.includes(primaryField));
  return makeDataset({ ...rest, evaluators, ...(keeps ? { primaryField } : {}) });
}

/** Examples that a config hands over as they are have no place for evaluators: they get one. */
function sourceWith(source: ExampleSource, evaluators: readonly Evaluator[]): ExampleSource {
  return Symbol.iterator in source
    ? Object.assign({ [Symbol.iterator]: () => source[Symbol.iterator]() }, { evaluators })
    : Object.assign({ [Symbol.asyncIterator]: () => source[Symbol.asyncIterator]() }, { evaluators });
}

async function makeEvaluator(registry: Registry, spec: string, config: RunConfig): Promise<Evaluator> {
  // What follows the colon may look like a path: `regex:x.js`.
  const isNamed = spec.includes(":") && registry.has("evaluator", nameOf(spec));
  if (!isNamed && isModulePath(spec)) return evaluatorFromModule(spec);
  const { unsafeLocalExec = false } = config;
  return named(registry.get("evaluator", nameOf(spec)), argumentOf(spec), { unsafeLocalExec });
}

async function evaluatorFromModule(path: string): Promise<Evaluator> {
  const evaluator = await oneFromModule<Evaluator>(path, "evaluator", "score");
  const { name, fields, primaryFields } = evaluator;
  return {
    name,
    score: (original, processed, context) => evaluator.score(original, processed, context),
    ...(fields === undefined ? {} : { fields }),
    ...(primaryFields === undefined ? {} : { primaryFields }),
    prepare: () => evaluator.prepare?.(),
    close: async () => evaluator.close?.(),
    ...identifiedBy(path, evaluator, "score"),
  };
}
