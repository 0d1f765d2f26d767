import * as z from "zod";
import type { GraderFactory, Output, TrialStats, Verdict } from "../core/index.js";
import { formatDuration } from "../core/index.js";
import { type Bounds, makeBuiltInGrader, quoteExcerpt, scoreWithin } from "./built-in-grader.js";
import { amount, duration, pattern, readConfig, wholeNumber } from "./config.js";
import { GraderError } from "./grader-error.js";
import { readPattern, testPattern } from "./pattern.js";
import {
  countAgentTurns,
  countSteps,
  listErrors,
  listToolCalls,
  requireObservedTrajectory,
  requireTrajectory,
} from "./trajectory.js";

const bounds = { min: wholeNumber.optional(), max: wholeNumber.optional() };

/** A count without a bound checks nothing. */
function checkBounds({ min, max }: Bounds, context: z.RefinementCtx): void {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  if (min === undefined && max === undefined) say("has no bound: give min or max");
  if ((min ?? 0) > (max ?? Infinity)) say("has a min above its max: swap them");
}

const tools = z.array(pattern, "must be a list of patterns").min(1, "must not be empty");
const countConfig = z.strictObject(bounds).superRefine(checkBounds);
const callCountConfig = z.strictObject({ ...bounds, tools: tools.optional() }).superRefine(checkBounds);
const errorConfig = z.strictObject({ max: wholeNumber.default(0) });
const tokenConfig = z.strictObject({ max: wholeNumber });
const costConfig = z.strictObject({ max_usd: amount });
const timeConfig = z.strictObject({ max: duration });

/** Graders with limits on usage, cost, time and counts. */
export const limitGraders = {
  "tool-call-count": (config) => {
    const { min, max, tools: named } = readConfig(callCountConfig, config);
    const wanted = named?.map((tool) => readPattern(tool));
    const isCounted = (name: string) => wanted === undefined || wanted.some((one) => testPattern(one, name));
    const count = (output: Output) =>
      listToolCalls(requireObservedTrajectory(output)).filter(({ name }) => isCounted(name)).length;
    return makeLimitGrader("tool-call-count", (output) =>
      gradeBounds(count(output), { min, max }, createCountFormatter("tool calls")),
    );
  },
  "turn-count": (config) => {
    const { min, max } = readConfig(countConfig, config);
    return makeLimitGrader("turn-count", (output) =>
      gradeBounds(readTurnCount(output), { min, max }, createCountFormatter("turns")),
    );
  },
  "step-count": (config) => {
    const { min, max } = readConfig(countConfig, config);
    return makeLimitGrader("step-count", (output) =>
      gradeBounds(countSteps(requireObservedTrajectory(output)), { min, max }, createCountFormatter("steps")),
    );
  },
  "error-count": (config) => {
    const { max } = readConfig(errorConfig, config);
    return makeLimitGrader("error-count", (output) => gradeErrors(listErrors(requireObservedTrajectory(output)), max));
  },
  "token-budget": (config) => {
    const { max } = readConfig(tokenConfig, config);
    return makeLimitGrader("token-budget", (output) =>
      gradeSpending(requireTokens(output), {
        max,
        isPartial: output.partial === true,
        show: createCountFormatter("tokens"),
      }),
    );
  },
  "cost-budget": (config) => {
    const { max_usd: max } = readConfig(costConfig, config);
    return makeLimitGrader("cost-budget", (output, figures) => {
      const isPartial = output.partial === true || figures?.partial === true;
      return gradeSpending(requireCost(output, figures), { max, isPartial, show: formatGraderDollars });
    });
  },
  "wall-time": (config) => {
    const { max } = readConfig(timeConfig, config);
    return makeLimitGrader("wall-time", (output, figures) =>
      gradeBounds(requireDurationMs(output, figures), { max }, formatDuration),
    );
  },
} satisfies Record<string, GraderFactory>;

function makeLimitGrader(name: string, judge: (output: Output, figures: TrialStats | undefined) => Verdict) {
  return makeBuiltInGrader({ name, folderUse: "none", grade: ({ output, figures }) => judge(output, figures) });
}

function createCountFormatter(what: string): (value: number) => string {
  return (value) => `${value} ${what}`;
}

function formatGraderDollars(value: number): string {
  return `$${Number(value.toPrecision(6))}`;
}

/** Full score up to the maximum, then less in proportion to the excess. */
function gradeBounds(value: number, { min = 0, max = Infinity }: Bounds, show: (value: number) => string): Verdict {
  const limit = max === Infinity ? "" : ` of at most ${max === 0 ? 0 : show(max)}`;
  const least = min === 0 ? "" : `, at least ${min}`;
  const score = scoreWithin(value, { min, max });
  return { passed: value >= min && value <= max, score, evidence: `${show(value)}${limit}${least}` };
}

/** Limits the number of errors; the evidence includes the first one. */
function gradeErrors(errors: readonly string[], max: number): Verdict {
  const held = gradeBounds(errors.length, { max }, createCountFormatter("errors"));
  const [first] = errors;
  return first === undefined ? held : { ...held, evidence: `${held.evidence}, the first: ${quoteExcerpt(first)}` };
}

interface SpendingLimit {
  max: number;
  isPartial: boolean;
  show: (value: number) => string;
}

/** Incomplete figures can exceed a limit, but cannot prove that it was kept. */
function gradeSpending(value: number, { max, isPartial, show }: SpendingLimit): Verdict {
  if (isPartial && value <= max) throw new GraderError(`${show(value)} known so far, but the figures are incomplete`);
  return gradeBounds(value, { max }, show);
}

/** All billed tokens; the classes are disjoint. */
function requireTokens({ usage }: Output): number {
  if (usage === undefined) throw new GraderError("the output does not say how many tokens were used");
  return usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** A provider's cost is in the output, a metered one in its metadata, and a priced one in the row. */
function requireCost({ costUsd, metadata }: Output, figures: TrialStats | undefined): number {
  const cost = costUsd ?? metadata?.costUsd ?? figures?.costUsd;
  if (typeof cost !== "number") throw new GraderError("its cost is unknown: its model has no price");
  return cost;
}

function readTurnCount(output: Output): number {
  return typeof output.turns === "number" ? output.turns : countAgentTurns(requireObservedTrajectory(output));
}

/** As reported by the system, otherwise from the start to the last event, otherwise as measured by the runner. */
function requireDurationMs(output: Output, figures: TrialStats | undefined): number {
  if (typeof output.latency === "number") return output.latency * 1000;
  if (output.trajectory === undefined && figures != null && figures.durationMs !== null) return figures.durationMs;
  if (output.trajectory === undefined) throw new GraderError("its duration was not measured");
  const { events, startedAt } = requireTrajectory(output);
  const times = events.map(({ timestamp }) => timestamp).filter((time) => Number.isFinite(time));
  const start = startedAt ?? times[0];
  if (start === undefined) throw new GraderError("the trajectory has no timestamps");
  return times.reduce((latest, time) => Math.max(latest, time), start) - start;
}
