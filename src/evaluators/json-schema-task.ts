import { SchemaValidator, type SchemaVerdict } from "./json-schema/validator.js";

/** Schema and value as JSON text. */
export interface SchemaTaskInput {
  schema: string;
  value: string;
}

/** Kept for the life of the thread: compiling a schema takes longer than using it. */
const validator = new SchemaValidator();

/** Runs in a worker thread, so that a catastrophic pattern in the schema can be stopped. */
export function run(input: unknown): SchemaVerdict {
  const { schema, value } = input as SchemaTaskInput;
  return validator.validate(schema, JSON.parse(value));
}
