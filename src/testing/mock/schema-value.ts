import { asList, asNumber, asObject, asText, type Json } from "./json.js";

/** Values where the schema leaves the choice. */
export interface Fillers {
  readonly text: string;
  readonly number: number;
}

/**
 * A value that matches a JSON schema, with the given texts and numbers and the first of alternatives. Fills only required
 * fields if there are any, and stops after a few levels, because schemas may be recursive.
 */
export function valueFor(schema: Json, fillers: Fillers, depth = 0): unknown {
  const [choice] = asList(schema.enum);
  if (choice !== undefined) return choice;
  if ("const" in schema) return schema.const;
  const [variant] = [...asList(schema.anyOf), ...asList(schema.oneOf)];
  if (variant !== undefined) return valueFor(asObject(variant), fillers, depth + 1);
  switch (typeOf(schema)) {
    case "object":
      return objectFor(schema, fillers, depth);
    case "array":
      return [];
    case "integer":
    case "number":
      return within(schema, fillers.number);
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return fillers.text;
  }
}

/** Gemini writes types in capitals; a list of types means any of them. */
function typeOf(schema: Json): string {
  const [first] = asList(schema.type);
  const type = asText(first ?? schema.type).toLowerCase();
  return type === "" && "properties" in schema ? "object" : type;
}

function within({ minimum, maximum }: Json, number: number): number {
  return Math.max(asNumber(minimum) ?? -Infinity, Math.min(asNumber(maximum) ?? Infinity, number));
}

function objectFor(schema: Json, fillers: Fillers, depth: number): Json {
  const properties = asObject(schema.properties);
  const required = asList(schema.required).map(asText);
  const names = required.length > 0 ? required : Object.keys(properties);
  if (depth > 8) return {};
  return Object.fromEntries(names.map((name) => [name, valueFor(asObject(properties[name]), fillers, depth + 1)]));
}
