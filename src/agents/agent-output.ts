import type { GatewayRequest } from "../budget/index.js";
import { countAllTokens } from "../budget/index.js";
import type { Output, TrialContext, Usage, WorkspaceState } from "../core/index.js";
import {
  type AgentEvent,
  countToolCalls,
  countTurns,
  findFirstTextTime,
  findFirstWriteTime,
  type InfrastructureCategory,
  type Outlook,
  type Spent,
  TrialError,
  TrialStopped,
} from "../core/index.js";
import { type BoxRecord, getWorkspaceState, type Workspace } from "../exec/index.js";
import type { AgentEnd, AgentFigures } from "./adapter.js";
import {
  type AgentMeter,
  type CalledModel,
  countCalledModels,
  filterModelCalls,
  findLastStop,
  findOtherModel,
  hasUsage,
  isUnanswered,
  omitEmptyFigures,
} from "./agent-meter.js";
import { type AgentRunEnd, addSkillActivations } from "./agent-run.js";
import { type AgentExchange, type AgentWork, mergeExchanges, numberMessages } from "./agent-session.js";
import type { AgentSystemOptions } from "./agent-system.js";
import { mergeWireEvents } from "./wire/index.js";
import type { WorkTimes } from "./work-watcher.js";

/** Maximum number of unknown event types listed in a note. */
const MAX_EVENT_KINDS = 10;

/** The messages of a trial and what answered them. */
export interface AgentSession {
  /** At least one. */
  readonly exchanges: readonly AgentExchange[];
  /** True when several messages were to be sent. */
  readonly isSession: boolean;
  /** The messages that a simulated user wrote. */
  readonly userMessages: readonly string[];
  /** The workspace after earlier turns that a grader looks at. */
  readonly turnStates: Readonly<Record<string, WorkspaceState>>;
}

interface FinishedAgentSession extends AgentSession {
  readonly system: AgentSystemOptions;
  readonly workspace: Workspace;
  readonly meter: AgentMeter;
  readonly trial: TrialContext;
  /** Start time in milliseconds since 1970, and by `performance.now()`. */
  readonly startedAt: { readonly wall: number; readonly clock: number };
  readonly watched: WorkTimes;
}

interface FinishedAgentRun extends FinishedAgentSession {
  readonly run: AgentWork;
  readonly exit: AgentRunEnd;
}

/** Returns the output of an agent's trial, or throws why it failed. */
export async function buildAgentOutput(finished: FinishedAgentSession): Promise<Output> {
  const [first, ...others] = finished.exchanges;
  if (first === undefined) throw new TrialError("system_error", "The agent was sent no message.");
  const concluded = { ...finished, ...mergeExchanges(first, others, finished.system.adapter.reportsSession === true) };
  const { system, workspace, run, exit, meter, trial, startedAt, watched } = concluded;
  const keys = [...Object.values(system.upstreams.keys), meter.secret];
  const called = countCalledModels(meter.requests);
  const end = resolveAgentEnd(concluded, called);
  const wrongModel = findOtherModel(system.model?.name ?? null, called);
  for (const note of listAgentNotes(concluded)) trial.log(maskKeys(note, keys));
  const measured = maskKeys(measureAgentRun(concluded, end, called), keys);
  const wasStopped = trial.signal.reason instanceof TrialStopped;
  const hasFailed = !wasStopped && (end === null || end.kind === "failed");
  // Without any model answer nothing was measured, however the program ended.
  if (hasFailed || isUnanswered(meter.requests, run.reader.figures))
    throw createAgentError({
      name: others.length === 0 ? system.name : `${system.name} in turn ${others.length + 1}`,
      end,
      run,
      exit,
      requests: meter.requests,
      spent: measured,
      wasStopped,
      keys,
    });
  if (wrongModel !== null) reportWrongModel(wrongModel, concluded, measured);
  return {
    response: maskKeys(run.reader.response, keys),
    ...(finished.isSession && {
      replies: maskKeys(
        finished.exchanges.map((exchange) => exchange.run.reader.response),
        keys,
      ),
    }),
    ...(finished.userMessages.length > 0 && { userMessages: maskKeys(finished.userMessages, keys) }),
    ...(Object.keys(finished.turnStates).length > 0 && { turnStates: finished.turnStates }),
    ...measured,
    ...(watched.successAt !== null && { successAtMs: Math.max(0, watched.successAt - startedAt.clock) }),
    workspace: getWorkspaceState(workspace, maskKeys(await workspace.collectChanges(), keys)),
    ...(!wasStopped && end?.kind === "stopped" && { stopped: end.reason }),
  };
}

/** With `strictModel`, a trial with another model than requested is an error. */
function reportWrongModel(wrongModel: string, { system, trial }: FinishedAgentRun, spent: Spent): void {
  if (system.strictModel)
    throw new TrialError("system_error", `${system.name}: ${wrongModel} (--strict-model).`, { spent });
  trial.log(wrongModel);
}

/**
 * Uses the final event, or the exit code of a program that prints none. If the program does not report that the last answer
 * was truncated or refused, the gateway does.
 */
function resolveAgentEnd(
  { run, exit, system, meter }: FinishedAgentRun,
  called: readonly CalledModel[],
): AgentEnd | null {
  const isTold = run.reader.end !== null || system.adapter.printsText !== true;
  const end = isTold ? run.reader.end : exit.code === 0 ? DONE : null;
  return end?.kind === "done" ? (findLastStop(meter.wire.filterMain(meter.requests), called) ?? end) : end;
}

const DONE: AgentEnd = { kind: "done" };

function measureAgentRun(concluded: FinishedAgentRun, end: AgentEnd | null, called: readonly CalledModel[]): Spent {
  const { meter, startedAt, system, watched } = concluded;
  const { firstChangeAt } = watched;
  const events = listAgentEvents(concluded);
  const toolsUnseen = areToolsUnseen(concluded);
  return {
    ...measureAgentSpeed(events, meter.requests, {
      startedAt: startedAt.wall,
      firstChangeAt: firstChangeAt === null ? null : startedAt.wall + (firstChangeAt - startedAt.clock),
      tellsTurns: system.adapter.printsText !== true || meter.wire.hasAnswers,
    }),
    ...resolveAgentCost(concluded),
    trajectory: {
      startedAt: startedAt.wall,
      events,
      ...(toolsUnseen && { toolsUnseen }),
    },
    metadata: buildAgentMetadata(concluded, { events, end, called, toolsUnseen }),
  };
}

/** A program that prints text shows what it does by its model calls; the others report it, and their calls add to it. */
function listAgentEvents(concluded: FinishedAgentRun): readonly AgentEvent[] {
  const events = listWorkEvents(concluded);
  return concluded.isSession ? numberMessages(events, concluded.exchanges) : events;
}

function listWorkEvents({ run, system, meter }: FinishedAgentRun): readonly AgentEvent[] {
  const wire = meter.wire.listEvents();
  const isText = system.adapter.printsText === true;
  if (!isText || !meter.wire.hasAnswers) return mergeWireEvents(run.events, wire);
  return addSkillActivations(wire, run.skills) as readonly AgentEvent[];
}

/** Of a program that prints text: false if its model calls show which tools it uses. */
function areToolsUnseen({ system, meter }: FinishedAgentRun): boolean {
  if (system.adapter.printsText !== true) return false;
  return !meter.wire.showsTools || filterModelCalls(meter.requests).some(({ ending }) => ending === "unmetered");
}

/** Tokens are already in the trial's bill; this adds what the bill cannot know. */
function resolveAgentCost({ meter, run }: FinishedAgentRun): Pick<Output, "costUsd" | "usage" | "partial"> {
  if (meter.isInPath) {
    const { costSource, costUsd, usage } = meter.total;
    return { usage, ...(costSource === "provider" && costUsd !== null && { costUsd }) };
  }
  const { usage, costUsd, isPartial } = omitEmptyFigures(run.reader.figures);
  return {
    ...(usage !== null && { usage }),
    ...(costUsd !== null && { costUsd }),
    ...(isPartial && { partial: true }),
  };
}

interface OutputFacts {
  readonly events: readonly AgentEvent[];
  readonly end: AgentEnd | null;
  readonly called: readonly CalledModel[];
  readonly toolsUnseen: boolean;
}

function buildAgentMetadata(
  { system, run, exit, meter, workspace, exchanges, isSession }: FinishedAgentRun,
  { events, end, called, toolsUnseen }: OutputFacts,
) {
  const { reader } = run;
  const figures = omitEmptyFigures(reader.figures);
  const version = reader.version ?? system.version;
  const asked = system.model?.name ?? null;
  const model = called[0]?.name ?? reader.model ?? asked;
  return {
    agent: system.adapter.name,
    ...(version !== null && { agentVersion: version }),
    ...(model !== null && { model }),
    ...(called.some(({ name }) => name !== asked) && { calledModels: countCallsByModel(called) }),
    ...(isSession && { userTurns: exchanges.length }),
    exitCode: exit.code,
    ...(exit.signal !== null && { exitSignal: exit.signal }),
    requests: meter.requests.filter(({ usage }) => usage !== null).length,
    ...(Object.keys(meter.wire.finishes).length > 0 && { finishes: meter.wire.finishes }),
    toolCalls: toolsUnseen ? null : countToolCalls(events),
    ...buildSkillMetadata(run, toolsUnseen),
    ...(meter.isInPath && meter.total.costUsd !== null && { costUsd: meter.total.costUsd }),
    meter: meter.isInPath ? "gateway" : figures.usage === null ? "none" : "program",
    ...(figures.usage !== null && { ownUsage: figures.usage }),
    ...(figures.costUsd !== null && { ownCostUsd: figures.costUsd }),
    ...(end?.kind === "stopped" && { stoppedBecause: end.message }),
    ...(workspace.box !== null && { isolation: workspace.box.record }),
  };
}

function countCallsByModel(called: readonly CalledModel[]): Record<string, number> {
  return Object.fromEntries(called.map(({ name, calls }) => [name, calls]));
}

/** The offered skills. Unused skills are only listed when their use could be observed. */
function buildSkillMetadata({ skills }: AgentWork, toolsUnseen: boolean): Record<string, unknown> {
  if (toolsUnseen) return { skills: { offered: skills, observable: false } };
  return skills.length === 0 ? {} : { skills: { offered: skills } };
}

/** Notes for readers of a row. */
function listAgentNotes({ run, exit, meter, system, workspace }: FinishedAgentRun): string[] {
  const { unknown } = run.reader;
  const figures = omitEmptyFigures(run.reader.figures);
  const isMetered = meter.isInPath;
  const difference = isMetered ? describeDisagreement(run.reader.figures, meter.total) : null;
  const kinds = [...unknown].map(([type, count]) => `${type.slice(0, 60)} (${count})`);
  const others = kinds.splice(MAX_EVENT_KINDS).length;
  if (others > 0) kinds.push(`${others} more types`);
  return [
    ...(difference === null ? [] : [difference]),
    ...(isMetered || figures.usage === null
      ? []
      : ["no request went through the gateway: tokens and cost are as reported by the program"]),
    ...(isMetered || figures.usage !== null || filterModelCalls(meter.requests).length > 0
      ? []
      : ["no model was called through the gateway: usage is unknown"]),
    ...(kinds.length === 0 ? [] : [`unknown events: ${kinds.join(", ")}`]),
    ...(run.malformed === 0 ? [] : [`lines of output that are not JSON: ${run.malformed}`]),
    ...(run.dropped === 0 ? [] : [`lines of output that were too long to read: ${run.dropped}`]),
    ...(run.unkept + meter.wire.unkept === 0
      ? []
      : [`events that did not fit into the trajectory: ${run.unkept + meter.wire.unkept}`]),
    ...(meter.wire.unreadable === 0 ? [] : [`model calls whose contents could not be read: ${meter.wire.unreadable}`]),
    ...(exit.leftBehind === 0 ? [] : [`processes that ${system.name} left running, now stopped: ${exit.leftBehind}`]),
    ...(workspace.box === null ? [] : listBoxNotes(workspace.box.record)),
    ...(exit.survivors.length === 0 ? [] : [`processes that could not be stopped: ${exit.survivors.join(", ")}`]),
  ];
}

function listBoxNotes({ exceeded, network }: BoxRecord): string[] {
  const refused = Object.entries(network.refused).map(([host, count]) => `${host} (${count})`);
  return [
    ...(exceeded.length === 0 ? [] : [`limits of the box that were reached: ${exceeded.join(", ")}`]),
    ...(refused.length === 0 ? [] : [`connections that the box refused: ${refused.join(", ")}`]),
  ];
}

/** Relative difference between the program's and the gateway's figures that is reported. */
const MIN_NOTABLE_SHARE = 0.01;

interface SpeedInput {
  readonly startedAt: number;
  /** When something in the workspace first changed; null when no change was seen. */
  readonly firstChangeAt: number | null;
  /** False for a program that prints text without turns. */
  readonly tellsTurns: boolean;
}

/** Measures the speed of an agent. Omits what was not measured. */
export function measureAgentSpeed(
  events: readonly AgentEvent[],
  requests: readonly GatewayRequest[],
  { startedAt, firstChangeAt, tellsTurns }: SpeedInput,
): Pick<Output, "turns" | "ttftMs" | "firstAttemptMs" | "tokensPerSec"> {
  const answered = requests.filter(({ usage }) => usage !== null);
  // Many agents write files with their shell, so the first change in the folder counts.
  const attemptAt = findFirstWriteTime(events) ?? firstChangeAt ?? findFirstTextTime(events);
  // Without events, the number of model calls is still known.
  const turns = (tellsTurns ? countTurns(events) : null) ?? (answered.length > 0 ? answered.length : null);
  const ttftMs = answered[0]?.ttftMs ?? null;
  const tokensPerSec = computeAgentTokensPerSec(answered);
  return {
    ...(turns !== null && { turns }),
    ...(ttftMs !== null && { ttftMs }),
    ...(attemptAt !== null && { firstAttemptMs: Math.max(0, attemptAt - startedAt) }),
    ...(tokensPerSec !== null && { tokensPerSec }),
  };
}

/** Counts only the time in which models generated text, without tools and waiting. Answers that were not streamed are ignored. */
function computeAgentTokensPerSec(requests: readonly GatewayRequest[]): number | null {
  let tokens = 0;
  let ms = 0;
  for (const { usage, generationMs } of requests) {
    if (generationMs === null) continue;
    tokens += usage?.output ?? 0;
    ms += generationMs;
  }
  return tokens > 0 && ms > 0 ? tokens / (ms / 1000) : null;
}

/** Describes how the program's own figures differ from the gateway's; null when they agree. */
export function describeDisagreement(
  own: AgentFigures,
  metered: { usage: Usage; costUsd: number | null },
): string | null {
  const differences: string[] = [];
  if (own.usage !== null) {
    const [said, counted] = [countAllTokens(own.usage), countAllTokens(metered.usage)];
    if (areDifferent(said, counted)) differences.push(`${said} tokens, the gateway counted ${counted}`);
  }
  if (own.costUsd !== null && metered.costUsd !== null && areDifferent(own.costUsd, metered.costUsd))
    differences.push(
      `$${formatReportedCost(own.costUsd)}, the gateway counted $${formatReportedCost(metered.costUsd)}`,
    );
  return differences.length === 0 ? null : `the program reports ${differences.join("; and ")}`;
}

function areDifferent(said: number, counted: number): boolean {
  return Math.abs(said - counted) > MIN_NOTABLE_SHARE * Math.max(said, counted);
}

function formatReportedCost(dollars: number): string {
  return String(Number(dollars.toPrecision(4)));
}

/** Maximum length of stderr in a message. */
const MAX_STDERR_CHARS = 600;

export interface AgentFailure {
  readonly name: string;
  readonly end: AgentEnd | null;
  readonly run: AgentWork;
  readonly exit: AgentRunEnd;
  readonly requests: readonly GatewayRequest[];
  /** Usage and progress until the failure. */
  readonly spent: Spent;
  /** Keys to mask in its message, because programs print what they were given or found. */
  readonly keys?: readonly string[];
  /** True when its time or budget was exhausted, so there is nothing left to retry with. */
  readonly wasStopped?: boolean;
}

/** Creates the error of a failed trial: caused by the model's endpoint or by the program itself. */
export function createAgentError(failure: AgentFailure): TrialError {
  const { end, requests, spent, run, keys = [], wasStopped = false } = failure;
  const isSilent = isUnanswered(requests, run.reader.figures);
  const trouble = isSilent ? findLastRefusal(requests) : findFailedRequest(requests);
  const status = (end?.kind === "failed" ? end.status : null) ?? trouble?.status ?? null;
  const isEndpoints = isSilent || status !== null || trouble !== null;
  // An endpoint that never responded until the trial was stopped is a timeout.
  const isHanging = isSilent && trouble === null;
  const category = isHanging ? "timeout" : isEndpoints ? classifyAgentStatus(status) : "system_error";
  // A retried trial starts with a new bill, so what was already paid for would be lost.
  const hasSpent = hasUsage(run.reader.figures.usage) || requests.some(({ usage }) => hasUsage(usage));
  // Without a model answer, texts come from the program itself, such as the error.
  const hasWorked = hasSpent || (!isSilent && run.events.some(isWorkEvent));
  // An agent that does not survive an injected fault has failed, and its endpoint is fine.
  const isInjected = requests.some(({ fault }) => fault !== null);
  const mayRetry = !wasStopped && !hasWorked && isEndpoints && !isInjected && isTransientStatus(status);
  const outlook = hasWorked || !isEndpoints || isHanging || isInjected ? null : classifyAgentOutlook(status);
  return new TrialError(category, maskKeys(formatAgentFailure(failure, trouble), keys), {
    spent,
    ...(mayRetry && { retry: { afterMs: null } }),
    ...(outlook !== null && { outlook }),
  });
}

/** Without a status, the connection to the endpoint broke. */
function classifyAgentOutlook(status: number | null): Outlook | null {
  if (classifyAgentStatus(status) !== "api_error") return null;
  if (status === null || status >= 500) return "down";
  return [401, 403, 404].includes(status) ? "refused" : "rejected";
}

function isWorkEvent({ type }: AgentEvent): boolean {
  return type === "assistant_message" || type === "tool_call";
}

/** The last call that the endpoint refused or failed; null when it never responded. */
function findLastRefusal(requests: readonly GatewayRequest[]): GatewayRequest | null {
  return filterModelCalls(requests).findLast(({ ending }) => ending === "failed" || ending === "refused") ?? null;
}

/** The last request if it failed. A program that continued after an earlier failure did not end because of it. */
function findFailedRequest(requests: readonly GatewayRequest[]): GatewayRequest | null {
  const last = filterModelCalls(requests).at(-1);
  return last !== undefined && (last.ending === "failed" || last.ending === "refused") ? last : null;
}

function classifyAgentStatus(status: number | null): InfrastructureCategory {
  if (status === 429 || status === 529) return "rate_limit";
  return status === 408 || status === 504 || status === 524 ? "timeout" : "api_error";
}

/** Worth retrying; without a status, the connection broke. */
function isTransientStatus(status: number | null): boolean {
  return status === null || status === 408 || status === 429 || status >= 500;
}

function formatAgentFailure(failure: AgentFailure, trouble: GatewayRequest | null): string {
  const { name, end, exit, run, requests, wasStopped = false } = failure;
  const heard = trouble?.message?.replace(/\.$/, "") ?? null;
  if (wasStopped || end?.kind === "done") {
    const count = filterModelCalls(requests).length;
    const none = count === 1 ? "its model call was not answered" : `none of its ${count} model calls was answered`;
    return `${name}: ${none}${heard === null ? "" : `; the last one said: ${heard}`}.`;
  }
  const said = end === null ? null : end.message;
  if (said !== null) return heard === null || said.includes(heard) ? `${name}: ${said}` : `${name}: ${said} (${heard})`;
  if (requests.length === 0 && run.refusedFlag !== null)
    return `${name} ended (${describeAgentExit(exit)}) because it does not know a flag: ${run.refusedFlag}. Install another version of it; assay doctor names one that works.`;
  const stderr = run.stderr === "" ? "" : ` It printed: ${run.stderr.slice(-MAX_STDERR_CHARS)}`;
  const endpoint = heard === null ? "" : ` Its last call failed: ${heard.replace(/\.$/, "")}.`;
  return `${name} ended (${describeAgentExit(exit)}) without a final event.${endpoint}${stderr}`;
}

function describeAgentExit({ code, signal }: AgentRunEnd): string {
  return signal === null ? `exit code ${code ?? "unknown"}` : `by ${signal}`;
}

const MASK = "[key]";

/** Shorter keys would match ordinary words. */
const MIN_KEY_LENGTH = 8;

/**
 * Masks keys in all texts of a value. An agent gets no keys but can find them, and its output is stored.
 * @example
 * maskKeys({ text: "it is sk-12345678" }, ["sk-12345678"]); // { text: "it is [key]" }
 */
export function maskKeys<T>(value: T, keys: readonly string[]): T {
  const secrets = keys.filter((key) => key.length >= MIN_KEY_LENGTH);
  return secrets.length === 0 ? value : (maskValue(value, secrets) as T);
}

function maskValue(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return secrets.reduce((text, key) => text.replaceAll(key, MASK), value);
  if (Array.isArray(value)) return value.map((each) => maskValue(each, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, maskValue(each, secrets)]));
}
