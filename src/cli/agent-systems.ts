import { type AgentSystem, adapterOf } from "../agents/index.js";
import { agentName, openAgent } from "../agents/open-agent.js";
import { UsageError } from "../core/errors.js";
import { given } from "../core/shape.js";
import { versionHere, withVersion } from "./agent-version.js";
import { isPlannedOnly, type Planning } from "./planned-only.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

type Run = RunConfig & Planning;

/** The agents of a run as systems. */
export async function* agentSystems(run: Run): AsyncGenerator<AgentSystem> {
  const agents = (run.agents ?? []).map((given) => (typeof given === "string" ? { agent: given } : given));
  requireOwnNames(agents.map(agentName));
  for (const agent of agents) yield await agentSystem(agent, run);
}

function requireOwnNames(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new UsageError(
    `Two agents are called "${twice}", and results are told apart by name. Give each a name of its own: --agent-name for each, in their order, or \`name\` in the config file.`,
  );
}

/** One agent as a system. */
export async function agentSystem(agent: AgentConfig, run: Run): Promise<AgentSystem> {
  requireKeptBudget(agent, run);
  const { agentUrl, apiKeyEnv, allowInsecure, modelsFile, agentParallel, agentHome, agentEnv } = run;
  const { keepWorkspaces, strictModel } = run;
  const options = {
    ...agent,
    url: agentUrl,
    apiKeyEnv,
    allowInsecure,
    modelsFile,
    maxParallel: agentParallel,
    // Whose it is, is a part of what the agent is; where it is, the workers of a queue know.
    home: run.queue === undefined || agentHome === undefined ? agentHome : "inherit",
    passEnv: agentEnv,
    keepWorkspaces,
    strictModel,
    // A plan is made without a key, and without the program.
    isPlan: isPlannedOnly(run),
  };
  const system = await openAgent(given(options));
  const isCoordinated = run.queue !== undefined && run.dryRun !== true;
  return isCoordinated ? withVersion(system, await versionHere(agent)) : system;
}

/** A limit that could never fire would be a promise that nobody keeps. */
function requireKeptBudget({ agent }: AgentConfig, { agentHome, maxCost, trialMaxCost }: Run): void {
  const hasBudget = maxCost !== undefined || (trialMaxCost ?? 0) > 0;
  if (agent === undefined || agentHome === undefined || !hasBudget) return;
  const adapter = adapterOf(agent.split(":", 1)[0] ?? agent);
  if (adapter.tellsUsageAtEnd !== true) return;
  throw new UsageError(
    `${adapter.name} with a login of its own says what it has used only at its end: a budget in dollars could not stop it. Leave out --max-cost and --trial-max-cost, or leave out --agent-home and give it a key.`,
  );
}
