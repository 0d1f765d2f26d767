/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const flag = { type: "boolean" };
const whole = { type: "integer", minimum: 0 };
const texts = { type: "array", items: text };
const list = { type: "array" };
const grader = { $ref: "#/definitions/grader" };
const graders = { type: "array", items: grader };
const regex = { type: "string", description: "A regular expression, found anywhere." };
const duration = { type: "string", description: 'With a unit, such as "30s" or "2m".' };
const path = { type: "string", description: "Below the workspace; may be a pattern such as src/**/*.js." };

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
  prompt: { type: "string", description: "What is to be judged." },
  rubric: texts,
  scoring: { enum: ["binary", "scale_1_5", "scale_1_10"] },
  threshold: { type: "number", minimum: 0, maximum: 1 },
  evidence: {},
};
const diff = { value: text, case_sensitive: flag, ...pattern, path };

/**
 * The settings of each type of grader, for editors: what to offer, and of which kind. Whether they fit together is for the
 * reader to say.
 */
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
    command: { type: "string", description: "A line for the shell; with args, a program." },
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
