import { type Fields, fieldsOf, listOf } from "./fields.js";

/**
 * A JSON Schema in Gemini's own words, which are a part of OpenAPI's: it refuses keys that it does not know, and takes
 * lists of choices for texts only. Properties are written in the order that `required` has.
 * @example
 * geminiSchema({ type: "integer", enum: [1, 2, 3] }); // { type: "integer", minimum: 1, maximum: 3 }
 */
export function geminiSchema(schema: Fields): Fields {
  const { additionalProperties: _, enum: choices, properties, ...rest } = schema;
  return { ...rest, ...choicesOf(listOf(choices)), ...propertiesOf(fieldsOf(properties), listOf(schema.required)) };
}

function choicesOf(choices: readonly unknown[]): Fields {
  if (choices.length === 0) return {};
  const numbers = choices.filter((choice): choice is number => typeof choice === "number");
  if (numbers.length < choices.length) return { enum: choices };
  return { minimum: Math.min(...numbers), maximum: Math.max(...numbers) };
}

function propertiesOf(properties: Fields | null, required: readonly unknown[]): Fields {
  if (properties === null) return {};
  const converted = Object.entries(properties).map(([name, each]) => [name, geminiSchema(fieldsOf(each) ?? {})]);
  return { properties: Object.fromEntries(converted), ...(required.length > 0 && { propertyOrdering: required }) };
}
