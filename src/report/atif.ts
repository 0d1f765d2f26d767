import type { EvalRow, Output, TrajectoryEvent, Usage } from "../core/index.js";
import { getScore, omitUndefined, VERSION } from "../core/index.js";
import { formatAnyValue, joinTextEvents, parseToolArguments, readTrajectory } from "./timeline.js";

/** The version whose fields are used; readers of later ones read it too. */
const ATIF_VERSION = "ATIF-v1.4";

/** A stored trial as an ATIF trajectory needs it. */
export interface AtifTrial {
  readonly runId: string;
  readonly row: EvalRow;
  readonly output: Output;
  /** What it was asked; absent if unknown. */
  readonly question?: string;
  readonly model?: string;
  readonly harness?: string;
}

interface AtifMetrics {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cached_tokens?: number;
  readonly cost_usd?: number;
  readonly extra?: Readonly<Record<string, unknown>>;
}

interface AtifStep {
  step_id: number;
  timestamp?: string;
  source: "system" | "user" | "agent";
  model_name?: string;
  message: string;
  reasoning_content?: string;
  tool_calls?: { tool_call_id: string; function_name: string; arguments: unknown }[];
  observation?: { results: { source_call_id?: string; content: string }[] };
  metrics?: AtifMetrics;
  extra?: Record<string, unknown>;
}

/**
 * A trial in the Agent Trajectory Interchange Format of Harbor. What the format has no field for is in `extra.assay`, so
 * that an import restores the row.
 * @example
 * JSON.stringify(toAtif({ runId, row, output, question: "Fix the test." }));
 */
export function toAtif(trial: AtifTrial): object {
  const { row, output, runId, model, harness } = trial;
  const { agent, agentVersion, model: called } = row.metadata ?? {};
  const steps = new StepWriter().write(listEvents(trial));
  const modelName = typeof called === "string" ? called : model;
  return {
    schema_version: ATIF_VERSION,
    session_id: [runId, row.system, row.dataset, `${row.exampleId}#${row.trial}`]
      .filter((part) => part !== "")
      .join("/"),
    agent: {
      name: typeof agent === "string" ? agent : (harness ?? row.system),
      version: typeof agentVersion === "string" ? agentVersion : "unknown",
      ...omitUndefined({ model_name: modelName }),
    },
    steps,
    final_metrics: {
      ...(row.usage === null ? {} : toTotals(row.usage)),
      ...(row.costUsd === null ? {} : { total_cost_usd: row.costUsd }),
      total_steps: steps.length,
    },
    extra: { assay: { version: VERSION, ...describeRow(row), ...describeOutput(trial, output) } },
  };
}

function toTotals(usage: Usage): object {
  const { prompt_tokens, completion_tokens, cached_tokens } = toMetrics(usage);
  return {
    total_prompt_tokens: prompt_tokens,
    total_completion_tokens: completion_tokens,
    ...(cached_tokens === undefined ? {} : { total_cached_tokens: cached_tokens }),
  };
}

/** The fields of a row that the format does not have. Null ones are left out. */
function describeRow(row: EvalRow): object {
  const { system, dataset, exampleId, trial, outcome, errorCategory, passed, usage, durationMs, turns } = row;
  const { firstAttemptMs, successAtMs, tokensPerSec, costKilledAt, notes } = row;
  const known = {
    passed,
    score: getScore(row, "score") ?? null,
    usage,
    durationMs,
    turns,
    firstAttemptMs,
    successAtMs,
  };
  const message = row.attempts.at(-1)?.message ?? null;
  const all = { system, dataset, exampleId, trial, outcome, errorCategory, ...known, tokensPerSec, error: message };
  const given = Object.entries(all).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(given),
    scores: row.scores,
    ...(costKilledAt > 0 && { costKilledAt }),
    ...(notes.length > 0 && { notes }),
  };
}

function describeOutput({ question, model, harness }: AtifTrial, output: Output): object {
  const trajectory = readTrajectory(output);
  return omitUndefined({
    question,
    model,
    harness,
    response: output.response,
    startedAt: trajectory?.startedAt,
    toolsUnseen: trajectory?.toolsUnseen,
  });
}

/** A system without a trajectory has its question and its answers. */
function listEvents({ row, output, question }: AtifTrial): readonly TrajectoryEvent[] {
  const trajectory = readTrajectory(output);
  if (trajectory !== null) return joinTextEvents(trajectory.events);
  const { replies, response = "" } = output;
  const texts: readonly unknown[] = Array.isArray(replies) ? replies : [response];
  const timestamp = Number.NaN;
  return [
    ...(question === undefined ? [] : [{ type: "user_message", text: question, timestamp }]),
    ...texts.flatMap((text) => [
      { type: "turn_start", timestamp },
      { type: "assistant_message", text, timestamp },
    ]),
    ...(row.usage !== null && texts.length === 1
      ? [{ type: "token_usage", usage: row.usage, costUsd: row.costUsd, model: null, durationMs: null, timestamp }]
      : []),
  ];
}

/** Puts events together: one step for each answer of a model, with its calls, their results and its usage. */
class StepWriter {
  readonly #steps: AtifStep[] = [];
  readonly #stepOfCall = new Map<string, AtifStep>();
  /** The answer that the next events belong to; null after its end. */
  #answer: AtifStep | null = null;

  write(events: readonly TrajectoryEvent[]): readonly AtifStep[] {
    for (const event of events) this.#add(event);
    return this.#steps;
  }

  #add(event: TrajectoryEvent): void {
    const { type, text } = event;
    if (type === "turn_start" || type === "turn_end") this.#answer = null;
    else if (type === "user_message") this.#start("user", event, formatAnyValue(text));
    else if (type === "assistant_message") this.#findAnswer(event).message += formatAnyValue(text);
    else if (type === "reasoning") this.#addReasoning(event);
    else if (type === "tool_call") this.#addCall(event);
    else if (type === "tool_result") this.#addResult(event);
    else if (type === "token_usage") this.#addUsage(event);
    else this.#addOther(event);
  }

  #start(source: AtifStep["source"], { timestamp, thread }: TrajectoryEvent, message = ""): AtifStep {
    const step: AtifStep = {
      step_id: this.#steps.length + 1,
      ...(Number.isFinite(timestamp) && { timestamp: new Date(timestamp).toISOString() }),
      source,
      message,
      ...(typeof thread === "string" && { extra: { thread } }),
    };
    this.#steps.push(step);
    this.#answer = source === "agent" ? step : null;
    return step;
  }

  /** What follows a result is another answer, as is what another worker does. */
  #findAnswer(event: TrajectoryEvent): AtifStep {
    const current = this.#answer;
    const isSame = current !== null && current.observation === undefined && current.extra?.thread === event.thread;
    return isSame ? current : this.#start("agent", event);
  }

  #addReasoning(event: TrajectoryEvent): void {
    const step = this.#findAnswer(event);
    step.reasoning_content = (step.reasoning_content ?? "") + formatAnyValue(event.text);
  }

  #addCall(event: TrajectoryEvent): void {
    const step = this.#findAnswer(event);
    const id = formatAnyValue(event.callId);
    const given = parseToolArguments(event.arguments) ?? { input: event.arguments };
    step.tool_calls ??= [];
    step.tool_calls.push({ tool_call_id: id, function_name: formatAnyValue(event.name), arguments: given });
    this.#stepOfCall.set(id, step);
  }

  #addResult(event: TrajectoryEvent): void {
    const id = formatAnyValue(event.callId);
    const step = this.#stepOfCall.get(id) ?? this.#start("system", event);
    step.observation ??= { results: [] };
    step.observation.results.push({ source_call_id: id, content: formatAnyValue(event.result) });
    const results = (step.extra?.results ?? {}) as Record<string, unknown>;
    const about = { success: event.success === true, timestamp: event.timestamp };
    step.extra = { ...step.extra, results: { ...results, [id]: about } };
  }

  /** An answer has one usage; any other is of an answer that nothing else is known of. */
  #addUsage(event: TrajectoryEvent): void {
    const ids: readonly unknown[] = Array.isArray(event.callIds) ? event.callIds : [];
    const own = ids.map((id) => this.#stepOfCall.get(formatAnyValue(id))).find((step) => step?.metrics === undefined);
    const last = this.#answer?.extra?.thread === event.thread ? this.#answer : null;
    const free = own ?? (last?.metrics === undefined ? last : null);
    const step = free ?? this.#start("agent", event);
    const { model, costUsd, durationMs, finish, finishReason } = event;
    if (typeof model === "string") step.model_name = model;
    const metrics = toMetrics(event.usage ?? {});
    const extra = { ...metrics.extra, ...omitNull({ duration_ms: durationMs, finish, finish_reason: finishReason }) };
    step.metrics = {
      ...metrics,
      ...(typeof costUsd === "number" && { cost_usd: costUsd }),
      ...(Object.keys(extra).length > 0 && { extra }),
    };
  }

  #addOther({ timestamp, type, ...fields }: TrajectoryEvent): void {
    const text = fields.text ?? fields.message ?? fields.name ?? type;
    const answer = this.#answer;
    const step = this.#start("system", { type, timestamp }, formatAnyValue(text));
    step.extra = { event: { type, ...fields } };
    // An event beside the work does not end an answer.
    this.#answer = answer;
  }
}

/** Prompt tokens of the format include those of the cache. */
function toMetrics(usage: Partial<Usage>): AtifMetrics {
  const { input = 0, output = 0, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  const extra = omitNull({
    cache_write_tokens: cacheWrite,
    cache_write_1h_tokens: cacheWrite1h,
    reasoning_tokens: reasoning,
  });
  return {
    prompt_tokens: input + (cacheRead ?? 0) + (cacheWrite ?? 0),
    completion_tokens: output,
    ...(cacheRead === undefined ? {} : { cached_tokens: cacheRead }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function omitNull(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
}
