export { AGENT_NAMES } from "../budget/rules.js";
export type { AgentAdapter, AgentModel, AgentName } from "./adapter.js";
export { ADAPTERS, adapterOf } from "./adapters/index.js";
export { AgentSystem, type AgentSystemOptions, usualParallel } from "./agent-system.js";
export { commandAdapter, commandName, requireModel } from "./command.js";
export { describeAgents } from "./describe.js";
export { detectAgent } from "./detect.js";
export { locateModel, type ModelPlace } from "./locate-model.js";
