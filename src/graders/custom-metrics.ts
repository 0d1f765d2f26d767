import * as z from "zod";
import type { Graded, GraderFactory, Verdict } from "../core/grader.js";
import { describe } from "../core/shape.js";
import { filled, readConfig } from "./config.js";
import { quoted } from "./excerpt.js";
import { checkSource, jsonOfFile, jsonOfOutput, jsonSourceConfig } from "./json-source.js";
import { ownGrader, verdict } from "./own-grader.js";

const plain = z.union([z.number(), z.boolean(), z.string()], "must be a number, a string, true or false");
const bound = z.number("must be a number").optional();
const OPS = [">=", "<=", ">", "<", "==", "!="] as const;

type Op = (typeof OPS)[number];
type Plain = z.output<typeof plain>;

/** An expectation for a metric: `{ metric, op, value }`, or any of `min`, `max` and `equals`. */
const assertionConfig = z
  .strictObject({
    metric: filled,
    op: z.enum(OPS, `must be one of ${OPS.join(" ")}`).optional(),
    value: plain.optional(),
    min: bound,
    max: bound,
    equals: plain.optional(),
  })
  .superRefine((given, context) => {
    const problem = problemWith(given);
    if (problem !== null) context.addIssue({ code: "custom", message: problem });
  });

interface Given {
  readonly metric: string;
  readonly op?: Op | undefined;
  readonly value?: Plain | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly equals?: Plain | undefined;
}

function problemWith({ op, value, min, max, equals }: Given): string | null {
  if ((op === undefined) !== (value === undefined)) return "needs op and value together";
  if (op !== undefined && isOrder(op) && typeof value !== "number") return `needs a number as its value for ${op}`;
  if ([op, min, max, equals].every((each) => each === undefined))
    return "asserts nothing: give op and value, min, max or equals";
  return (min ?? -Infinity) > (max ?? Infinity) ? "has a min above its max: swap them" : null;
}

interface Comparison {
  readonly op: Op;
  readonly value: Plain;
}

/** Returns what is wrong with a metric of the document, or null. */
type MetricCheck = (document: unknown) => string | null;

function metricCheck(given: Given): MetricCheck {
  const comparisons = comparisonsOf(given);
  const wanted = comparisons.map(({ op, value }) => `${op} ${shown(value)}`).join(" and ");
  return (document) => {
    const found = metricIn(document, given.metric);
    if (found === undefined) return `there is no ${given.metric}`;
    const isHeld = comparisons.every((comparison) => holds(found, comparison));
    return isHeld ? null : `${given.metric} is ${shown(found)}, expected ${wanted}`;
  };
}

function comparisonsOf({ op, value, min, max, equals }: Given): Comparison[] {
  return [
    ...(op === undefined || value === undefined ? [] : [{ op, value }]),
    ...(min === undefined ? [] : [{ op: ">=" as const, value: min }]),
    ...(max === undefined ? [] : [{ op: "<=" as const, value: max }]),
    ...(equals === undefined ? [] : [{ op: "==" as const, value: equals }]),
  ];
}

/** Only numbers are ordered: "10" is a string, and strings sort differently. */
function holds(found: unknown, { op, value }: Comparison): boolean {
  if (op === "==") return found === value;
  if (op === "!=") return found !== value;
  if (typeof found !== "number" || typeof value !== "number") return false;
  const order = { ">=": found >= value, "<=": found <= value, ">": found > value, "<": found < value };
  return order[op];
}

function isOrder(op: Op): boolean {
  return op !== "==" && op !== "!=";
}

function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describe(value);
}

/**
 * Finds a metric in a document by its literal key, by a dotted path or by a JSON pointer; undefined if it is missing. Also
 * looks inside an object called `values`.
 * @example
 * findMetric({ coverage: { lines: 81 } }, "coverage.lines"); // 81
 * findMetric({ tests: [{ name: "a" }] }, "/tests/0/name"); // "a"
 */
export function metricIn(document: unknown, metric: string): unknown {
  const found = valueAt(document, metric);
  return found === undefined && metric !== "values" ? valueAt(at(document, "values"), metric) : found;
}

function valueAt(document: unknown, metric: string): unknown {
  const own = at(document, metric);
  if (own !== undefined) return own;
  return keysOf(metric).reduce(at, document);
}

function keysOf(metric: string): string[] {
  if (!metric.startsWith("/")) return metric.split(".");
  return metric
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}

const USUAL_FILE = "custom_metrics.json";
const schema = z
  .strictObject({
    ...jsonSourceConfig,
    assertions: z.array(assertionConfig, "must be a list of assertions").min(1, "must not be empty"),
  })
  .superRefine(checkSource);

/**
 * Grades metrics that the trial itself produced, in a JSON file of the workspace or in the answer. The score is the share
 * of assertions that hold; without the metrics it is 0.
 */
export const customMetricsGraders = {
  "custom-metrics": (config) => {
    const { path = USUAL_FILE, output, assertions } = readConfig(schema, config);
    const checks = assertions.map(metricCheck);
    const find = (graded: Graded) => (output === true ? jsonOfOutput(graded.output) : jsonOfFile(graded, path));
    return ownGrader({
      name: "custom-metrics",
      folderUse: output === true ? "none" : "looks",
      grade: async (graded) => {
        const found = await find(graded);
        return "problem" in found ? verdict(false, found.problem) : judged(checks, JSON.parse(found.text));
      },
    });
  },
} satisfies Record<string, GraderFactory>;

function judged(checks: readonly MetricCheck[], document: unknown): Verdict {
  const problems = checks.map((check) => check(document)).filter((problem) => problem !== null);
  const held = checks.length - problems.length;
  return {
    passed: problems.length === 0,
    score: held / checks.length,
    evidence: [...problems, `${held} of ${checks.length} assertions hold`].join("; "),
  };
}
