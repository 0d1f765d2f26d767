export { type AgentTaskExample, agentTasks } from "./dataset.js";
export { agentTaskScript, GIVEN_UP, TALKED_ABOUT, type TaskScript } from "./mock-script.js";
