import { type MockJson, toList, toNumber, toObject, toTextOrEmpty } from "./json.js";

/** Values where the schema leaves the choice. */
export interface SchemaFillers {
  readonly text: string;
  readonly number: number;
}

/**
 * A value that matches a JSON schema, with the given texts and numbers and the first of alternatives. Fills only required
 * fields if there are any, and stops after a few levels, because schemas may be recursive.
 */
export function generateValue(schema: MockJson, fillers: SchemaFillers, depth = 0): unknown {
  const [choice] = toList(schema.enum);
  if (choice !== undefined) return choice;
  if ("const" in schema) return schema.const;
  const [variant] = [...toList(schema.anyOf), ...toList(schema.oneOf)];
  if (variant !== undefined) return generateValue(toObject(variant), fillers, depth + 1);
  switch (getSchemaType(schema)) {
    case "object":
      return generateObject(schema, fillers, depth);
    case "array":
      return [];
    case "integer":
    case "number":
      return clampToSchema(schema, fillers.number);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return fillers.text;
  }
}

/** Gemini writes types in capitals; a list of types means any of them. */
function getSchemaType(schema: MockJson): string {
  const [first] = toList(schema.type);
  const type = toTextOrEmpty(first ?? schema.type).toLowerCase();
  return type === "" && "properties" in schema ? "object" : type;
}

function clampToSchema({ minimum, maximum }: MockJson, number: number): number {
  return Math.max(toNumber(minimum) ?? -Infinity, Math.min(toNumber(maximum) ?? Infinity, number));
}

function generateObject(schema: MockJson, fillers: SchemaFillers, depth: number): MockJson {
  const properties = toObject(schema.properties);
  const required = toList(schema.required).map(toTextOrEmpty);
  const names = required.length > 0 ? required : Object.keys(properties);
  if (depth > 8) return {};
  return Object.fromEntries(names.map((name) => [name, generateValue(toObject(properties[name]), fillers, depth + 1)]));
}
