export { type AgentTaskExample, agentTasks } from "./dataset.js";
export { buildAgentTaskScript, OVERSPENDING_TASK, type TaskScript, UNSOLVED_TASK } from "./mock-script.js";
