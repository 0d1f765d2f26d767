import * as z from "zod";
import { GRADER_CONFIGS, type JsonSchema } from "./grader-config-schema.js";
import { type KeyRules, SPEC_RULES } from "./key-rules.js";
import { graderSchema, specSchema } from "./spec-schema.js";
import { inCamelCase, inSnakeCase, otherSpellings } from "./spelling.js";

type Node = Record<string, unknown>;

/**
 * The JSON Schema of eval files, for editors. It knows the keys of other harnesses, too, as the reader does.
 * @example
 * const schema = evalJsonSchema();
 */
export function evalJsonSchema(): JsonSchema {
  const schema = asJson(specSchema);
  allow({ node: schema, pointer: "#" }, SPEC_RULES);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "An eval of Assay",
    description: "What an agent is asked, where, how its work is graded, and what the result is held to.",
    ...schema,
    definitions: { grader: graderDefinition() },
  };
}

function asJson(schema: z.ZodType): Node {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { target: "draft-7", io: "input", unrepresentable: "any" });
  return json;
}

/** A part of the schema, and the pointer that leads to it. */
interface Part {
  readonly node: Node;
  readonly pointer: string;
}

/** Adds to a schema what the rules allow besides our own keys. */
function allow({ node, pointer }: Part, rules: KeyRules): void {
  if (rules.isGrader === true) {
    for (const key of Object.keys(node)) delete node[key];
    node.$ref = "#/definitions/grader";
    return;
  }
  const properties = node.properties as Record<string, Node> | undefined;
  if (properties === undefined) return;
  for (const [key, inside] of Object.entries(rules.inside ?? {}))
    for (const part of mappingsIn({ node: properties[key] ?? {}, pointer: `${pointer}/properties/${key}` }))
      allow(part, inside.rules);
  for (const key of Object.keys(rules.forms ?? {}))
    properties[key] = { anyOf: [properties[key], { type: "object", required: ["name"] }] };
  addSpellings({ node, pointer }, properties, rules);
  for (const [key, why] of Object.entries(rules.ignored ?? {}))
    for (const form of [key, inCamelCase(key)])
      properties[form] = { description: `Ignored: ${why}.`, deprecated: true };
}

/** Every mapping that a value may be, or that is in it. */
function mappingsIn({ node, pointer }: Part): Part[] {
  if (node.properties !== undefined) return [{ node, pointer }];
  const options = Array.isArray(node.anyOf) ? (node.anyOf as Node[]) : [];
  const inner = [
    ...options.map((option, index) => ({ node: option, pointer: `${pointer}/anyOf/${index}` })),
    ...["items", "additionalProperties"].map((key) => ({ node: node[key] as Node, pointer: `${pointer}/${key}` })),
  ];
  return inner.flatMap((part) => (typeof part.node === "object" ? mappingsIn(part) : []));
}

function addSpellings({ node, pointer }: Part, properties: Record<string, Node>, rules: KeyRules): void {
  const spellings = [...otherSpellings(rules)];
  for (const [form, key] of spellings) {
    const { convert } = rules.aliases?.[form] ?? rules.aliases?.[inSnakeCase(form)] ?? {};
    const same = convert === undefined ? { allOf: [{ $ref: `${pointer}/properties/${key}` }] } : {};
    properties[form] = { ...same, description: `Read as ${key}.`, deprecated: true };
  }
  const required = (node.required as string[] | undefined) ?? [];
  const formsOf = (key: string) => [key, ...spellings.flatMap(([form, to]) => (to === key ? [form] : []))];
  const flexible = required.filter((key) => formsOf(key).length > 1);
  if (flexible.length === 0) return;
  node.required = required.filter((key) => !flexible.includes(key));
  node.allOf = flexible.map((key) => ({ anyOf: formsOf(key).map((form) => ({ required: [form] })) }));
}

/** Settings may stand below `config` or beside the type; what they may be depends on it. */
function graderDefinition(): JsonSchema {
  const { additionalProperties: _, ...json } = asJson(graderSchema);
  const types = Object.keys(GRADER_CONFIGS);
  const known = Object.entries(GRADER_CONFIGS).map(([type, settings]) => ({
    properties: { type: { const: type }, config: { properties: settings }, ...beside(settings) },
  }));
  return { ...json, anyOf: [...known, { properties: { type: { not: { enum: types } } } }] };
}

/** A setting that is called like a key of every grader is one only below `config`. */
function beside(settings: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const own = Object.keys(graderSchema.shape);
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !own.includes(key)));
}
