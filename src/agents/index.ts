export { AGENT_NAMES } from "../budget/rules.js";
export type { AgentAdapter, AgentModel, AgentName } from "./adapter.js";
export { ADAPTERS, requireAdapter } from "./adapters/index.js";
export { AgentSystem, type AgentSystemOptions, getDefaultAgentConcurrency } from "./agent-system.js";
export { createCommandAdapter, deriveCommandName, requireCommandModel } from "./command.js";
export { describeAgents, detectAgent } from "./detect.js";
export { type AgentModelOptions, locateModel } from "./locate-model.js";
