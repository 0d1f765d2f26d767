import { ownValue } from "../../core/own-value.js";
import { Admission } from "./admission.js";
import { AnswerBook, readAnswers } from "./answer-book.js";
import { chance, Occurrences } from "./chance.js";
import { FaultPlan, type FaultSubject } from "./faults.js";
import { Replier } from "./reply.js";
import type { MockBehaviour, MockScript, ToolStep } from "./script.js";
import { ToolPlans } from "./tool-plan.js";

/** A behaviour with all that it needs to remember. */
export interface LiveBehaviour {
  readonly script: MockBehaviour;
  readonly replier: Replier;
  readonly plans: ToolPlans;
  readonly faults: FaultPlan;
  readonly admission: Admission;
  /** Null when nothing is left to chance, so that the requests of a task need not be counted. */
  readonly arrivals: Occurrences | null;
}

/** Finds the behaviour for a model. What a model does not change it shares with all the others: limits, counts, answers. */
export function behavioursOf(
  { models = {}, ...base }: MockScript,
  now: () => number,
): (model: string) => LiveBehaviour {
  const common = bringAlive(base, now);
  const own = Object.entries(models).map(([name, changes]) => [name, changed(common, changes, now)] as const);
  const byModel = Object.fromEntries(own);
  return (model) => ownValue(byModel, model) ?? common;
}

function bringAlive(script: MockBehaviour, now: () => number): LiveBehaviour {
  const faults = new FaultPlan(script.faults ?? [], script.seed ?? 0);
  return {
    script,
    replier: new Replier(script, bookOf(script), new Occurrences()),
    plans: new ToolPlans(script),
    faults,
    admission: new Admission(script, now),
    arrivals: needsArrivals(script, faults) ? new Occurrences() : null,
  };
}

function changed(common: LiveBehaviour, changes: MockBehaviour, now: () => number): LiveBehaviour {
  const own = bringAlive({ ...common.script, ...changes }, now);
  const limitsItself = changes.rateLimit !== undefined || changes.maxConcurrent !== undefined;
  const failsItself = changes.faults !== undefined || changes.seed !== undefined;
  const faults = failsItself ? own.faults : common.faults;
  return { ...own, faults, admission: limitsItself ? own.admission : common.admission };
}

function bookOf({ answers = [] }: MockBehaviour): AnswerBook {
  return new AnswerBook(typeof answers === "string" ? readAnswers(answers) : answers);
}

function needsArrivals({ latencyMs }: MockBehaviour, faults: FaultPlan): boolean {
  return faults.usesChance || typeof latencyMs === "object";
}

/** How long a request waits for its first byte; a step may have a time of its own. */
export function latencyOf(script: MockBehaviour, subject: FaultSubject, step?: ToolStep): number {
  const { latencyMs = 0, seed = 0 } = script;
  const { model, task, arrival } = subject;
  if (step?.latencyMs !== undefined) return step.latencyMs;
  if (typeof latencyMs === "number") return latencyMs;
  const { min, max } = latencyMs;
  return min + (max - min) * chance(seed, "latency", model, task, arrival);
}
