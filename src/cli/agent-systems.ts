import type { AgentSystem } from "../agents/index.js";
import { type AgentOptions, openAgent } from "../open-agent.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

type Run = RunConfig & { dryRun?: boolean };

/** The agents of a run as systems. */
export async function* agentSystems(run: Run): AsyncGenerator<AgentSystem> {
  for (const given of run.agents ?? [])
    yield await agentSystem(typeof given === "string" ? { agent: given } : given, run);
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
  return openAgent(
    Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as AgentOptions,
  );
}
