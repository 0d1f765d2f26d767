import * as z from "zod";
import { didYouMean, UsageError } from "../../core/index.js";
import { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "../../utils/index.js";
import { FAULT_KINDS, type MockScript, STATUS_FAULTS } from "./script.js";

type ScriptIssue = z.core.$ZodIssue;

export interface ScriptProblem {
  readonly text: string;
  readonly path: readonly (string | number)[];
  /** An unknown key in the object at `path`. */
  readonly unknownKey?: string;
}

/**
 * Returns the checked script. Strict, because an unknown key would be silently ignored otherwise.
 * @example
 * const script = checkScript({ reply: "echo", faults: [{ kind: 429, rate: 0.1 }] });
 */
export function checkScript(script: unknown, say = formatScriptProblem): MockScript {
  const parsed = scriptSchema.safeParse(script);
  if (parsed.success) return script as MockScript;
  throw new UsageError(
    parsed.error.issues
      .map(findInnermostIssue)
      .map((issue) => say(toScriptProblem(issue)))
      .join("\n"),
  );
}

function formatScriptProblem({ text }: ScriptProblem): string {
  return `The mock script: ${text}`;
}

/** Of several alternatives, the one that matched furthest was intended. */
function findInnermostIssue(issue: ScriptIssue): ScriptIssue {
  if (issue.code !== "invalid_union") return issue;
  const [deepest] = issue.errors
    .flat()
    .filter((inner) => inner.path.length > 0 || inner.code === "unrecognized_keys" || inner.code === "custom")
    .sort((a, b) => b.path.length - a.path.length);
  return deepest === undefined ? issue : findInnermostIssue({ ...deepest, path: [...issue.path, ...deepest.path] });
}

function toScriptProblem(issue: ScriptIssue): ScriptProblem {
  const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
  const at = path.join(".");
  if (issue.code !== "unrecognized_keys") return { text: `${at || "it"} ${formatIssue(issue)}.`, path };
  const unknownKey = issue.keys[0] ?? "";
  const where = at === "" ? "" : ` in ${at}`;
  return {
    text: `unknown key "${unknownKey}"${where}.${didYouMean(unknownKey, listKnownKeys(path))}`,
    path,
    unknownKey,
  };
}

/** zod's own texts for missing keys and wrong types are not helpful. */
function formatIssue({ code, message }: ScriptIssue): string {
  return code === "invalid_type" && message.startsWith("Invalid input")
    ? message.replace(/^Invalid input: /, "")
    : message;
}

function listKnownKeys(path: readonly (string | number)[]): readonly string[] {
  const key = path.findLast((part) => typeof part === "string" && Object.hasOwn(KNOWN_KEYS, part));
  return (
    KNOWN_KEYS[path.length === 2 && (path[0] === "models" || path[0] === "efforts") ? "models" : String(key ?? "")] ??
    []
  );
}

const text = z.string("must be a text");
const filled = text.min(1, "must not be empty");
const amount = z.number("must be a number").min(0, "must not be negative");
const positive = z.number("must be a number").positive("must be above 0");
const whole = amount.int("must be a whole number");
const count = z.number("must be a number").int("must be a whole number").min(1, "must be at least 1");
const share = z.number("must be a number").min(0, "must be from 0 to 1").max(1, "must be from 0 to 1");
const retryAfter = z.union([amount, z.literal("http-date")], 'must be a number of seconds or "http-date"').optional();

const latency = z.union(
  [
    amount,
    z
      .strictObject({ min: amount, max: amount })
      .refine(({ min, max }) => min <= max, "has a min above its max: swap them"),
  ],
  "must be a number of milliseconds or { min, max }",
);

const match = filled.refine(isValidMatch, "is not a valid regular expression between the slashes");

const rule = z.strictObject({ match, reply: text, model: text.optional() });

/** Only `/…/flags` is treated as a regular expression. */
export const PATTERN = /^\/(.+)\/([dgimsuvy]*)$/s;

function isValidMatch(match: string): boolean {
  const [, source, flags] = PATTERN.exec(match) ?? [];
  if (source === undefined) return true;
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}

const answer = z.strictObject({ question: filled, answer: text, context: text.optional() });

const step = z
  .strictObject({
    command: filled.optional(),
    name: filled.optional(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    text: text.optional(),
    outputTokens: whole.optional(),
    latencyMs: amount.optional(),
  })
  .superRefine((value, context) => {
    const given = [value.command, value.name, value.text].filter((one) => one !== undefined);
    if (given.length !== 1) addProblem(context, "needs exactly one of command, name and text");
    if (value.arguments !== undefined && value.name === undefined)
      addProblem(context, "has arguments, but no tool name");
  });

const steps = z.array(step, "must be a list of steps");

const toolRule = z.strictObject({ match, steps, model: text.optional() });

/** The two kinds of list differ in their keys, so an error refers to the intended kind. */
const tools = z.unknown().superRefine((value, context) => {
  const schema = hasToolRules(value) ? z.array(toolRule) : z.array(step, "must be a list of steps or of rules");
  for (const issue of schema.safeParse(value).error?.issues ?? [])
    context.addIssue(issue as Parameters<typeof context.addIssue>[0]);
});

function hasToolRules(value: unknown): boolean {
  const isRule = (one: unknown) => typeof one === "object" && one !== null && ("match" in one || "steps" in one);
  return Array.isArray(value) && value.some(isRule);
}

const usage = z
  .strictObject({
    input: whole.optional(),
    cacheRead: whole.optional(),
    cacheWrite: whole.optional(),
    cacheWrite1h: whole.optional(),
    reasoning: whole.optional(),
    cost: amount.optional(),
  })
  .refine(
    ({ cacheWrite, cacheWrite1h }) => cacheWrite === undefined || (cacheWrite1h ?? 0) <= cacheWrite,
    "has a cacheWrite1h above its cacheWrite, which includes it",
  );

const fault = z.strictObject({
  kind: z.union(
    [z.enum(FAULT_KINDS), z.literal(STATUS_FAULTS.map(Number))],
    `must be one of ${FAULT_KINDS.join(", ")}`,
  ),
  rate: share.optional(),
  first: count.optional(),
  every: count.optional(),
  model: text.optional(),
  retryAfter,
  afterTokens: whole.optional(),
  bytes: count.optional(),
  intervalMs: amount.optional(),
});

const rateLimit = z.strictObject({ requests: count, perMs: positive, retryAfter });

const batch = z.strictObject({
  delayMs: amount.optional(),
  expiresAfterMs: amount.optional(),
  errorRate: share.optional(),
});

const behaviour = z.strictObject({
  seed: z.number("must be a number").int("must be a whole number").optional(),
  latencyMs: latency.optional(),
  tokensPerSec: positive.optional(),
  chunkTokens: count.optional(),
  reply: z.union([text, z.array(rule)], 'must be a text, "echo" or a list of rules').optional(),
  answers: z.union([filled, z.array(answer)], "must be a JSONL file or a list of { question, answer }").optional(),
  successRate: z
    .union([share, z.record(z.string(), share)], "must be from 0 to 1, or one such share per model")
    .optional(),
  outputTokens: whole.optional(),
  usage: usage.optional(),
  noUsage: z.boolean("must be true or false").optional(),
  usageQuirk: makeEnum("missing", "decreasing", "negative", "cumulative").optional(),
  tools: tools.optional(),
  finish: makeEnum("stop", "length", "refusal", "blocked").optional(),
  refuses: z.array(filled, "must be a list of parameters").optional(),
  answersAs: filled.optional(),
  faults: z.array(fault, "must be a list of faults").optional(),
  rateLimit: rateLimit.optional(),
  maxConcurrent: count.optional(),
  batch: z.union([z.literal(false), batch], "must be false or { delayMs, expiresAfterMs, errorRate }").optional(),
});

const scriptSchema = behaviour.extend({
  requireKey: filled.optional(),
  models: z.record(z.string(), behaviour, "must contain behaviors by model name").optional(),
  efforts: z.record(z.string(), behaviour, "must contain behaviors by effort").optional(),
});

/**
 * The JSON Schema of mock scripts, for editors.
 * @example
 * const schema = buildMockJsonSchema();
 */
export function buildMockJsonSchema(): JsonSchema {
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: "Assay mock script",
    description: "How the simulated model answers.",
    ...toJsonSchema(scriptSchema, (schema, json) => {
      if (schema === tools) Object.assign(json, toJsonSchema(z.union([steps, z.array(toolRule)])));
    }),
  };
}

/** Known keys by their parent key. */
const KNOWN_KEYS: Readonly<Record<string, readonly string[]>> = {
  "": Object.keys(scriptSchema.shape),
  models: Object.keys(behaviour.shape),
  faults: Object.keys(fault.shape),
  tools: [...Object.keys(step.shape), ...Object.keys(toolRule.shape)],
  steps: Object.keys(step.shape),
  usage: Object.keys(usage.shape),
  reply: Object.keys(rule.shape),
  answers: Object.keys(answer.shape),
  rateLimit: Object.keys(rateLimit.shape),
  latencyMs: ["min", "max"],
  batch: Object.keys(batch.shape),
};

function makeEnum<const T extends string>(...values: readonly T[]) {
  return z.enum(values, `must be one of ${values.join(", ")}`);
}

function addProblem(context: z.RefinementCtx, message: string): void {
  context.addIssue({ code: "custom", message });
}
