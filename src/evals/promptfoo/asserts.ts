import type { GraderSpec } from "../../core/index.js";
import { EXAMPLE_MODELS, getErrorMessage } from "../../core/index.js";
import { toModelName } from "./providers.js";
import {
  type ConfigFiles,
  type ConversionNotes,
  FileReferenceError,
  getExtension,
  isMap,
  listParts,
  type Part,
  parseFileReference,
  take,
} from "./source.js";

/** What asserts of a test need to become graders. */
export interface AssertContext {
  readonly files: ConfigFiles;
  readonly notes: ConversionNotes;
  /** The values that `{{name}}` in an assert stands for. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Provider ids for grading and for embeddings, from the options of the test. */
  readonly judge?: string | undefined;
  readonly embedding?: string | undefined;
  /** True if scripts get the answer as parsed JSON, as promptfoo does for models with a JSON schema. */
  readonly parsesJson?: boolean;
}

/** promptfoo grades with a model of OpenAI unless a config names another one. */
const DEFAULT_JUDGE = EXAMPLE_MODELS.openaiSmall;

/** Converts the asserts of a test to graders; lists those that have no counterpart. */
export async function convertAsserts(part: Part, context: AssertContext): Promise<GraderSpec[]> {
  const graders: GraderSpec[] = [];
  for (const one of listParts(part)) {
    const grader = await convertAssert(one, context);
    if (grader !== null) graders.push(grader);
  }
  return graders;
}

async function convertAssert(part: Part, context: AssertContext): Promise<GraderSpec | null> {
  const { notes } = context;
  const { type, metric, weight } = isMap(part.value) ? part.value : {};
  if (typeof type !== "string") {
    notes.add(part, "this assert is not taken over: it has no type");
    return null;
  }
  try {
    const made = await makeGraderSpec(part, type, context);
    return {
      ...made,
      ...(typeof metric === "string" && metric !== "" && !metric.includes("{{") ? { name: metric } : {}),
      ...(typeof weight === "number" && weight >= 0 ? { weight } : {}),
    };
  } catch (error) {
    if (!(error instanceof AssertProblem) && !(error instanceof FileReferenceError)) throw error;
    notes.add(part, `the assert ${type} is not taken over: ${getErrorMessage(error).replace(/\.$/, "")}`);
    return null;
  }
}

/** Why an assert has no counterpart, and what to do instead. */
class AssertProblem extends Error {}

async function makeGraderSpec(part: Part, type: string, context: AssertContext): Promise<GraderSpec> {
  if (take(part, "transform").value !== undefined)
    throw new AssertProblem("it has a transform. Write a grader in a plugin (docs/reference/graders.md)");
  if (take(part, "contextTransform").value !== undefined) throw new AssertProblem("it has a contextTransform");
  const isNegated = type.startsWith("not-");
  const base = isNegated ? type.slice("not-".length) : type;
  const make = Object.hasOwn(CONVERTERS, base) ? CONVERTERS[base] : undefined;
  if (make === undefined)
    throw new AssertProblem("there is no such grader. See docs/reference/graders.md, or write one in a plugin");
  const made = await make({ part, base, context, value: await readValue(part, base, context) });
  if (!isNegated) return made;
  const opposite = OPPOSITES[made.type];
  return opposite === undefined ? { type: "not", name: type, config: { grader: made } } : { ...made, type: opposite };
}

const OPPOSITES: Readonly<Record<string, string>> = {
  "output-contains": "output-not-contains",
  "output-matches": "output-not-matches",
};

interface ConverterInput {
  readonly part: Part;
  readonly base: string;
  /** With the values of the test inserted. */
  readonly value: unknown;
  readonly context: AssertContext;
}

type Converter = (input: ConverterInput) => GraderSpec | Promise<GraderSpec>;

const convertContains: Converter = ({ base, value }) => contains(requireText(value), base.startsWith("i"));
const convertAny: Converter = ({ base, value }) => combine("any-of", base, requireTexts(value));
const convertAll: Converter = ({ base, value }) => combine("all-of", base, requireTexts(value));
const convertJson: Converter = ({ base, value }) => ({
  type: "json-schema",
  name: base,
  config: { output: true, ...(base === "is-json" ? { whole: true } : {}), schema: toSchema(value) },
});

/** By type: the grader that gives the same verdict. */
const CONVERTERS: Readonly<Record<string, Converter>> = {
  equals: ({ value }) =>
    typeof value === "object" && value !== null
      ? equalsJson(value)
      : matches("equals", `^${escapePattern(requireText(value))}$`),
  contains: convertContains,
  icontains: convertContains,
  "contains-any": convertAny,
  "icontains-any": convertAny,
  "contains-all": convertAll,
  "icontains-all": convertAll,
  "starts-with": ({ value }) => matches("starts-with", `^${escapePattern(requireText(value))}`),
  "ends-with": ({ value }) => matches("ends-with", `${escapePattern(requireText(value))}$`),
  regex: ({ value }) => matches("regex", requirePattern(value)),
  "is-json": convertJson,
  "contains-json": convertJson,
  latency: ({ part }) => ({ type: "wall-time", name: "latency", config: { max: `${requireThreshold(part)}ms` } }),
  cost: ({ part }) => ({ type: "cost-budget", name: "cost", config: { max_usd: requireThreshold(part) } }),
  javascript: convertScript,
  python: convertScript,
  similar: convertSimilar,
  "llm-rubric": ({ part, value, context }) => judge(part, requireText(value), context),
  "model-graded-closedqa": ({ part, value, context }) =>
    judge(part, `The answer meets this criterion: ${requireText(value)}`, context),
  factuality: ({ part, value, context }) =>
    judge(
      part,
      `The answer states the same facts as this reference, or a part of them, and does not contradict it: ${requireText(value)}`,
      context,
    ),
  "g-eval": ({ part, value, context }) => judge(part, requireTexts(value).join("\n"), context),
  "assert-set": convertSet,
};

function contains(substring: string, ignoresCase: boolean): GraderSpec {
  if (substring === "") throw new AssertProblem("its value is empty");
  return { type: "output-contains", config: { substring, case_sensitive: !ignoresCase } };
}

function combine(type: "any-of" | "all-of", base: string, texts: readonly string[]): GraderSpec {
  const parts = texts.filter((text) => text !== "").map((text) => contains(text, base.startsWith("i")));
  if (parts.length === 0) throw new AssertProblem("its value is empty");
  return { type, name: base, config: { graders: parts } };
}

function matches(name: string, pattern: string): GraderSpec {
  return { type: "output-matches", name, config: { pattern } };
}

function equalsJson(value: object): GraderSpec {
  return { type: "json-schema", name: "equals", config: { output: true, whole: true, schema: { const: value } } };
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

function requireText(value: unknown): string {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return String(value);
  throw new AssertProblem("its value is not a text");
}

/** A list, or texts separated by commas. */
function requireTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(requireText);
  return requireText(value)
    .split(",")
    .map((text) => text.trim());
}

function requirePattern(value: unknown): string {
  const pattern = requireText(value);
  try {
    new RegExp(pattern);
  } catch (error) {
    throw new AssertProblem(`its pattern is invalid (${getErrorMessage(error)})`);
  }
  return pattern;
}

function requireThreshold(part: Part): number {
  const { value } = take(part, "threshold");
  if (typeof value === "number" && value >= 0) return value;
  throw new AssertProblem("it has no threshold, so it decides nothing. Every row has duration and cost anyway");
}

function toSchema(value: unknown): unknown {
  if (value === undefined || value === null || value === "") return true;
  if (isMap(value) || typeof value === "boolean") return value;
  throw new AssertProblem("its schema cannot be read");
}

function judge(part: Part, prompt: string, { notes, judge: usual }: AssertContext): GraderSpec {
  const { value: own } = take(part, "provider");
  const id = typeof own === "string" ? own : isMap(own) && typeof own.id === "string" ? own.id : usual;
  const model = id === undefined ? DEFAULT_JUDGE : toModelName(id);
  const { value: threshold } = take(part, "threshold");
  if (model === null)
    throw new AssertProblem(`its provider ${id} has no counterpart. Write { type: prompt, config: { prompt, model } }`);
  if (id === undefined)
    notes.addFirst(
      part,
      `no model is named for grading; ${DEFAULT_JUDGE} is used. Change "model" in tests.jsonl for another one`,
    );
  if (take(part, "rubricPrompt").value !== undefined) notes.add(part, "its rubricPrompt is not taken over");
  const scoring = typeof threshold === "number" ? { scoring: "scale_1_10", threshold } : {};
  return { type: "prompt", name: "llm-rubric", config: { prompt, model, ...scoring } };
}

/** JavaScript and Python run in the plugin that is written beside the config. */
function convertScript({ part, base, value, context }: ConverterInput): GraderSpec {
  const { value: threshold } = take(part, "threshold");
  const { value: config } = take(part, "config");
  const { value: raw } = take(part, "value");
  const reference = parseFileReference(raw);
  const shared = {
    ...(typeof threshold === "number" ? { threshold } : {}),
    ...(isMap(config) ? { config } : {}),
    ...(context.parsesJson === true ? { json: true } : {}),
  };
  if (reference === null)
    return { type: `promptfoo-${base}`, name: base, config: { code: requireText(value), ...shared } };
  const [, file = reference, name] = /^(.*\.\w+)(?::(\w+))?$/s.exec(reference) ?? [];
  context.files.resolve(file);
  return {
    type: `promptfoo-${base}`,
    name: base,
    config: { file: context.files.getName(file), ...(name === undefined ? {} : { function: name }), ...shared },
  };
}

const EMBEDDINGS = /^openai:embeddings?:(.+)$/;

function convertSimilar({ part, value, context }: ConverterInput): GraderSpec {
  const { value: own } = take(part, "provider");
  const id = typeof own === "string" ? own : context.embedding;
  const [, model] = EMBEDDINGS.exec(id ?? "") ?? [];
  if (model === undefined)
    throw new AssertProblem(
      `no embedding model is named. Write provider: openai:embedding:text-embedding-3-small and convert again, or use a prompt grader`,
    );
  const { value: threshold = 0.75 } = take(part, "threshold");
  return {
    type: "promptfoo-similar",
    name: "similar",
    config: { values: Array.isArray(value) ? value.map(requireText) : [requireText(value)], model, threshold },
  };
}

async function convertSet({ part, context }: ConverterInput): Promise<GraderSpec> {
  if (take(part, "threshold").value !== undefined)
    throw new AssertProblem(
      "a set with a threshold has no counterpart. Use any-of, or weights and a threshold of the example",
    );
  // An assert of weight 0 fails nothing.
  const graders = (await convertAsserts(take(part, "assert"), context)).filter(({ weight }) => weight !== 0);
  if (graders.length === 0) throw new AssertProblem("none of its asserts is taken over");
  return {
    type: "all-of",
    name: "assert-set",
    config: {
      graders: graders.map(({ type, name, config }) => ({
        type,
        ...(name === undefined ? {} : { name }),
        ...(config === undefined ? {} : { config }),
      })),
    },
  };
}

/** The value of an assert, read from its file, with the values of the test inserted. */
async function readValue(part: Part, base: string, { files, vars }: AssertContext): Promise<unknown> {
  const { value } = take(part, "value");
  const isScript = base === "javascript" || base === "python";
  const reference = parseFileReference(value);
  if (isScript && reference !== null) return undefined;
  if (reference === null) return isScript ? value : insertVars(value, vars);
  const extension = getExtension(reference);
  if ([".json", ".yaml", ".yml"].includes(extension)) return (await files.readTree(reference)).value;
  if ([".txt", ".md", ""].includes(extension)) return insertVars(files.readText(reference).trim(), vars);
  throw new AssertProblem(
    `its value comes from the code ${reference}. Write it as a javascript or python assert, or a plugin`,
  );
}

/** Inserts `{{name}}` in texts, also inside lists and maps. */
function insertVars(value: unknown, vars: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") return insertText(value, vars);
  if (Array.isArray(value)) return value.map((item) => insertVars(item, vars));
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, insertVars(item, vars)]));
}

function insertText(text: string, vars: Readonly<Record<string, unknown>>): string {
  if (/\{%|\{#/.test(text)) throw new AssertProblem("its value has template logic. Write the text itself");
  return text.replace(/\{\{(.*?)\}\}/gs, (_, inside: string) => {
    const name = inside.trim();
    if (/^(?:env|process)\b/.test(name))
      throw new AssertProblem("its value comes from the environment, and is not copied");
    if (!/^[\w$-]+$/.test(name))
      throw new AssertProblem(`its value has the expression {{${name}}}. Write the text itself`);
    const value = Object.hasOwn(vars, name) ? vars[name] : "";
    if (value === undefined || value === null) return "";
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}
