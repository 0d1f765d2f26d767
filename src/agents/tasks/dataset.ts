import type { DatasetDefinition, LoadedExamples, LoadOptions } from "../../core/dataset.js";
import type { Environment } from "../../core/environment.js";
import { UsageError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import type { GraderSpec } from "../../core/grader.js";
import { TASKS } from "./all.js";
import type { AgentTask } from "./task.js";

/** A task without its solution. */
export interface AgentTaskExample extends Example {
  id: string;
  question: string;
  environment: Environment;
  graders: readonly GraderSpec[];
  kind: string;
  difficulty: string;
}

/**
 * The built-in dataset `agent-tasks`: eight tiny coding tasks that only need Node.
 * @example
 * registry.register("dataset", "agent-tasks", agentTasks);
 */
export const agentTasks: DatasetDefinition = {
  description: "Eight tiny coding tasks for agents, each in a folder with tests. Needs Node alone and no network.",
  evaluators: ["graders"],
  load: loadAgentTasks,
};

function loadAgentTasks({ config, map }: LoadOptions): LoadedExamples {
  if (config !== undefined) {
    throw new UsageError(
      `agent-tasks has no configs, so agent-tasks:${config} does not exist. Select tasks with --filter, e.g. --filter kind=fix.`,
    );
  }
  if (map !== undefined && Object.keys(map).length > 0) {
    throw new UsageError("agent-tasks is built in and has no columns to --map.");
  }
  return { examples: TASKS.map(toAgentTaskExample), facets: ["kind"] };
}

export function toAgentTaskExample({ id, kind, difficulty, question, files, graders }: AgentTask): AgentTaskExample {
  return { id, question, kind, difficulty, environment: { files }, graders, dataset: "agent-tasks" };
}
