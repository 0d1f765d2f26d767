import type { Spent } from "../core/errors.js";
import { TrialError, TrialStopped } from "../core/errors.js";
import type { Output, TrialContext } from "../core/system.js";
import type { AgentEvent } from "../core/trajectory.js";
import { toolCallsOf } from "../core/trajectory-figures.js";
import { stateOf, type Workspace } from "../exec/workspace/index.js";
import type { AgentEnd } from "./adapter.js";
import { failureOf } from "./agent-failure.js";
import { disagreement, speedOf } from "./agent-figures.js";
import { type AgentMeter, usageEvents } from "./agent-meter.js";
import type { AgentRun, AgentRunEnd } from "./agent-run.js";
import type { AgentSystemOptions } from "./agent-system.js";
import { withoutKeys } from "./masked.js";
import {
  anotherModel,
  type CalledModel,
  calledModels,
  isUnanswered,
  lastFinish,
  modelCalls,
  usedFigures,
} from "./model-calls.js";
import type { Watched } from "./work-watch.js";

/** As many kinds of unknown events as a note lists. */
const MOST_KINDS = 10;

export interface Concluded {
  readonly system: AgentSystemOptions;
  readonly workspace: Workspace;
  readonly run: AgentRun;
  readonly exit: AgentRunEnd;
  readonly meter: AgentMeter;
  readonly trial: TrialContext;
  /** When the work began: by the calendar, and by `performance.now()`. */
  readonly startedAt: { readonly wall: number; readonly clock: number };
  readonly watched: Watched;
}

/** What a run of an agent gave, or why it failed. */
export async function conclude(concluded: Concluded): Promise<Output> {
  const { system, workspace, run, exit, meter, trial, startedAt, watched } = concluded;
  const keys = [...Object.values(system.upstreams.keys), meter.secret];
  const called = calledModels(meter.requests);
  const end = endOf(concluded, called);
  const wrongModel = anotherModel(system.model?.name ?? null, called);
  for (const note of notesOf(concluded)) trial.log(withoutKeys(note, keys));
  const measured = withoutKeys(measuredIn(concluded, end, called), keys);
  const wasStopped = trial.signal.reason instanceof TrialStopped;
  const hasFailed = !wasStopped && (end === null || end.kind === "failed");
  // Without an answer of a model nothing was measured, however the program ended.
  if (hasFailed || isUnanswered(meter.requests, run.reader.figures))
    throw failureOf({ name: system.name, end, run, exit, requests: meter.requests, spent: measured, wasStopped, keys });
  if (wrongModel !== null) reportWrongModel(wrongModel, concluded, measured);
  return {
    response: withoutKeys(run.reader.response, keys),
    ...measured,
    ...(watched.successAt !== null && { successAtMs: Math.max(0, watched.successAt - startedAt.clock) }),
    workspace: stateOf(workspace, withoutKeys(await workspace.changes(), keys)),
    ...(!wasStopped && end?.kind === "stopped" && { stopped: end.reason }),
  };
}

/** A trial with another model than the one asked for is an error for those who want it so. */
function reportWrongModel(wrongModel: string, { system, trial }: Concluded, spent: Spent): void {
  if (system.strictModel)
    throw new TrialError("system_error", `${system.name}: ${wrongModel} (--strict-model).`, { spent });
  trial.log(wrongModel);
}

/**
 * By its final event; a program that prints none has only its exit code to say it with. That the last answer was cut
 * short or declined is told by the gateway where the program does not say it.
 */
function endOf({ run, exit, system, meter }: Concluded, called: readonly CalledModel[]): AgentEnd | null {
  const isTold = run.reader.end !== null || system.adapter.printsText !== true;
  const end = isTold ? run.reader.end : exit.code === 0 ? DONE : null;
  return end?.kind === "done" ? (lastFinish(meter.requests, called) ?? end) : end;
}

const DONE: AgentEnd = { kind: "done" };

function measuredIn(concluded: Concluded, end: AgentEnd | null, called: readonly CalledModel[]): Spent {
  const { run, meter, startedAt, system, watched } = concluded;
  const { firstChangeAt } = watched;
  const events = [...run.events, ...usageEvents(meter.requests)].sort((a, b) => a.timestamp - b.timestamp);
  return {
    ...speedOf(events, meter.requests, {
      startedAt: startedAt.wall,
      firstChangeAt: firstChangeAt === null ? null : startedAt.wall + (firstChangeAt - startedAt.clock),
      tellsTurns: system.adapter.printsText !== true,
    }),
    ...costOf(concluded),
    trajectory: {
      startedAt: startedAt.wall,
      events,
      ...(system.adapter.printsText === true && { toolsUnseen: true }),
    },
    metadata: metadataOf(concluded, { events, end, called }),
  };
}

/** Tokens are on the trial's bill already; here is what the bill cannot know. */
function costOf({ meter, run }: Concluded): Pick<Output, "costUsd" | "usage" | "partial"> {
  if (meter.isInPath) {
    const { costSource, costUsd, usage } = meter.total;
    return { usage, ...(costSource === "provider" && costUsd !== null && { costUsd }) };
  }
  const { usage, costUsd, isPartial } = usedFigures(run.reader.figures);
  return {
    ...(usage !== null && { usage }),
    ...(costUsd !== null && { costUsd }),
    ...(isPartial && { partial: true }),
  };
}

interface Facts {
  readonly events: readonly AgentEvent[];
  readonly end: AgentEnd | null;
  readonly called: readonly CalledModel[];
}

function metadataOf({ system, run, exit, meter }: Concluded, { events, end, called }: Facts) {
  const { reader } = run;
  const figures = usedFigures(reader.figures);
  const version = reader.version ?? system.version;
  const asked = system.model?.name ?? null;
  const model = called[0]?.name ?? reader.model ?? asked;
  return {
    agent: system.adapter.name,
    ...(version !== null && { agentVersion: version }),
    ...(model !== null && { model }),
    ...(called.some(({ name }) => name !== asked) && { calledModels: callsByName(called) }),
    exitCode: exit.code,
    ...(exit.signal !== null && { exitSignal: exit.signal }),
    requests: meter.requests.filter(({ usage }) => usage !== null).length,
    toolCalls: system.adapter.printsText === true ? null : toolCallsOf(events),
    ...skillsOf(run, system),
    ...(meter.isInPath && meter.total.costUsd !== null && { costUsd: meter.total.costUsd }),
    meter: meter.isInPath ? "gateway" : figures.usage === null ? "none" : "program",
    ...(figures.usage !== null && { ownUsage: figures.usage }),
    ...(figures.costUsd !== null && { ownCostUsd: figures.costUsd }),
    ...(end?.kind === "stopped" && { stoppedBecause: end.message }),
  };
}

function callsByName(called: readonly CalledModel[]): Record<string, number> {
  return Object.fromEntries(called.map(({ name, calls }) => [name, calls]));
}

/** What it was offered. That none of it was taken up says something only where that could have been seen. */
function skillsOf({ skills }: AgentRun, { adapter }: AgentSystemOptions): Record<string, unknown> {
  if (adapter.printsText === true) return { skills: { offered: skills, observable: false } };
  return skills.length === 0 ? {} : { skills: { offered: skills } };
}

/** What the reader of a row should know. */
function notesOf({ run, exit, meter, system }: Concluded): string[] {
  const { unknown } = run.reader;
  const figures = usedFigures(run.reader.figures);
  const isMetered = meter.isInPath;
  const difference = isMetered ? disagreement(run.reader.figures, meter.total) : null;
  const kinds = [...unknown].map(([type, count]) => `${type.slice(0, 60)} (${count})`);
  const others = kinds.splice(MOST_KINDS).length;
  if (others > 0) kinds.push(`${others} more kinds`);
  return [
    ...(difference === null ? [] : [difference]),
    ...(isMetered || figures.usage === null
      ? []
      : ["nothing went through the gateway: tokens and cost are what the program itself reports"]),
    ...(isMetered || figures.usage !== null || modelCalls(meter.requests).length > 0
      ? []
      : ["no model was called through the gateway: what it used is not known"]),
    ...(kinds.length === 0 ? [] : [`events that this version does not know: ${kinds.join(", ")}`]),
    ...(run.malformed === 0 ? [] : [`lines of its output that are no JSON: ${run.malformed}`]),
    ...(run.dropped === 0 ? [] : [`lines of its output that were too long to read: ${run.dropped}`]),
    ...(run.unkept === 0 ? [] : [`events that the trajectory had no room for: ${run.unkept}`]),
    ...(exit.leftBehind === 0
      ? []
      : [`processes that ${system.name} left running, and that were ended: ${exit.leftBehind}`]),
    ...(exit.survivors.length === 0 ? [] : [`processes that could not be ended: ${exit.survivors.join(", ")}`]),
  ];
}
