import { type AgentSystem, getAgentName, openAgent, requireAdapter } from "../agents/index.js";
import { addEffortName, type Effort, omitUndefined, UsageError } from "../core/index.js";
import { addVersion, findInstalledVersion } from "./agent-version.js";
import { listEfforts } from "./model-systems.js";
import type { AgentConfig, RunConfig } from "./run-config.js";
import { isPlanOnly, type PlanFlags } from "./run-flags.js";
import { printNote } from "./streams.js";

type AgentRunConfig = RunConfig & PlanFlags;

export async function* openAgentSystems(run: AgentRunConfig): AsyncGenerator<AgentSystem> {
  const agents = (run.agents ?? []).map((given) => (typeof given === "string" ? { agent: given } : given));
  requireUniqueAgentNames(agents.map(getAgentName));
  if (agents.length > 0 && !isPlanOnly(run)) noteIsolation(run);
  const systems: AgentSystem[] = [];
  const problems: UsageError[] = [];
  for (const agent of agents) {
    try {
      for await (const system of openAgentEfforts(agent, run)) systems.push(system);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error);
    }
  }
  requireNoProblems(problems);
  yield* systems;
}

/** All agents that cannot be run are named at once. */
function requireNoProblems(problems: readonly UsageError[]): void {
  const [first] = problems;
  if (first === undefined) return;
  if (problems.length === 1) throw first;
  const lines = problems.map(({ message }) => `- ${message.replaceAll("\n", "\n  ")}`);
  throw new UsageError(`${problems.length} agents cannot be run:\n${lines.join("\n")}`);
}

/** Only `none` that was asked for goes without a word. */
export function noteIsolation({
  isolation,
  dryRun,
}: {
  isolation?: string | undefined;
  dryRun?: boolean | undefined;
}): void {
  if (isolation === undefined && dryRun !== true)
    printNote("Agents run without isolation, with your permissions: --isolation box keeps them in a box.");
}

/** One system for each effort, or one without. */
export async function* openAgentEfforts(agent: AgentConfig, run: AgentRunConfig): AsyncGenerator<AgentSystem> {
  const { effort: own, ...plain } = agent;
  const efforts = listEfforts(own ?? run.effort);
  for (const effort of efforts) {
    // A name that the user gave stays as it is, unless it would be used twice.
    const isNamed = effort === undefined || (agent.name !== undefined && efforts.length === 1);
    const name = isNamed ? {} : { name: addEffortName(getAgentName(agent), effort) };
    yield await openAgentSystem({ ...plain, ...name, ...(effort === undefined ? {} : { effort }) }, run);
  }
}

function requireUniqueAgentNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new UsageError(
    `Two agents are named "${twice}", but results are identified by name. Give each its own name: one --agent-name for each, in the same order, or \`name\` in the config file.`,
  );
}

/** An agent with at most one effort. */
type SingleAgentConfig = Omit<AgentConfig, "effort"> & { effort?: Effort };

export async function openAgentSystem(agent: SingleAgentConfig, run: AgentRunConfig): Promise<AgentSystem> {
  requireEnforceableBudget(agent, run);
  const { agentUrl, apiKeyEnv, allowInsecure, modelsFile, agentParallel, agentHome, agentEnv } = run;
  const { keepWorkspaces, strictModel, canary, isolation, allowHosts, allowPaths, boxLimits } = run;
  const options = {
    ...agent,
    url: agentUrl,
    // The port of a simulated model differs each time.
    urlId: run.simulated?.id,
    apiKeyEnv,
    allowInsecure,
    modelsFile,
    maxParallel: agentParallel,
    // Whether the agent uses its own login is part of its identity; the path of that login is not, since it differs between queue workers.
    home: run.queue === undefined || agentHome === undefined ? agentHome : "inherit",
    passEnv: agentEnv,
    keepWorkspaces,
    strictModel,
    canary,
    isolation,
    allowHosts,
    allowPaths,
    boxLimits,
    traffic: run.traffic,
    thenModel: run.thenModel,
    user: run.userModel === undefined ? undefined : await (await import("./make-user.js")).openUserSimulator(run),
    // Planning needs neither a key nor the agent's program.
    isPlan: isPlanOnly(run),
  };
  const system = await openAgent(omitUndefined(options));
  const isCoordinated = run.queue !== undefined && run.dryRun !== true;
  return isCoordinated ? addVersion(system, await findInstalledVersion(agent)) : system;
}

/** Rejects a cost limit that could never be enforced. */
function requireEnforceableBudget({ agent }: AgentConfig, { agentHome, maxCost, trialMaxCost }: AgentRunConfig): void {
  const hasBudget = maxCost !== undefined || (trialMaxCost ?? 0) > 0;
  if (agent === undefined || agentHome === undefined || !hasBudget) return;
  const adapter = requireAdapter(agent.split(":", 1)[0] ?? agent);
  if (adapter.tellsUsageAtEnd !== true) return;
  throw new UsageError(
    `${adapter.name} with its own login reports its usage only at the end, so a budget in dollars could not stop it. Leave out --max-cost and --trial-max-cost, or leave out --agent-home and set a key.`,
  );
}
