import type {
  DatasetDefinition,
  Environment,
  Example,
  GraderSpec,
  LoadedExamples,
  LoadOptions,
} from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import { addFlag } from "./add-flag.js";
import { catchBug } from "./catch-bug.js";
import { extractDuplicate } from "./extract-duplicate.js";
import { failingTest } from "./failing-test.js";
import { fromTests } from "./from-tests.js";
import { idempotentMigration } from "./idempotent-migration.js";
import { logReport } from "./log-report.js";
import { offByOne } from "./off-by-one.js";
import type { AgentTask } from "./task.js";

/** All tasks, the simplest first. */
export const TASKS: readonly AgentTask[] = [
  offByOne,
  failingTest,
  addFlag,
  fromTests,
  extractDuplicate,
  logReport,
  catchBug,
  idempotentMigration,
];

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
