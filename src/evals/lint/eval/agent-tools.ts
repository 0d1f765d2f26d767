import { ADAPTERS } from "../../../agents/adapters/index.js";

/** Built-in tools of each agent, named as in trajectories. MCP servers add more. */
export const AGENT_TOOLS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(ADAPTERS).map(({ name, tools = [] }) => [name, tools]),
);
