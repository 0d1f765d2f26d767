import { basename, dirname } from "node:path";
import {
  type AgentEvent,
  type AgentEventBody,
  ERROR_CATEGORIES,
  findFirstAttemptTime,
  type Output,
  type Trajectory,
  type Usage,
} from "../../core/index.js";
import {
  classifyErrorMessage,
  getField,
  isJsonObject,
  type JsonObject,
  readCountField,
  readFlagField,
  readListField,
  readMeasureField,
  readObjectField,
  readPositiveField,
  readTextField,
  readTimeField,
  requireId,
  requireName,
  toImportText,
  toUsage,
} from "./fields.js";
import type { ImportedRowFields, ImportedSystem, ImportedTrial, ImportFormat } from "./format.js";
import { toGradedOutcome, toUngradedOutcome } from "./verdict.js";

/** Trajectories of Harbor and other tools, one in each file or line; those of `assay export` restore the row. */
export const atif: ImportFormat = {
  name: "atif",
  toldBy: 'objects with "schema_version": "ATIF-v1…", "agent" and "steps"',
  isRecord: ({ schema_version: version }) => typeof version === "string" && version.startsWith("ATIF-v1"),
  read: readAtifRecord,
};

function readAtifRecord(record: JsonObject, file: string): ImportedTrial {
  const own = readObjectField(readObjectField(record, "extra"), "assay");
  const trajectory = readAtifTrajectory(record, own);
  const id = requireId(
    getField(own, "exampleId") ?? readTaskName(file) ?? getField(record, "session_id"),
    "session_id",
  );
  const session = readTextField(record, "session_id");
  const question = readTextField(own, "question") ?? readFirstMessage(record);
  const response = readTextField(own, "response") ?? readLastAnswer(record);
  return {
    system: toAtifSystem(record, own),
    example: { id, dataset: readTextField(own, "dataset") ?? "", ...(question === undefined ? {} : { question }) },
    trial: readCountField(own, "trial"),
    identity: session === undefined ? null : JSON.stringify([session, readTaskName(file) ?? ""]),
    madeAt: trajectory?.startedAt ?? null,
    row: toAtifRow(record, own, trajectory),
    output: toAtifOutput(response, trajectory),
    evidence: null,
    grades: null,
  };
}

/** Harbor writes `<task>__<id>/agent/trajectory.json`. */
function readTaskName(file: string): string | undefined {
  const folder = dirname(file.replaceAll("\\", "/"));
  if (basename(folder) !== "agent") return undefined;
  const name = basename(dirname(folder)).replace(/__[^_]+$/, "");
  return name === "" || name === "." || name === ".." ? undefined : name;
}

function toAtifSystem(record: JsonObject, own: JsonObject): ImportedSystem {
  const agent = readObjectField(record, "agent");
  const harness = readTextField(own, "harness") ?? readTextField(agent, "name");
  const model = readTextField(own, "model") ?? readTextField(agent, "model_name");
  const known = { ...(model === undefined ? {} : { model }), ...(harness === undefined ? {} : { harness }) };
  const told = [readTextField(agent, "name"), readTextField(agent, "model_name")].filter((part) => part !== undefined);
  return { name: requireName(readTextField(own, "system") ?? told.join(":"), "agent name"), ...known };
}

function toAtifRow(record: JsonObject, own: JsonObject, trajectory: Trajectory | null): ImportedRowFields {
  const usage = readUsage(record, own);
  const costUsd = readCost(record);
  const durationMs = readPositiveField(own, "durationMs") ?? measureDuration(trajectory);
  const answers = listSteps(record).filter(({ source }) => source === "agent").length;
  const error = readTextField(own, "error");
  return {
    ...classifyAtifOutcome(own),
    inputTokens: usage === null ? null : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage?.output ?? null,
    usage,
    costUsd,
    costSource: costUsd === null ? "unknown" : "provider",
    durationMs,
    latency: durationMs === null ? null : durationMs / 1000,
    turns: readPositiveField(own, "turns") ?? (answers === 0 ? null : answers),
    firstAttemptMs: readPositiveField(own, "firstAttemptMs") ?? measureFirstAttempt(trajectory),
    successAtMs: readPositiveField(own, "successAtMs"),
    tokensPerSec: readPositiveField(own, "tokensPerSec"),
    costKilledAt: readMeasureField(own, "costKilledAt") ?? 0,
    attempts:
      error === undefined
        ? []
        : [
            {
              errorCategory: readCategory(own) ?? classifyErrorMessage(error),
              message: error,
              durationMs: durationMs ?? 0,
            },
          ],
    notes: readListField(own, "notes").filter((note) => typeof note === "string"),
  };
}

/** A trajectory alone has no verdict. */
function classifyAtifOutcome(own: JsonObject) {
  const outcome = readTextField(own, "outcome");
  const category = readCategory(own);
  const passed = readFlagField(own, "passed");
  if (passed !== undefined) {
    const stopped = category === undefined || category === "none" || category === "logic_error" ? undefined : category;
    const others = Object.entries(readObjectField(own, "scores")).filter(([name]) => name !== "verdict");
    return toGradedOutcome({ passed, others, ...(stopped === undefined ? {} : { stopped }) });
  }
  if (outcome === "error" || outcome === "skipped")
    return toUngradedOutcome(outcome, category ?? (outcome === "skipped" ? "skipped" : "system_error"));
  return toUngradedOutcome("unscored", category ?? "none");
}

function readCategory(own: JsonObject) {
  const said = readTextField(own, "errorCategory");
  return ERROR_CATEGORIES.find((name) => name === said);
}

function listSteps(record: JsonObject): JsonObject[] {
  return readListField(record, "steps").filter(isJsonObject);
}

/** Our own files have all classes; others the totals, or the usage of each step. */
function readUsage(record: JsonObject, own: JsonObject): Usage | null {
  const told = readObjectField(own, "usage");
  const classes = toUsage({
    input: readCountField(told, "input"),
    output: readCountField(told, "output"),
    cacheRead: readCountField(told, "cacheRead"),
    cacheWrite: readCountField(told, "cacheWrite"),
    reasoning: readCountField(told, "reasoning"),
    inputHoldsCache: false,
  });
  const hourly = readCountField(told, "cacheWrite1h");
  if (classes !== null) return { ...classes, ...(hourly === null ? {} : { cacheWrite1h: hourly }) };
  const totals = readObjectField(record, "final_metrics");
  const all = toUsage({
    input: readCountField(totals, "total_prompt_tokens"),
    output: readCountField(totals, "total_completion_tokens"),
    cacheRead: readCountField(totals, "total_cached_tokens"),
    inputHoldsCache: true,
  });
  return all ?? sumUsages(listSteps(record).flatMap((step) => readStepUsage(step) ?? []));
}

function sumUsages(usages: readonly Usage[]): Usage | null {
  if (usages.length === 0) return null;
  const sum = (name: keyof Usage) => usages.reduce((total, usage) => total + (usage[name] ?? 0), 0);
  const [cacheRead, cacheWrite, reasoning] = [sum("cacheRead"), sum("cacheWrite"), sum("reasoning")];
  return {
    input: sum("input"),
    output: sum("output"),
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(reasoning > 0 && { reasoning }),
  };
}

function readStepUsage(step: JsonObject): Usage | null {
  const metrics = readObjectField(step, "metrics");
  const extra = readObjectField(metrics, "extra");
  const usage = toUsage({
    input: readCountField(metrics, "prompt_tokens"),
    output: readCountField(metrics, "completion_tokens"),
    cacheRead: readCountField(metrics, "cached_tokens"),
    cacheWrite: readCountField(extra, "cache_write_tokens"),
    reasoning: readCountField(extra, "reasoning_tokens"),
    inputHoldsCache: true,
  });
  const hourly = readCountField(extra, "cache_write_1h_tokens");
  return usage === null || hourly === null ? usage : { ...usage, cacheWrite1h: hourly };
}

/** The total, or the sum if the cost of every step with tokens is known. */
function readCost(record: JsonObject): number | null {
  const total = readMeasureField(readObjectField(record, "final_metrics"), "total_cost_usd");
  if (total !== null) return total;
  const used = listSteps(record).filter((step) => readStepUsage(step) !== null);
  const costs = used.map((step) => readMeasureField(readObjectField(step, "metrics"), "cost_usd"));
  if (costs.length === 0 || costs.includes(null)) return null;
  return costs.reduce((sum: number, cost) => sum + (cost ?? 0), 0);
}

function measureDuration(trajectory: Trajectory | null): number | null {
  const last = trajectory?.events.at(-1)?.timestamp;
  const ms = last === undefined || trajectory?.startedAt === undefined ? 0 : last - trajectory.startedAt;
  return ms > 0 ? ms : null;
}

function measureFirstAttempt(trajectory: Trajectory | null): number | null {
  const at = trajectory === null ? null : findFirstAttemptTime(trajectory.events);
  const since = at === null ? 0 : at - (trajectory?.startedAt ?? at);
  return since > 0 ? since : null;
}

function readFirstMessage(record: JsonObject): string | undefined {
  const step = listSteps(record).find(({ source }) => source === "user");
  return step === undefined ? undefined : readContent(getField(step, "message"));
}

function readLastAnswer(record: JsonObject): string | undefined {
  const answers = listSteps(record).filter(({ source }) => source === "agent");
  return answers.map((step) => readContent(getField(step, "message"))).findLast((text) => text !== "");
}

/** A text, or a list of parts of which some are texts. */
function readContent(content: unknown): string {
  if (!Array.isArray(content)) return toImportText(content);
  const parts = content.filter(isJsonObject).map((part) => readTextField(part, "text") ?? "");
  return parts.filter((text) => text !== "").join("\n");
}

function toAtifOutput(response: string | undefined, trajectory: Trajectory | null): Output | null {
  if (response === undefined && trajectory === null) return null;
  return { ...(response === undefined ? {} : { response }), ...(trajectory === null ? {} : { trajectory }) };
}

/** Null for the answers of a plain model, which have neither times nor tools. */
function readAtifTrajectory(record: JsonObject, own: JsonObject): Trajectory | null {
  const reader = new StepReader();
  const events = listSteps(record).flatMap((step) => reader.read(step));
  if (events.length === 0 || !reader.hasWork) return null;
  const startedAt = readTimeField(own, "startedAt") ?? reader.firstAt;
  return {
    events,
    ...(startedAt === null ? {} : { startedAt }),
    ...(own.toolsUnseen === true && { toolsUnseen: true as const }),
  };
}

/** Converts steps to events. One without a time has that of the step before. */
class StepReader {
  firstAt: number | null = null;
  /** True once a step has a time or calls a tool. */
  hasWork = false;
  #at = 0;
  #calls = 0;

  read(step: JsonObject): AgentEvent[] {
    const time = readTimeField(step, "timestamp");
    this.firstAt ??= time;
    this.#at = time ?? this.#at;
    if (time !== null || readListField(step, "tool_calls").length > 0) this.hasWork = true;
    const thread = readTextField(readObjectField(step, "extra"), "thread");
    const about = thread === undefined ? {} : { thread };
    return this.#listBodies(step, thread !== undefined).map(({ at, body }) => ({
      ...body,
      timestamp: at ?? this.#at,
      ...about,
    }));
  }

  #listBodies(step: JsonObject, isNested: boolean): { body: AgentEventBody; at?: number }[] {
    const text = readContent(getField(step, "message"));
    const results = this.#listResults(step);
    const { source } = step;
    if (source === "user") return [{ body: { type: "user_message", text } }, ...results];
    if (source !== "agent") return [...readSystemStep(step, text), ...results];
    const thought = readTextField(step, "reasoning_content");
    const calls = readListField(step, "tool_calls")
      .filter(isJsonObject)
      .map((call) => this.#readCall(call));
    const bodies: AgentEventBody[] = [
      ...(isNested ? [] : [{ type: "turn_start" as const }]),
      ...(thought === undefined ? [] : [{ type: "reasoning" as const, text: thought }]),
      ...(text === "" ? [] : [{ type: "assistant_message" as const, text }]),
      ...calls,
      ...readUsageEvent(
        step,
        calls.flatMap((call) => (call.type === "tool_call" ? [call.callId] : [])),
      ),
    ];
    return [...bodies.map((body) => ({ body })), ...results];
  }

  #readCall(call: JsonObject): AgentEventBody {
    this.#calls += 1;
    return {
      type: "tool_call",
      name: readTextField(call, "function_name") ?? "",
      callId: readTextField(call, "tool_call_id") ?? `call-${this.#calls}`,
      arguments: getField(call, "arguments") ?? {},
    };
  }

  /** The format does not say whether a call failed; our own files do. */
  #listResults(step: JsonObject): { body: AgentEventBody; at?: number }[] {
    const told = readObjectField(readObjectField(step, "extra"), "results");
    return readListField(readObjectField(step, "observation"), "results")
      .filter(isJsonObject)
      .map((result) => {
        const callId = readTextField(result, "source_call_id") ?? "";
        const about = Object.hasOwn(told, callId) ? readObjectField(told, callId) : {};
        const at = readTimeField(about, "timestamp");
        const success = readFlagField(about, "success") ?? true;
        const content = readContent(getField(result, "content"));
        return { body: { type: "tool_result", callId, success, result: content }, ...(at !== null && { at }) };
      });
  }
}

/** What our own files keep of other events, or the text of the step. */
function readSystemStep(step: JsonObject, text: string): { body: AgentEventBody }[] {
  const event = readObjectField(readObjectField(step, "extra"), "event");
  const type = readTextField(event, "type");
  const name = readTextField(event, "name") ?? type ?? "";
  if (type === "skill_activation") return [{ body: { type, name } }];
  if (type === "error") return [{ body: { type, message: text } }];
  if (type === "custom") return [{ body: { type, name, data: getField(event, "data") ?? null } }];
  return text === "" ? [] : [{ body: { type: "system", text } }];
}

function readUsageEvent(step: JsonObject, callIds: readonly string[]): AgentEventBody[] {
  const usage = readStepUsage(step);
  if (usage === null) return [];
  const metrics = readObjectField(step, "metrics");
  const extra = readObjectField(metrics, "extra");
  const [finish, finishReason] = [readTextField(extra, "finish"), readTextField(extra, "finish_reason")];
  return [
    {
      type: "token_usage",
      model: readTextField(step, "model_name") ?? null,
      usage,
      costUsd: readMeasureField(metrics, "cost_usd"),
      durationMs: readMeasureField(extra, "duration_ms"),
      ...(finish === undefined ? {} : { finish }),
      ...(finishReason === undefined ? {} : { finishReason }),
      ...(callIds.length > 0 && { callIds }),
    },
  ];
}
