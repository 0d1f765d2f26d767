import { parentPort } from "node:worker_threads";
import { getErrorMessage } from "../core/index.js";
import type { TaskReply, TaskRequest, ThreadTask } from "../exec/index.js";

interface TaskModule {
  run(input: unknown): unknown;
}

/** Loaded on demand: a thread that compares texts needs no algebra system. */
const TASKS: Record<ThreadTask, () => Promise<TaskModule>> = {
  rouge: () => import("./rouge/task.js"),
  symbolic_equality: () => import("./math/task.js"),
  language: () => import("./ifeval/task.js"),
  pattern: () => import("./pattern-task.js"),
  levenshtein: () => import("./levenshtein-task.js"),
  json_schema: () => import("./json-schema-task.js"),
};

parentPort?.on("message", (question: TaskRequest) => void handleQuestion(question));

async function handleQuestion({ task, input }: TaskRequest): Promise<void> {
  try {
    const work = await loadTask(task);
    postReply({ type: "started" });
    postReply({ type: "done", value: await work.run(input) });
  } catch (error) {
    postReply({ type: "failed", name: error instanceof Error ? error.name : "Error", message: getErrorMessage(error) });
  }
}

async function loadTask(task: string): Promise<TaskModule> {
  if (!isThreadTask(task)) throw new Error(`Unknown worker task "${task}".`);
  try {
    return await TASKS[task]();
  } catch (cause) {
    throw new Error(`The module of the worker task "${task}" cannot be loaded: ${getErrorMessage(cause)}`, { cause });
  }
}

function isThreadTask(task: string): task is ThreadTask {
  return Object.hasOwn(TASKS, task);
}

function postReply(reply: TaskReply): void {
  parentPort?.postMessage(reply);
}
