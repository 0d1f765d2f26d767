import { ADAPTERS } from "../../../agents/adapters/index.js";

/** The tools that each agent has of its own, as trajectories name them. Servers bring more. */
export const AGENT_TOOLS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(ADAPTERS).map(({ name, tools = [] }) => [name, tools]),
);
