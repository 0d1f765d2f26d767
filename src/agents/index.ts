/** Coding agents as systems: the adapters, and how one trial of an agent is run. */
export { AGENT_NAMES } from "../budget/index.js";
export type { AgentAdapter, AgentModel, AgentName } from "./adapter.js";
export { ADAPTERS, requireAdapter } from "./adapters/index.js";
export { AgentSystem, type AgentSystemOptions, getDefaultAgentConcurrency } from "./agent-system.js";
export { createCommandAdapter } from "./command.js";
export { describeAgents, detectAgent } from "./detect.js";
export { type AgentOptions, getAgentName, openAgent } from "./open-agent.js";
