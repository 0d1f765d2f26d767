/** Names of the tasks; src/evaluators/worker.ts maps them to modules. */
export type ThreadTask = "rouge" | "symbolic_equality" | "language" | "pattern" | "levenshtein" | "json_schema";

/** Message to a worker thread. */
export interface TaskRequest {
  task: string;
  input: unknown;
}

/** Messages from a worker thread: first that the module is loaded and the task starts, then how it ended. */
export type TaskReply =
  | { type: "started" }
  | { type: "done"; value: unknown }
  | { type: "failed"; name: string; message: string };
