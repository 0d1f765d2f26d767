import { SchemaBook, type Verdict } from "./json-schema/validator.js";

/** What the worker thread is asked: whether a value is as its schema says, both as JSON text. */
export interface SchemaQuestion {
  schema: string;
  value: string;
}

/** One for the thread's whole life: compiling a schema takes longer than using it. */
const book = new SchemaBook();

/** Checks a value against a schema; done where a pattern in the schema that never ends can be stopped. */
export function run(input: unknown): Verdict {
  const { schema, value } = input as SchemaQuestion;
  return book.check(schema, JSON.parse(value));
}
