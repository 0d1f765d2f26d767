import type { Evaluator, ExampleSource, Registry } from "../core/index.js";
import { type Dataset, didYouMean, makeDataset, UsageError } from "../core/index.js";
import { isModulePath, requireModuleFile } from "./load-module.js";
import type { JudgedRunConfig, RunJudges } from "./make-judge.js";
import { isCommandConfig } from "./program-config.js";
import {
  addModuleFingerprint,
  createFromRegistry,
  getSpecArgument,
  getSpecName,
  loadOneFromModule,
} from "./resolve.js";
import type { EvaluatorCommandConfig, RunConfig } from "./run-config.js";
import { isPlanOnly } from "./run-flags.js";
import { printNote } from "./streams.js";

/** The only evaluator that has its own flags. */
const JUDGE_EVALUATOR = "llm_judge";

/** The evaluator that runs generated code. */
const CODE_EVALUATOR = "code_execution";

/** Datasets with the evaluators of the run. */
export interface ResolvedEvaluators {
  datasets: (Dataset | ExampleSource)[];
  /** Evaluators of every dataset; undefined if each has its own. */
  evaluators: Evaluator[] | undefined;
  /** Evaluators created here, to be closed after the run. */
  made: Evaluator[];
}

export type EvaluatorConfig = Pick<RunConfig, "evaluators" | "unsafeLocalExec"> & JudgedRunConfig;

/**
 * `NAME` scores every dataset, `DATASET=NAME` one of them. Other datasets keep their own evaluators. A judge comes first, so
 * that it decides pass or fail unless the run says otherwise.
 */
export async function resolveEvaluators(
  registry: Registry,
  config: EvaluatorConfig,
  datasets: (Dataset | ExampleSource)[],
): Promise<ResolvedEvaluators> {
  const judges = config.judge === undefined ? null : await makeJudgesIfNamed(config);
  const judge = judges?.default ?? null;
  const names = datasets.flatMap((dataset) => ("examples" in dataset ? dataset.name : []));
  const chosen = await makeChosenEvaluators(registry, { config, names, judge });
  const made = chosen.flatMap(({ evaluator, isMade }) => (isMade ? evaluator : []));
  const joined = combineEvaluators(datasets, chosen, judges);
  if (config.unsafeLocalExec === true && !isPlanOnly(config) && needsCodeExecution(joined)) await warnUnsafeExecution();
  return { ...joined, made: judge === null ? made : [judge, ...made] };
}

function needsCodeExecution({ datasets, evaluators }: Pick<ResolvedEvaluators, "datasets" | "evaluators">): boolean {
  const own = datasets.flatMap((dataset) => ("examples" in dataset ? (dataset.evaluators ?? []) : []));
  return (evaluators ?? own).some(({ name }) => name === CODE_EVALUATOR);
}

async function warnUnsafeExecution(): Promise<void> {
  const { describeIsolation } = await import("../exec/sandbox/index.js");
  const { kind, detail } = await describeIsolation();
  if (kind === null)
    printNote(`There is no sandbox here (${detail}): generated code runs without one and can do everything you can.`);
}

/** Null for every dataset. */
interface ChosenEvaluator {
  dataset: string | null;
  evaluator: Evaluator;
  /** False for evaluators passed as objects in the config, and for the judge. */
  isMade: boolean;
}

interface EvaluatorRequest {
  config: EvaluatorConfig;
  names: readonly string[];
  judge: Evaluator | null;
}

async function makeChosenEvaluators(
  registry: Registry,
  { config, names, judge }: EvaluatorRequest,
): Promise<ChosenEvaluator[]> {
  const chosen: ChosenEvaluator[] = [];
  for (const given of config.evaluators ?? []) {
    if (isCommandConfig(given)) {
      chosen.push({ dataset: null, evaluator: await openCommandEvaluator(given), isMade: true });
      continue;
    }
    if (typeof given !== "string") {
      chosen.push({ dataset: null, evaluator: given, isMade: false });
      continue;
    }
    const { dataset, spec } = splitDatasetPrefix(given, names);
    const isJudge = judge !== null && spec === judge.name;
    const evaluator = isJudge ? judge : await resolveEvaluator(registry, spec, config);
    chosen.push({ dataset, evaluator, isMade: !isJudge });
  }
  return chosen;
}

async function openCommandEvaluator({ timeout, ...options }: EvaluatorCommandConfig): Promise<Evaluator> {
  const { CommandEvaluator } = await import("../evaluators/command-evaluator.js");
  return new CommandEvaluator({ ...options, ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }) });
}

/** Assigns evaluators to datasets; a judge without a dataset applies to all. */
function combineEvaluators(
  datasets: (Dataset | ExampleSource)[],
  chosen: readonly ChosenEvaluator[],
  judges: RunJudges | null,
): Pick<ResolvedEvaluators, "datasets" | "evaluators"> {
  const forOne = (name: string) => chosen.filter(({ dataset }) => dataset === name).map(({ evaluator }) => evaluator);
  const forAll = chosen.filter(({ dataset }) => dataset === null).map(({ evaluator }) => evaluator);
  const judge = judges?.default;
  const isSaid = chosen.some(({ evaluator }) => evaluator === judge);
  const extra = judge === undefined || isSaid ? [] : [judge];
  const evaluators = forAll.length === 0 ? undefined : forAll;
  const isSame = datasets.every((dataset) => judges === null || judges.select(dataset) === judge);
  if (extra.length === 0 && forAll.length === chosen.length && isSame) return { datasets, evaluators };
  const joined = datasets.map((dataset) => {
    const named = "examples" in dataset ? forOne(dataset.name) : [];
    const own = "examples" in dataset ? dataset.evaluators : undefined;
    const all = [...extra, ...(named.length > 0 ? named : (evaluators ?? own ?? []))];
    return attachEvaluators(
      dataset,
      all.map((evaluator) => (evaluator === judge ? (judges?.select(dataset) ?? evaluator) : evaluator)),
    );
  });
  return { datasets: joined, evaluators: undefined };
}

async function makeJudgesIfNamed(config: EvaluatorConfig): Promise<RunJudges | null> {
  const { makeJudges } = await import("./make-judge.js");
  return makeJudges(config);
}

/** `gsm8k=math_equivalence` names a dataset of the run, but an evaluator's argument may contain "=" too: `regex:a=b`. */
function splitDatasetPrefix(given: string, names: readonly string[]): { dataset: string | null; spec: string } {
  const known = names.find((name) => given.startsWith(`${name}=`));
  const at = known === undefined ? given.indexOf("=") : known.length;
  const dataset = given.slice(0, at);
  if (known === undefined && (at < 1 || /[:/]/.test(dataset))) return { dataset: null, spec: given };
  if (!names.includes(dataset)) {
    const alike = didYouMean(dataset.replace(/\.\w+$/, ""), names);
    throw new UsageError(`--evaluator ${given}: this run has no dataset "${dataset}".${alike}`);
  }
  const spec = given.slice(at + 1);
  if (spec === "") throw new UsageError(`--evaluator ${given}: the evaluator after "=" is missing.`);
  return { dataset, spec };
}

function attachEvaluators(dataset: Dataset | ExampleSource, evaluators: readonly Evaluator[]): Dataset | ExampleSource {
  if (evaluators.length === 0) return dataset;
  if (!("examples" in dataset)) return attachToSource(dataset, evaluators);
  const { primaryField, ...rest } = dataset;
  const keeps = primaryField !== undefined && evaluators.some(({ fields }) => fields?.includes(primaryField));
  return makeDataset({ ...rest, evaluators, ...(keeps ? { primaryField } : {}) });
}

/** Plain example sources in a config have no evaluators field, so they are wrapped. */
function attachToSource(source: ExampleSource, evaluators: readonly Evaluator[]): ExampleSource {
  return Symbol.iterator in source
    ? Object.assign({ [Symbol.iterator]: () => source[Symbol.iterator]() }, { evaluators })
    : Object.assign({ [Symbol.asyncIterator]: () => source[Symbol.asyncIterator]() }, { evaluators });
}

async function resolveEvaluator(registry: Registry, spec: string, config: RunConfig): Promise<Evaluator> {
  if (getSpecName(spec) === JUDGE_EVALUATOR && spec !== JUDGE_EVALUATOR)
    throw new UsageError(`${JUDGE_EVALUATOR} takes no argument after a colon. Set its model with --judge-model.`);
  // The part after the colon may look like a path: `regex:x.js`.
  const isNamed = spec.includes(":") && registry.has("evaluator", getSpecName(spec));
  if (!isNamed && isModulePath(spec)) return loadEvaluatorModule(spec);
  if (!isNamed) requireModuleFile(spec, "evaluator");
  const { unsafeLocalExec = false } = config;
  return createFromRegistry(registry.get("evaluator", getSpecName(spec)), getSpecArgument(spec), { unsafeLocalExec });
}

async function loadEvaluatorModule(path: string): Promise<Evaluator> {
  const evaluator = await loadOneFromModule<Evaluator>(path, "evaluator", "score");
  const { name, fields, primaryFields } = evaluator;
  return {
    name,
    score: (original, processed, context) => evaluator.score(original, processed, context),
    ...(fields === undefined ? {} : { fields }),
    ...(primaryFields === undefined ? {} : { primaryFields }),
    prepare: () => evaluator.prepare?.(),
    close: async () => evaluator.close?.(),
    ...addModuleFingerprint(path, evaluator, "score"),
  };
}
