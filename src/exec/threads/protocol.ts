/** The heavy tasks there are; src/evaluators/worker.ts says which module does each. */
export type HeavyTask = "rouge" | "symbolic_equality" | "language" | "pattern" | "levenshtein" | "json_schema";

/** What a worker thread is asked: one item of work. */
export interface Question {
  task: string;
  input: unknown;
}

/** What a worker thread says: that the task's module is loaded and the work begins, and then how it ended. */
export type Reply =
  | { type: "started" }
  | { type: "done"; value: unknown }
  | { type: "failed"; name: string; message: string };
