import * as z from "zod";
import { describe } from "../core/shape.js";
import { filled } from "./config.js";
import { quoted } from "./excerpt.js";
import { metricIn } from "./metric-value.js";

const plain = z.union([z.number(), z.boolean(), z.string()], "must be a number, a text, true or false");
const bound = z.number("must be a number").optional();
const OPS = [">=", "<=", ">", "<", "==", "!="] as const;

type Op = (typeof OPS)[number];
type Plain = z.output<typeof plain>;

/** What a metric is to be: `{ metric, op, value }`, or one or several of `min`, `max` and `equals`. */
export const assertionConfig = z
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
  if (op !== undefined && isOrder(op) && typeof value !== "number")
    return `has a value that ${op} cannot compare: give a number`;
  if ([op, min, max, equals].every((each) => each === undefined))
    return "asserts nothing: give op and value, min, max or equals";
  return (min ?? -Infinity) > (max ?? Infinity) ? "has a min above its max: swap them" : null;
}

/** One comparison of a metric with a value. */
interface Comparison {
  readonly op: Op;
  readonly value: Plain;
}

/** Says what is wrong with a metric of a document; null when nothing is. */
export type MetricCheck = (document: unknown) => string | null;

/** Reads an assertion of a config. */
export function metricCheck(given: Given): MetricCheck {
  const comparisons = comparisonsOf(given);
  const wanted = comparisons.map(({ op, value }) => `${op} ${shown(value)}`).join(" and ");
  return (document) => {
    const found = metricIn(document, given.metric);
    if (found === undefined) return `there is no ${given.metric}`;
    const isHeld = comparisons.every((comparison) => holds(found, comparison));
    return isHeld ? null : `${given.metric} is ${shown(found)}, wanted is ${wanted}`;
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

/** Nothing but numbers is more or less: "10" is a text, and texts have another order. */
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
