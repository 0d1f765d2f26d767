import type { Environment, Example } from "../../core/index.js";
import {
  type Dataset,
  DatasetError,
  type DatasetOverrides,
  registry as defaultRegistry,
  getErrorMessage,
  makeDataset,
  type Registry,
} from "../../core/index.js";
import { GraderEvaluator } from "../../graders/index.js";
import type { EvalSpec, SpecDefaults, Stimulus } from "./spec.js";
import { EnvironmentContentReader } from "./spec-environment.js";

/**
 * Builds a dataset from a spec. Reads the files that the environments name.
 * @example
 * const dataset = await toDataset(await loadSpec("eval.yaml"));
 */
export async function toDataset(spec: EvalSpec, registry: Registry = defaultRegistry): Promise<Dataset> {
  const contents = new EnvironmentContentReader(spec.file);
  const examples: Example[] = [];
  for (const stimulus of spec.stimuli) examples.push(await buildExample(stimulus, spec, contents));
  const { name, skill, gates, notes, defaults } = spec;
  return makeDataset({
    name,
    examples,
    evaluators: [new GraderEvaluator({ registry })],
    primaryField: "verdict",
    terms: buildSpecTerms(defaults),
    ...buildSpecLimits(spec.stimuli),
    gates,
    ...(skill !== null && { skill: skill.name }),
    ...(notes.length > 0 && { notes: notes.map((note) => `${spec.file}: ${note}`) }),
    ...(spec.stimuli.some(({ trigger }) => trigger !== null) && { facets: ["trigger"] }),
    ...buildTagLabels(spec.stimuli),
  });
}

/** Tags are labels, not part of the example: they do not change the question, and results can be filtered by them. */
function buildTagLabels(stimuli: readonly Stimulus[]): Pick<Dataset, "labels"> {
  const tagged = stimuli.filter(({ tags }) => Object.keys(tags).length > 0);
  return tagged.length === 0 ? {} : { labels: new Map(tagged.map(({ name, tags }) => [name, tags])) };
}

function buildSpecTerms({ runs, timeoutMs, maxCostUsd }: SpecDefaults): DatasetOverrides {
  return {
    trials: runs,
    ...(maxCostUsd !== null && { maxCostUsd }),
    ...(timeoutMs !== null && { hardTimeoutMs: timeoutMs }),
  };
}

/** What single test cases override. */
function buildSpecLimits(stimuli: readonly Stimulus[]): Pick<Dataset, "limits"> {
  const limits = stimuli.flatMap(({ name, limits: { runs, timeoutMs, maxCostUsd } }) => {
    const own = {
      ...(runs !== null && { trials: runs }),
      ...(maxCostUsd !== null && { maxCostUsd }),
      ...(timeoutMs !== null && { hardTimeoutMs: timeoutMs }),
    };
    return Object.keys(own).length === 0 ? [] : [[name, own] as const];
  });
  return limits.length === 0 ? {} : { limits: new Map(limits) };
}

/** Without golden patches and tags: the agent must not see them, and they do not change the question. */
async function buildExample(stimulus: Stimulus, spec: EvalSpec, contents: EnvironmentContentReader): Promise<Example> {
  const { name, prompt, turns, graders, threshold, trigger } = stimulus;
  return {
    id: name,
    question: prompt,
    ...(turns.length > 0 && { turns: [...turns] }),
    dataset: spec.name,
    environment: await readStimulusEnvironment(stimulus, spec, contents),
    graders,
    ...(threshold !== null && { threshold }),
    ...(trigger !== null && { trigger }),
  };
}

async function readStimulusEnvironment(
  { name, environment }: Stimulus,
  { file }: EvalSpec,
  contents: EnvironmentContentReader,
): Promise<Environment> {
  try {
    return await contents.read(environment);
  } catch (cause) {
    throw new DatasetError(`${file}: test case ${JSON.stringify(name)}: ${getErrorMessage(cause)}`, { cause });
  }
}
