import * as z from "zod";
import type { Graded, GraderFactory, Verdict } from "../core/index.js";
import { describeValue } from "../core/index.js";
import { makeBuiltInGrader, makeVerdict, quoteExcerpt } from "./built-in-grader.js";
import { nonEmptyText, readConfig } from "./config.js";
import { checkJsonSource, extractOutputJson, jsonSourceConfig, readWorkspaceJson } from "./json-source.js";

const scalarSchema = z.union([z.number(), z.boolean(), z.string()], "must be a number, a string, true or false");
const boundSchema = z.number("must be a number").optional();
const OPERATORS = [">=", "<=", ">", "<", "==", "!="] as const;

type ComparisonOperator = (typeof OPERATORS)[number];
type MetricScalar = z.output<typeof scalarSchema>;

/** An expectation for a metric: `{ metric, op, value }`, or any of `min`, `max` and `equals`. */
const assertionConfig = z
  .strictObject({
    metric: nonEmptyText,
    op: z.enum(OPERATORS, `must be one of ${OPERATORS.join(" ")}`).optional(),
    value: scalarSchema.optional(),
    min: boundSchema,
    max: boundSchema,
    equals: scalarSchema.optional(),
  })
  .superRefine((given, context) => {
    const problem = findAssertionProblem(given);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });

interface MetricAssertion {
  readonly metric: string;
  readonly op?: ComparisonOperator | undefined;
  readonly value?: MetricScalar | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly equals?: MetricScalar | undefined;
}

function findAssertionProblem({ op, value, min, max, equals }: MetricAssertion): string | null {
  if ((op === undefined) !== (value === undefined)) return "needs op and value together";
  if (op !== undefined && isOrderOperator(op) && typeof value !== "number")
    return `needs a number as its value for ${op}`;
  if ([op, min, max, equals].every((each) => each === undefined))
    return "asserts nothing: give op and value, min, max or equals";
  return (min ?? -Infinity) > (max ?? Infinity) ? "has a min above its max: swap them" : null;
}

interface AssertedComparison {
  readonly op: ComparisonOperator;
  readonly value: MetricScalar;
}

/** Returns what is wrong with a metric of the document, or null. */
type MetricCheck = (document: unknown) => string | null;

function createMetricCheck(given: MetricAssertion): MetricCheck {
  const comparisons = listComparisons(given);
  const wanted = comparisons.map(({ op, value }) => `${op} ${formatAssertedValue(value)}`).join(" and ");
  return (document) => {
    const found = findMetric(document, given.metric);
    if (found === undefined) return `there is no ${given.metric}`;
    const isHeld = comparisons.every((comparison) => isComparisonMet(found, comparison));
    return isHeld ? null : `${given.metric} is ${formatAssertedValue(found)}, expected ${wanted}`;
  };
}

function listComparisons({ op, value, min, max, equals }: MetricAssertion): AssertedComparison[] {
  return [
    ...(op === undefined || value === undefined ? [] : [{ op, value }]),
    ...(min === undefined ? [] : [{ op: ">=" as const, value: min }]),
    ...(max === undefined ? [] : [{ op: "<=" as const, value: max }]),
    ...(equals === undefined ? [] : [{ op: "==" as const, value: equals }]),
  ];
}

/** Only numbers are ordered: "10" is a string, and strings sort differently. */
function isComparisonMet(found: unknown, { op, value }: AssertedComparison): boolean {
  if (op === "==") return found === value;
  if (op === "!=") return found !== value;
  if (typeof found !== "number" || typeof value !== "number") return false;
  const order = { ">=": found >= value, "<=": found <= value, ">": found > value, "<": found < value };
  return order[op];
}

function isOrderOperator(op: ComparisonOperator): boolean {
  return op !== "==" && op !== "!=";
}

function formatAssertedValue(value: unknown): string {
  if (typeof value === "string") return quoteExcerpt(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeValue(value);
}

/**
 * Finds a metric in a document by its literal key, by a dotted path or by a JSON pointer; undefined if it is missing. Also
 * looks inside an object called `values`.
 * @example
 * findMetric({ coverage: { lines: 81 } }, "coverage.lines"); // 81
 * findMetric({ tests: [{ name: "a" }] }, "/tests/0/name"); // "a"
 */
export function findMetric(document: unknown, metric: string): unknown {
  const found = resolveMetricPath(document, metric);
  return found === undefined && metric !== "values" ? resolveMetricPath(getOwnKey(document, "values"), metric) : found;
}

function resolveMetricPath(document: unknown, metric: string): unknown {
  const own = getOwnKey(document, metric);
  if (own !== undefined) return own;
  return splitMetricPath(metric).reduce(getOwnKey, document);
}

function splitMetricPath(metric: string): string[] {
  if (!metric.startsWith("/")) return metric.split(".");
  return metric
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function getOwnKey(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

const DEFAULT_FILE = "custom_metrics.json";
const schema = z
  .strictObject({
    ...jsonSourceConfig,
    assertions: z.array(assertionConfig, "must be a list of assertions").min(1, "must not be empty"),
  })
  .superRefine(checkJsonSource);

/**
 * Grades metrics that the trial itself produced, in a JSON file of the workspace or in the answer. The score is the share
 * of assertions that hold; without the metrics it is 0.
 */
export const customMetricsGraders = {
  "custom-metrics": (config) => {
    const { path = DEFAULT_FILE, output, assertions } = readConfig(schema, config);
    const checks = assertions.map(createMetricCheck);
    const find = (graded: Graded) =>
      output === true ? extractOutputJson(graded.output) : readWorkspaceJson(graded, path);
    return makeBuiltInGrader({
      name: "custom-metrics",
      folderUse: output === true ? "none" : "looks",
      grade: async (graded) => {
        const found = await find(graded);
        return "problem" in found ? makeVerdict(false, found.problem) : gradeMetrics(checks, JSON.parse(found.text));
      },
    });
  },
} satisfies Record<string, GraderFactory>;

function gradeMetrics(checks: readonly MetricCheck[], document: unknown): Verdict {
  const problems = checks.map((check) => check(document)).filter((problem) => problem !== null);
  const held = checks.length - problems.length;
  return {
    passed: problems.length === 0,
    score: held / checks.length,
    evidence: [...problems, `${held} of ${checks.length} assertions hold`].join("; "),
  };
}
