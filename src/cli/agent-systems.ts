import type { AgentSystem } from "../agents/index.js";
import { UsageError } from "../core/errors.js";
import { agentName, openAgent } from "../open-agent.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

type Run = RunConfig & { dryRun?: boolean };

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
export function agentSystem(given: AgentConfig, run: Run): Promise<AgentSystem> {
  const { agentUrl, apiKeyEnv, allowInsecure, modelsFile, agentParallel, agentHome, agentEnv, keepWorkspaces } = run;
  const options = {
    ...given,
    url: agentUrl,
    apiKeyEnv,
    allowInsecure,
    modelsFile,
    maxParallel: agentParallel,
    home: agentHome,
    passEnv: agentEnv,
    keepWorkspaces,
    // A plan is made without starting anything.
    isPlan: run.dryRun,
  };
  return openAgent(Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)));
}
