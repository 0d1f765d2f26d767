import { parentPort } from "node:worker_threads";
import { messageOf } from "../core/errors.js";
import type { HeavyTask, Question, Reply } from "../exec/threads/protocol.js";

interface TaskModule {
  run(input: unknown): unknown;
}

/** Loaded on demand: a thread that compares texts needs no algebra system. */
const TASKS: Record<HeavyTask, () => Promise<TaskModule>> = {
  rouge: () => import("./rouge/task.js"),
  symbolic_equality: () => import("./math/task.js"),
  language: () => import("./ifeval/task.js"),
  pattern: () => import("./pattern-task.js"),
  levenshtein: () => import("./levenshtein-task.js"),
  json_schema: () => import("./json-schema-task.js"),
};

parentPort?.on("message", (question: Question) => void answer(question));

async function answer({ task, input }: Question): Promise<void> {
  try {
    const work = await load(task);
    say({ type: "started" });
    say({ type: "done", value: await work.run(input) });
  } catch (error) {
    say({ type: "failed", name: error instanceof Error ? error.name : "Error", message: messageOf(error) });
  }
}

async function load(task: string): Promise<TaskModule> {
  if (!isTask(task)) throw new Error(`Unknown worker task "${task}".`);
  try {
    return await TASKS[task]();
  } catch (cause) {
    throw new Error(`The module of the worker task "${task}" cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

function isTask(task: string): task is HeavyTask {
  return Object.hasOwn(TASKS, task);
}

function say(reply: Reply): void {
  parentPort?.postMessage(reply);
}
