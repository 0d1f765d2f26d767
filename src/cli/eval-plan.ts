import { agentName } from "../agents/open-agent.js";
import { type Dataset, makeDataset, type RunTerms } from "../core/dataset.js";
import { NothingToRunError, UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import { didYouMean } from "../core/suggest.js";
import {
  datasetOf,
  type EvalSpec,
  findSpecs,
  loadSpec,
  matchesTags,
  type Stimulus,
  sharedEnvironments,
} from "../evals/spec/index.js";
import type { EvalChoice } from "./eval-choice.js";
import type { AgentConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";

/** Eval files as datasets, and the agents to run. */
export interface EvalPlan {
  readonly specs: readonly EvalSpec[];
  readonly datasets: Dataset[];
  readonly agents: readonly AgentConfig[];
  readonly notes: readonly string[];
}

export async function planEvals(config: RunFlags): Promise<EvalPlan> {
  const specs = await chosenSpecs(config);
  const agents = new Map<string, AgentConfig>();
  const datasets: Dataset[] = [];
  for (const spec of specs) {
    const own = agentsOf(spec, config.eval ?? {}).map((agent) => namedApart(agent, agents));
    datasets.push(await evalDataset(spec, { config, systems: own }));
  }
  const notes = specs.flatMap(({ file, notes: own }) => own.map((note) => `${file}: ${note}`));
  return { specs, datasets, agents: [...agents.values()], notes };
}

/** Adds a number if another agent already has the name. */
function namedApart(agent: AgentConfig, known: Map<string, AgentConfig>): string {
  const usual = agentName(agent);
  for (let number = 1; ; number++) {
    const name = number === 1 ? usual : `${usual} ${number}`;
    const named = { ...agent, name };
    const other = known.get(name);
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(named)) continue;
    known.set(name, named);
    return name;
  }
}

/** Only the datasets of the eval files, for regrading. */
export async function evalDatasets(config: RunFlags): Promise<Dataset[]> {
  const specs = await chosenSpecs(config);
  return Promise.all(specs.map((spec) => evalDataset(spec, { config, systems: null })));
}

async function chosenSpecs(config: RunFlags): Promise<EvalSpec[]> {
  const choice = config.eval ?? {};
  const suite = suiteOf(config);
  const files = await findSpecs(choice.files ?? suite?.paths ?? config.evals?.paths ?? ["."]);
  if (files.length === 0)
    throw new UsageError("There is no eval.yaml below this folder. Name one with -e, or create one with assay init.");
  const specs: EvalSpec[] = [];
  const options = { registry, ...environmentsOf(config), ...overrides(choice) };
  for (const file of files) specs.push(await loadSpec(file, options));
  requireOwnNames(specs);
  requireKnown(specs, choice);
  const chosen = specs
    .map((spec) => chosenStimuli(spec, { choice, suite }))
    .filter(({ stimuli }) => stimuli.length > 0);
  if (chosen.length === 0) throw nothingLeft();
  return chosen;
}

function overrides({ judgeModel, runs }: EvalChoice) {
  return { ...(judgeModel === undefined ? {} : { judgeModel }), ...(runs === undefined ? {} : { runs }) };
}

function environmentsOf({ evals, configDir }: RunFlags) {
  return { environments: sharedEnvironments(evals ?? {}, configDir ?? process.cwd()) };
}

interface Suite {
  readonly paths?: readonly string[];
  readonly tags?: readonly string[];
}

function suiteOf({ eval: choice, evals }: RunFlags): Suite | undefined {
  const name = choice?.suite;
  if (name === undefined) return undefined;
  const suites = evals?.suites ?? {};
  if (Object.hasOwn(suites, name)) return suites[name];
  const known = Object.keys(suites);
  throw new UsageError(
    known.length === 0
      ? `Unknown suite "${name}": the config file has no suites. Add evals.suites to assay.config.yaml.`
      : `Unknown suite "${name}".${didYouMean(name, known)}`,
  );
}

function chosenStimuli(spec: EvalSpec, { choice, suite }: { choice: EvalChoice; suite: Suite | undefined }): EvalSpec {
  const filters = [...(suite?.tags ?? []), ...(choice.tags ?? [])];
  const isChosen = ({ name, tags }: Stimulus) =>
    matchesTags(tags, filters) && (choice.stimuli === undefined || choice.stimuli.includes(name));
  return { ...spec, stimuli: spec.stimuli.filter(isChosen) };
}

function requireOwnNames(specs: readonly EvalSpec[]): void {
  const names = specs.map(({ name }) => name);
  const twice = specs.find(({ name }, index) => names.indexOf(name) < index);
  if (twice === undefined) return;
  const first = specs.find(({ name }) => name === twice.name);
  throw new UsageError(
    `Two eval files are named "${twice.name}", but results are identified by name: ${first?.file} and ${twice.file}. Rename one.`,
  );
}

/** A misspelled name must not look like an eval that passed. */
function requireKnown(specs: readonly EvalSpec[], { stimuli = [] }: EvalChoice): void {
  const known = specs.flatMap((spec) => spec.stimuli.map(({ name }) => name));
  const unknown = stimuli.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`Unknown test case "${unknown}".${didYouMean(unknown, known)}`);
}

function nothingLeft(): NothingToRunError {
  return new NothingToRunError(
    "No test case matches the tags. Running no trials proves nothing, so this counts as a failure.",
  );
}

/** Every executor with every model. */
function agentsOf({ defaults, file }: EvalSpec, { executors, models }: EvalChoice): AgentConfig[] {
  const asked = executors ?? (defaults.executor === null ? [] : [defaults.executor]);
  if (asked.length === 0)
    throw new UsageError(`${file} does not name an agent. Add --executor claude, or defaults.executor.`);
  const wanted = models ?? defaults.models;
  return asked.flatMap((executor) => {
    const agent = executorAgent(executor);
    if (wanted.length === 0) return [agent];
    return wanted.map((model) => ({ ...agent, model, name: `${agentName(agent)}:${model}` }));
  });
}

/** An executor is the name of a known agent, or a command. */
export function executorAgent(executor: string): AgentConfig {
  return executor.includes("{prompt") ? { command: executor } : { agent: executor };
}

interface EvalDatasetOptions {
  config: RunFlags;
  /** Null for all systems of the run. */
  systems: readonly string[] | null;
}

/** The test cases of a file as examples, with the settings of the file and of the command. */
async function evalDataset(spec: EvalSpec, { config, systems }: EvalDatasetOptions): Promise<Dataset> {
  const { threshold, timeoutMs } = config.eval ?? {};
  const { fingerprint: _, ...dataset } = await datasetOf(spec, registry);
  const { maxCostUsd, ...terms } = dataset.terms ?? {};
  const own: RunTerms = {
    ...terms,
    ...(systems === null ? {} : { systems }),
    ...(timeoutMs === undefined ? {} : { hardTimeoutMs: timeoutMs }),
    // The command's limit applies to all trials.
    ...(maxCostUsd === undefined || config.trialMaxCost !== undefined ? {} : { maxCostUsd }),
  };
  const examples =
    threshold === undefined ? dataset.examples : dataset.examples.map((example) => ({ ...example, threshold }));
  return makeDataset({ ...dataset, examples, terms: own });
}
