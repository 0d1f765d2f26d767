import type { AgentAdapter } from "../agents/index.js";
import { AssayError, omitUndefined } from "../core/index.js";
import { findConfig, isCodeFile, loadConfig } from "./config-file.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

type Agents = NonNullable<RunConfig["agents"]>;

/**
 * Replaces names of agents that the config file defines by their definitions: with `{ name: "mine", command: … }` there,
 * `mine` and `mine:MODEL` are agents.
 */
export function resolveDefinedAgents(agents: Agents, defined: Agents): Agents {
  return agents.map((agent) => resolveDefinedAgent(typeof agent === "string" ? { agent } : agent, defined));
}

export function resolveDefinedAgent(agent: AgentConfig, defined: Agents): AgentConfig {
  const [name, model] = (agent.agent ?? "").split(/:(.*)/s);
  const definition = listDefinitions(defined).find((each) => each.name === name);
  if (definition === undefined) return agent;
  const { agent: given = "", ...others } = agent;
  return { ...definition, ...(model === undefined ? {} : { model }), name: given, ...others };
}

function listDefinitions(agents: Agents): AgentConfig[] {
  return agents.filter((agent) => typeof agent !== "string").filter(({ command }) => command !== undefined);
}

/** The agents that the config file of a folder defines; none if it is code, which is not run for this. */
export async function findDefinedAgents(dir: string): Promise<AgentAdapter[]> {
  try {
    const file = findConfig(dir);
    if (file === undefined || isCodeFile(file)) return [];
    const { agents = [] } = await loadConfig(file, { trust: true });
    const { createCommandAdapter, getAgentName } = await import("../agents/index.js");
    return listDefinitions(agents).map(
      ({ name, command = "", continueCommand, env, homeFiles, minVersion, install }) => ({
        ...createCommandAdapter({
          command,
          ...omitUndefined({ continueCommand, env, homeFiles, minVersion, install }),
        }),
        name: getAgentName(omitUndefined({ name, command })),
      }),
    );
  } catch (error) {
    // What is wrong with the file is reported where it is used.
    if (error instanceof AssayError) return [];
    throw error;
  }
}
