import { isDeepStrictEqual } from "node:util";
import * as z from "zod";

/** A JSON Schema or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The `$schema` of schemas for editors. */
export const JSON_SCHEMA_DRAFT = "http://json-schema.org/draft-07/schema#";

/**
 * Converts a zod schema to the JSON Schema of its input. What JSON Schema cannot express is left open unless `override`
 * adds it.
 * @example
 * toJsonSchema(z.strictObject({ trials: z.number().int() }));
 */
export function toJsonSchema(schema: z.ZodType, override?: OverrideJsonSchema): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    override: ({ zodSchema, jsonSchema }) => {
      removeRedundantKeys(jsonSchema);
      override?.(zodSchema, jsonSchema);
    },
  });
  return json;
}

/** Zod adds safe-integer bounds, string property names and `readOnly`, which tell editors nothing. */
function removeRedundantKeys(json: Record<string, unknown>): void {
  if (json.maximum === Number.MAX_SAFE_INTEGER) delete json.maximum;
  if (json.minimum === Number.MIN_SAFE_INTEGER) delete json.minimum;
  delete json.readOnly;
  if (isDeepStrictEqual(json.propertyNames, { type: "string" })) delete json.propertyNames;
}

/** Adjusts the JSON Schema of one part of a zod schema. */
export type OverrideJsonSchema = (schema: unknown, json: Record<string, unknown>) => void;
