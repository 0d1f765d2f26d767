import { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "../../utils/index.js";
import { listOtherSpellings, toCamelCaseKey, toSnakeCaseKey } from "./key-aliases.js";
import { type KeyRules, SPEC_RULES } from "./key-rules.js";
import { graderSchema, specSchema } from "./spec-schema.js";

type SchemaNode = Record<string, unknown>;

/**
 * Builds the JSON Schema of eval files, for editors. It includes the keys of other harnesses that the reader accepts.
 * @example
 * const schema = buildEvalJsonSchema();
 */
export function buildEvalJsonSchema(): JsonSchema {
  const schema = { ...toJsonSchema(specSchema) };
  addAllowedKeys({ node: schema, pointer: "#" }, SPEC_RULES);
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: "Assay eval",
    description: "What an agent is asked to do, in which environment, how its work is graded, and which gates decide.",
    ...schema,
    definitions: { grader: buildGraderDefinition() },
  };
}

/** A part of the schema, and the JSON pointer to it. */
interface SchemaPart {
  readonly node: SchemaNode;
  readonly pointer: string;
}

/** Adds to a schema what the rules allow besides the keys of Assay. */
function addAllowedKeys({ node, pointer }: SchemaPart, rules: KeyRules): void {
  if (rules.isGrader === true) {
    for (const key of Object.keys(node)) delete node[key];
    node.$ref = "#/definitions/grader";
    return;
  }
  const properties = node.properties as Record<string, SchemaNode> | undefined;
  if (properties === undefined) return;
  for (const [key, inside] of Object.entries(rules.inside ?? {}))
    for (const part of listMappings({ node: properties[key] ?? {}, pointer: `${pointer}/properties/${key}` }))
      addAllowedKeys(part, inside.rules);
  for (const key of Object.keys(rules.forms ?? {})) properties[key] = addNamedForm(properties[key] ?? {});
  addAliasKeys({ node, pointer }, properties, rules);
  for (const key of Object.keys(rules.lifted ?? {}))
    properties[key] = { type: "object", description: "Its keys are read as keys beside it.", deprecated: true };
  for (const [key, why] of Object.entries(rules.ignored ?? {}))
    for (const form of [key, toCamelCaseKey(key)])
      properties[form] = { description: `Ignored: ${why}.`, deprecated: true };
}

/** A value that other harnesses write as a mapping with a name. */
function addNamedForm({ description, ...own }: SchemaNode): SchemaNode {
  return { description, anyOf: [own, { type: "object", required: ["name"] }] };
}

function listMappings({ node, pointer }: SchemaPart): SchemaPart[] {
  if (node.properties !== undefined) return [{ node, pointer }];
  const options = Array.isArray(node.anyOf) ? (node.anyOf as SchemaNode[]) : [];
  const inner = [
    ...options.map((option, index) => ({ node: option, pointer: `${pointer}/anyOf/${index}` })),
    ...["items", "additionalProperties"].map((key) => ({
      node: node[key] as SchemaNode,
      pointer: `${pointer}/${key}`,
    })),
  ];
  return inner.flatMap((part) => (typeof part.node === "object" ? listMappings(part) : []));
}

function addAliasKeys({ node, pointer }: SchemaPart, properties: Record<string, SchemaNode>, rules: KeyRules): void {
  const spellings = [...listOtherSpellings(rules)];
  for (const [form, key] of spellings) {
    const { convert } = rules.aliases?.[form] ?? rules.aliases?.[toSnakeCaseKey(form)] ?? {};
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

/** Settings may be under `config` or beside the type; which ones are allowed depends on the type. */
function buildGraderDefinition(): JsonSchema {
  const { additionalProperties: _, ...json } = toJsonSchema(graderSchema);
  const types = Object.keys(GRADER_CONFIGS);
  const known = Object.entries(GRADER_CONFIGS).map(([type, settings]) => ({
    properties: { type: { const: type }, config: { properties: settings }, ...omitGraderKeys(settings) },
  }));
  return { ...json, anyOf: [...known, { properties: { type: { not: { enum: types } } } }] };
}

/** A setting with the name of a key that every grader has is one only under `config`. */
function omitGraderKeys(settings: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const own = Object.keys(graderSchema.shape);
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !own.includes(key)));
}

const text = { type: "string" };
const flag = { type: "boolean" };
const whole = { type: "integer", minimum: 0 };
const texts = { type: "array", items: text };
const list = { type: "array" };
const grader = { $ref: "#/definitions/grader" };
const graders = { type: "array", items: grader };
const regex = { type: "string", description: "A regular expression, found anywhere." };
const duration = { type: "string", description: 'With a unit, such as "30s" or "2m".' };
const path = { type: "string", description: "Relative to the workspace; may be a pattern such as src/**/*.js." };

const substring = { substring: text, case_sensitive: flag };
const pattern = { pattern: regex, flags: text };
const bounds = { min: whole, max: whole };
const run = {
  args: texts,
  timeout: duration,
  sub_path: path,
  env: { type: "object" },
  files: { type: "array", items: { type: "object" } },
};
const judging = {
  prompt: { type: "string", description: "What to judge." },
  rubric: texts,
  scoring: { enum: ["binary", "scale_1_5", "scale_1_10"] },
  threshold: { type: "number", minimum: 0, maximum: 1 },
  evidence: {},
  effort: { description: "How much the judge model thinks." },
};
const diff = { value: text, case_sensitive: flag, ...pattern, path };

/** The settings of each grader type and their types, for editors. Whether they fit together is checked by the reader. */
export const GRADER_CONFIGS: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  completed: {},
  "exit-success": {},
  "output-contains": substring,
  "output-not-contains": substring,
  "output-matches": pattern,
  "output-not-matches": pattern,
  "transcript-contains": substring,
  "transcript-not-contains": substring,
  "file-exists": { path },
  "file-not-exists": { path },
  "file-contains": { path, value: text, case_sensitive: flag },
  "file-not-contains": { path, value: text, case_sensitive: flag },
  "file-matches": { path, ...pattern },
  "file-not-matches": { path, ...pattern },
  "diff-contains": diff,
  "diff-not-contains": diff,
  "diff-empty": { path },
  "tool-calls": { required: list, disallowed: list, sequence: list },
  "tool-call-count": { ...bounds, tools: texts },
  "turn-count": bounds,
  "step-count": bounds,
  "error-count": { max: whole },
  "token-budget": { max: whole },
  "cost-budget": { max_usd: { type: "number", minimum: 0 } },
  "wall-time": { max: duration },
  "skill-invocation": { required: list, disallowed: list },
  "max-repeat": {
    max: whole,
    match: { enum: ["name-args", "name", "observation"] },
    tools: texts,
    max_cycle_period: whole,
  },
  "custom-metrics": { path, output: flag, assertions: list },
  "run-command": {
    command: { type: "string", description: "A shell command; with args, a program." },
    expected_exit_code: whole,
    stdout_contains: text,
    stdout_matches: regex,
    stderr_contains: text,
    ...run,
  },
  program: { program: text, shell: flag, ...run },
  "json-schema": { path, output: flag, schema: {} },
  prompt: { ...judging, model: text },
  panel: { ...judging, models: texts, aggregation: { enum: ["mean", "median", "majority", "min"] } },
  "all-of": { graders },
  "any-of": { graders },
  not: { grader },
};
