import * as z from "zod";
import { inWords } from "../core/duration.js";
import type { TrialFigures } from "../core/evaluator.js";
import type { GraderFactory, Verdict } from "../core/grader.js";
import type { Output } from "../core/system.js";
import { amount, duration, pattern, readConfig, whole } from "./config.js";
import { quoted } from "./excerpt.js";
import { GraderError } from "./grader-error.js";
import { ownGrader } from "./own-grader.js";
import { occursIn, readPattern } from "./pattern.js";
import { errorsOf, observedTrajectory, stepsOf, toolCallsOf, trajectoryOf, turnsOf } from "./trajectory.js";
import { type Bounds, scoreWithin } from "./within.js";

const bounds = { min: whole.optional(), max: whole.optional() };

/** A count without a bound checks nothing. */
function checkBounds({ min, max }: Bounds, context: z.RefinementCtx): void {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  if (min === undefined && max === undefined) say("has no bound: give min or max");
  if ((min ?? 0) > (max ?? Infinity)) say("has a min above its max: swap them");
}

const tools = z.array(pattern, "must be a list of patterns").min(1, "must not be empty");
const countConfig = z.strictObject(bounds).superRefine(checkBounds);
const callCountConfig = z.strictObject({ ...bounds, tools: tools.optional() }).superRefine(checkBounds);
const errorConfig = z.strictObject({ max: whole.default(0) });
const tokenConfig = z.strictObject({ max: whole });
const costConfig = z.strictObject({ max_usd: amount });
const timeConfig = z.strictObject({ max: duration });

/** Graders with limits on usage, cost, time and counts. */
export const limitGraders = {
  "tool-call-count": (config) => {
    const { min, max, tools: named } = readConfig(callCountConfig, config);
    const wanted = named?.map((tool) => readPattern(tool));
    const isCounted = (name: string) => wanted === undefined || wanted.some((one) => occursIn(one, name));
    const count = (output: Output) =>
      toolCallsOf(observedTrajectory(output)).filter(({ name }) => isCounted(name)).length;
    return limited("tool-call-count", (output) => within(count(output), { min, max }, counted("tool calls")));
  },
  "turn-count": (config) => {
    const { min, max } = readConfig(countConfig, config);
    return limited("turn-count", (output) => within(turnsIn(output), { min, max }, counted("turns")));
  },
  "step-count": (config) => {
    const { min, max } = readConfig(countConfig, config);
    return limited("step-count", (output) =>
      within(stepsOf(observedTrajectory(output)), { min, max }, counted("steps")),
    );
  },
  "error-count": (config) => {
    const { max } = readConfig(errorConfig, config);
    return limited("error-count", (output) => withFirst(errorsOf(observedTrajectory(output)), max));
  },
  "token-budget": (config) => {
    const { max } = readConfig(tokenConfig, config);
    return limited("token-budget", (output) =>
      spent(tokensIn(output), { max, isPartial: output.partial === true, show: counted("tokens") }),
    );
  },
  "cost-budget": (config) => {
    const { max_usd: max } = readConfig(costConfig, config);
    return limited("cost-budget", (output, figures) => {
      const isPartial = output.partial === true || figures?.partial === true;
      return spent(costOf(output, figures), { max, isPartial, show: dollars });
    });
  },
  "wall-time": (config) => {
    const { max } = readConfig(timeConfig, config);
    return limited("wall-time", (output, figures) => within(timeOf(output, figures), { max }, inWords));
  },
} satisfies Record<string, GraderFactory>;

function limited(name: string, judge: (output: Output, figures: TrialFigures | undefined) => Verdict) {
  return ownGrader({ name, folderUse: "none", grade: ({ output, figures }) => judge(output, figures) });
}

function counted(what: string): (value: number) => string {
  return (value) => `${value} ${what}`;
}

function dollars(value: number): string {
  return `$${Number(value.toPrecision(6))}`;
}

/** Full score up to the maximum, then less in proportion to the excess. */
function within(value: number, { min = 0, max = Infinity }: Bounds, show: (value: number) => string): Verdict {
  const limit = max === Infinity ? "" : ` of at most ${max === 0 ? 0 : show(max)}`;
  const least = min === 0 ? "" : `, at least ${min}`;
  const score = scoreWithin(value, { min, max });
  return { passed: value >= min && value <= max, score, evidence: `${show(value)}${limit}${least}` };
}

/** Limits the number of errors; the evidence includes the first one. */
function withFirst(errors: readonly string[], max: number): Verdict {
  const held = within(errors.length, { max }, counted("errors"));
  const [first] = errors;
  return first === undefined ? held : { ...held, evidence: `${held.evidence}, the first: ${quoted(first)}` };
}

interface Spending {
  max: number;
  isPartial: boolean;
  show: (value: number) => string;
}

/** Incomplete figures can exceed a limit, but cannot prove that it was kept. */
function spent(value: number, { max, isPartial, show }: Spending): Verdict {
  if (isPartial && value <= max) throw new GraderError(`${show(value)} known so far, but the figures are incomplete`);
  return within(value, { max }, show);
}

/** All billed tokens; the classes are disjoint. */
function tokensIn({ usage }: Output): number {
  if (usage === undefined) throw new GraderError("the output does not say how many tokens were used");
  return usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/** A provider's cost is in the output, a metered one in its metadata, and a priced one in the row. */
function costOf({ costUsd, metadata }: Output, figures: TrialFigures | undefined): number {
  const cost = costUsd ?? metadata?.costUsd ?? figures?.costUsd;
  if (typeof cost !== "number") throw new GraderError("its cost is unknown: its model has no price");
  return cost;
}

function turnsIn(output: Output): number {
  return typeof output.turns === "number" ? output.turns : turnsOf(observedTrajectory(output));
}

/** As reported by the system, otherwise from the start to the last event, otherwise as measured by the runner. */
function timeOf(output: Output, figures: TrialFigures | undefined): number {
  if (typeof output.latency === "number") return output.latency * 1000;
  if (output.trajectory === undefined && figures != null && figures.durationMs !== null) return figures.durationMs;
  if (output.trajectory === undefined) throw new GraderError("its duration was not measured");
  const { events, startedAt } = trajectoryOf(output);
  const times = events.map(({ timestamp }) => timestamp).filter((time) => Number.isFinite(time));
  const start = startedAt ?? times[0];
  if (start === undefined) throw new GraderError("the trajectory has no timestamps");
  return times.reduce((latest, time) => Math.max(latest, time), start) - start;
}
