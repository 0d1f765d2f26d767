export { AGENT_NAMES, type AgentAdapter, type AgentModel, type AgentName } from "./adapter.js";
export { ADAPTERS, adapterOf } from "./adapters.js";
export { AgentSystem, type AgentSystemOptions } from "./agent-system.js";
export { commandAdapter, commandName, requireModel } from "./command.js";
export { describeAgents } from "./describe.js";
export { detectAgent } from "./detect.js";
export { locateModel, type ModelPlace } from "./locate-model.js";
