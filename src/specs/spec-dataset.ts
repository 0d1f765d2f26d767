import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { type Dataset, makeDataset, type RunTerms } from "../core/dataset.js";
import type { Environment } from "../core/environment.js";
import { DatasetError, messageOf } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { registry as defaultRegistry, type Registry } from "../core/registry.js";
import { GraderEvaluator } from "../graders/grader-evaluator.js";
import { EnvironmentReader } from "../workspace/environment-reader.js";
import type { EvalSpec, SpecDefaults, Stimulus } from "./spec.js";

/**
 * The stimuli of a spec as examples that can be run. What their environments name is read now.
 * @example
 * const dataset = await datasetOf(await loadSpec("eval.yaml"));
 */
export async function datasetOf(spec: EvalSpec, registry: Registry = defaultRegistry): Promise<Dataset> {
  const readers = new Map<string, EnvironmentReader>();
  const examples: Example[] = [];
  for (const stimulus of spec.stimuli) examples.push(await exampleOf(stimulus, spec, readers));
  const { name, skill, gates, notes, defaults } = spec;
  return makeDataset({
    name,
    examples,
    evaluators: [new GraderEvaluator({ registry })],
    primaryField: "verdict",
    terms: termsOf(defaults),
    gates,
    ...(skill !== null && { skill: skill.name }),
    ...(notes.length > 0 && { notes: notes.map((note) => `${spec.file}: ${note}`) }),
    ...(spec.stimuli.some(({ trigger }) => trigger !== null) && { facets: ["trigger"] }),
  });
}

function termsOf({ runs, timeoutMs, maxCostUsd }: SpecDefaults): RunTerms {
  return {
    trials: runs,
    ...(maxCostUsd !== null && { maxCostUsd }),
    ...(timeoutMs !== null && { hardTimeoutMs: timeoutMs }),
  };
}

/** Golden patches and tags stay out: they are not for the agent, and what they are changes nothing of what is asked. */
async function exampleOf(
  stimulus: Stimulus,
  spec: EvalSpec,
  readers: Map<string, EnvironmentReader>,
): Promise<Example> {
  const { name, prompt, turns, graders, threshold, trigger } = stimulus;
  return {
    id: name,
    question: prompt,
    ...(turns.length > 0 && { turns: [...turns] }),
    dataset: spec.name,
    environment: await inlined(stimulus, spec, readers),
    graders,
    ...(threshold !== null && { threshold }),
    ...(trigger !== null && { trigger }),
  };
}

/** Each is read from the folder that holds the eval file and all that it names: links must not lead out of that. */
async function inlined(
  { name, environment }: Stimulus,
  { file }: EvalSpec,
  readers: Map<string, EnvironmentReader>,
): Promise<Environment> {
  const sources = (environment.files ?? []).flatMap((one) => ("src" in one ? [dirname(one.src)] : []));
  const root = sources.reduce(sharedFolder, dirname(resolve(file)));
  const reader = readers.get(root) ?? new EnvironmentReader(root);
  readers.set(root, reader);
  try {
    return await reader.read(relativeTo(root, environment));
  } catch (cause) {
    throw new DatasetError(`${file}: the stimulus ${JSON.stringify(name)}: ${messageOf(cause)}`, { cause });
  }
}

/** The nearest folder that both lie in. */
function sharedFolder(folder: string, path: string): string {
  const way = relative(folder, path);
  const isInside = way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  const above = dirname(folder);
  return isInside || above === folder ? folder : sharedFolder(above, path);
}

/** With sources relative to a folder, as the reader wants them. */
function relativeTo(root: string, environment: Environment): Environment {
  const { files } = environment;
  if (files === undefined) return environment;
  const pathOf = (path: string) => relative(root, path).split(sep).join("/") || ".";
  return {
    ...environment,
    files: files.map((one) => ("src" in one ? { src: pathOf(one.src), dest: one.dest } : one)),
  };
}
