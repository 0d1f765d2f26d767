import { getAgentName } from "../agents/index.js";
import {
  addEffortName,
  type Dataset,
  type DatasetOverrides,
  didYouMean,
  type Effort,
  makeDataset,
  NothingToRunError,
  registry,
  UsageError,
} from "../core/index.js";
import {
  type EvalSpec,
  findSpecs,
  loadSpec,
  matchesTags,
  resolveSharedEnvironments,
  type Stimulus,
  toDataset,
} from "../evals/index.js";
import { resolveDefinedAgent } from "./defined-agents.js";
import type { AgentConfig } from "./run-config.js";
import type { EvalSelection, RunFlags } from "./run-flags.js";

/** Eval files as datasets, and the agents to run. */
export interface EvalPlan {
  readonly specs: readonly EvalSpec[];
  readonly datasets: Dataset[];
  readonly agents: readonly AgentConfig[];
  readonly notes: readonly string[];
}

export async function planEvals(config: RunFlags): Promise<EvalPlan> {
  const specs = await selectSpecs(config);
  const agents = new Map<string, AgentConfig>();
  const datasets: Dataset[] = [];
  for (const spec of specs) {
    const own = listSpecAgents(spec, config).map((agent) => chooseAgentName(agent, agents));
    datasets.push(await makeEvalDataset(spec, { config, systems: own }));
  }
  const notes = specs.flatMap(({ file, notes: own }) => own.map((note) => `${file}: ${note}`));
  return { specs, datasets, agents: [...agents.values()], notes };
}

/** Adds a number if another agent already has the name. */
function chooseAgentName(agent: AgentConfig, known: Map<string, AgentConfig>): string {
  const usual = getAgentName(agent);
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
export async function loadEvalDatasets(config: RunFlags): Promise<Dataset[]> {
  const specs = await selectSpecs(config);
  return Promise.all(specs.map((spec) => makeEvalDataset(spec, { config, systems: null })));
}

async function selectSpecs(config: RunFlags): Promise<EvalSpec[]> {
  const choice = config.eval ?? {};
  const suite = findSuite(config);
  const files = await findSpecs(choice.files ?? suite?.paths ?? config.evals?.paths ?? ["."]);
  if (files.length === 0)
    throw new UsageError("There is no eval.yaml below this folder. Name one with -e, or create one with assay init.");
  const specs: EvalSpec[] = [];
  const options = { registry, ...resolveEnvironments(config), ...getSpecOverrides(choice) };
  for (const file of files) specs.push(await loadSpec(file, options));
  requireUniqueEvalNames(specs);
  requireKnownStimuli(specs, choice);
  const chosen = specs
    .map((spec) => filterStimuli(spec, { choice, suite }))
    .filter(({ stimuli }) => stimuli.length > 0);
  if (chosen.length === 0) throw createNothingToRunError();
  return chosen;
}

function getSpecOverrides({ judgeModel, runs }: EvalSelection) {
  return { ...(judgeModel === undefined ? {} : { judgeModel }), ...(runs === undefined ? {} : { runs }) };
}

function resolveEnvironments({ evals, configDir }: RunFlags) {
  return { environments: resolveSharedEnvironments(evals ?? {}, configDir ?? process.cwd()) };
}

interface ChosenSuite {
  readonly paths?: readonly string[];
  readonly tags?: readonly string[];
}

function findSuite({ eval: choice, evals }: RunFlags): ChosenSuite | undefined {
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

function filterStimuli(
  spec: EvalSpec,
  { choice, suite }: { choice: EvalSelection; suite: ChosenSuite | undefined },
): EvalSpec {
  const filters = [...(suite?.tags ?? []), ...(choice.tags ?? [])];
  const isChosen = ({ name, tags }: Stimulus) =>
    matchesTags(tags, filters) && (choice.stimuli === undefined || choice.stimuli.includes(name));
  return { ...spec, stimuli: spec.stimuli.filter(isChosen) };
}

function requireUniqueEvalNames(specs: readonly EvalSpec[]): void {
  const names = specs.map(({ name }) => name);
  const twice = specs.find(({ name }, index) => names.indexOf(name) < index);
  if (twice === undefined) return;
  const first = specs.find(({ name }) => name === twice.name);
  throw new UsageError(
    `Two eval files are named "${twice.name}", but results are identified by name: ${first?.file} and ${twice.file}. Rename one.`,
  );
}

/** A misspelled name must not look like an eval that passed. */
function requireKnownStimuli(specs: readonly EvalSpec[], { stimuli = [] }: EvalSelection): void {
  const known = specs.flatMap((spec) => spec.stimuli.map(({ name }) => name));
  const unknown = stimuli.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new UsageError(`Unknown test case "${unknown}".${didYouMean(unknown, known)}`);
}

function createNothingToRunError(): NothingToRunError {
  return new NothingToRunError(
    "No test case matches the tags. Running no trials proves nothing, so this counts as a failure.",
  );
}

/** Every executor with every model. */
function listSpecAgents(
  { defaults, file }: EvalSpec,
  { eval: choice = {}, agents: defined = [] }: RunFlags,
): AgentConfig[] {
  const { executors, models, efforts = defaults.efforts } = choice;
  const asked = executors ?? (defaults.executor === null ? [] : [defaults.executor]);
  if (asked.length === 0)
    throw new UsageError(`${file} does not name an agent. Add --executor claude, or defaults.executor.`);
  const wanted = models ?? defaults.models;
  return asked.flatMap((executor) => {
    const named = toAgentConfig(executor);
    const { model: usual, ...agent } = resolveDefinedAgent(named, defined);
    if (wanted.length === 0)
      return listAgentEfforts({ ...agent, ...(usual === undefined ? {} : { model: usual }) }, efforts);
    return wanted.flatMap((model) =>
      listAgentEfforts({ ...agent, model, name: `${getAgentName(agent)}:${model}` }, efforts),
    );
  });
}

/** The agent with every effort. */
function listAgentEfforts(agent: AgentConfig, efforts: readonly Effort[]): AgentConfig[] {
  if (efforts.length === 0) return [agent];
  return efforts.map((effort) => ({ ...agent, effort, name: addEffortName(getAgentName(agent), effort) }));
}

/** An executor is the name of a known agent, or a command. */
export function toAgentConfig(executor: string): AgentConfig {
  return executor.includes("{prompt") ? { command: executor } : { agent: executor };
}

interface EvalDatasetOptions {
  config: RunFlags;
  /** Null for all systems of the run. */
  systems: readonly string[] | null;
}

/** The test cases of a file as examples, with the settings of the file and of the command. */
async function makeEvalDataset(spec: EvalSpec, { config, systems }: EvalDatasetOptions): Promise<Dataset> {
  const { threshold, timeoutMs } = config.eval ?? {};
  const { fingerprint: _, ...dataset } = await toDataset(spec, registry);
  const { maxCostUsd, ...terms } = dataset.terms ?? {};
  const own: DatasetOverrides = {
    ...terms,
    ...(systems === null ? {} : { systems }),
    ...(timeoutMs === undefined ? {} : { hardTimeoutMs: timeoutMs }),
    // The command's limit applies to all trials.
    ...(maxCostUsd === undefined || config.trialMaxCost !== undefined ? {} : { maxCostUsd }),
  };
  const examples =
    threshold === undefined ? dataset.examples : dataset.examples.map((example) => ({ ...example, threshold }));
  return makeDataset({ ...dataset, examples, terms: own, ...overrideLimits(dataset, config) });
}

/** Limits of the command apply to all test cases. */
function overrideLimits({ limits }: Dataset, { eval: choice = {}, trialMaxCost }: RunFlags): Pick<Dataset, "limits"> {
  if (limits === undefined) return {};
  const kept = [...limits].map(([id, { maxCostUsd, hardTimeoutMs, ...own }]) => {
    const limit = {
      ...own,
      ...(maxCostUsd === undefined || trialMaxCost !== undefined ? {} : { maxCostUsd }),
      ...(hardTimeoutMs === undefined || choice.timeoutMs !== undefined ? {} : { hardTimeoutMs }),
    };
    return [id, limit] as const;
  });
  return { limits: new Map(kept) };
}
