import { SchemaBook, type Verdict } from "./json-schema/validator.js";

/** Schema and value as JSON text. */
export interface SchemaQuestion {
  schema: string;
  value: string;
}

/** Kept for the life of the thread: compiling a schema takes longer than using it. */
const book = new SchemaBook();

/** Runs in a worker thread, so that a catastrophic pattern in the schema can be stopped. */
export function run(input: unknown): Verdict {
  const { schema, value } = input as SchemaQuestion;
  return book.check(schema, JSON.parse(value));
}
