import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What stands at the top of a schema that editors read. */
export const JSON_SCHEMA_DRAFT = "http://json-schema.org/draft-07/schema#";

/**
 * The JSON Schema of what a zod schema reads. What JSON Schema cannot say is left open, unless `override` says it.
 * @example
 * toJsonSchema(z.strictObject({ trials: z.number().int() }));
 */
export function toJsonSchema(schema: z.ZodType, override?: OverrideJsonSchema): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      removeObvious(jsonSchema);
      override?.(zodSchema, jsonSchema);
    },
  });
  return json;
}

/** Zod writes down that whole numbers are safe ones, that keys are text, and what only TypeScript needs to know. */
function removeObvious(json: Record<string, unknown>): void {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  delete json.readOnly;
  if (isDeepStrictEqual(json.propertyNames, { type: "string" })) delete json.propertyNames;
}

/** Changes the JSON Schema that was made of one part of a zod schema. */
export type OverrideJsonSchema = (schema: unknown, json: Record<string, unknown>) => void;
