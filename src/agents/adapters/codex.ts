import type { AgentEventBody, McpServer, Usage } from "../../core/index.js";
import {
  type JsonFields,
  RawUsage,
  readJsonList,
  readJsonObject,
  readJsonString,
  toJsonText,
} from "../../models/index.js";

import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentLaunch,
  type LaunchRequest,
  type McpConfig,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";

/** No sandbox of its own: the caller isolates the program. */
const FLAGS = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];

/** Environment variable with the key. */
const KEY_VARIABLE = "ASSAY_GATEWAY_KEY";

/** Enough for brief failures. A failed request also counts as a failed stream, so retries of both would multiply. */
const MAX_RETRIES = { request: 0, stream: 3 };

/**
 * OpenAI's Codex.
 * @example
 * const { args, env } = codex.launch(request);
 * spawn(codex.program, args, { env });
 */
export const codex: AgentAdapter = {
  name: "codex",
  program: "codex",
  checkedVersion: "0.166.0",
  minVersion: "0.110.0",
  dialects: ["responses"],
  provider: "openai",
  install: "npm install -g @openai/codex",
  tellsUsageAtEnd: true,
  login: ".codex/auth.json",
  skills: { inHome: ".agents/skills", inProject: ".agents/skills" },
  tools: ["command_execution", "file_change", "todo_list", "web_search"],
  takesServers: "always",
  canContinue: true,
  reportsSession: true,
  efforts: { names: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
  launch,
  reader: () => new CodexReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { model, effort, usesOwnHome, session } = request;
  const isContinued = session?.isContinued === true;
  return {
    args: [
      "exec",
      ...(isContinued ? ["resume"] : []),
      ...FLAGS,
      ...(session === null ? ["--ephemeral"] : []),
      // Without an id, the last session of the folder.
      ...(isContinued && session.givenId === null ? ["--last"] : []),
      ...(model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name]),
      ...(usesOwnHome ? [] : buildCodexSettings(request)),
      ...(effort === null ? [] : ["-c", `model_reasoning_effort="${effort}"`]),
      ...buildServerSettings(request.mcp),
      // Ends the options: the prompt may look like an option or a subcommand.
      "--",
      ...(isContinued && session.givenId !== null ? [session.givenId] : []),
      formatCodexPrompt(request.prompt),
    ],
    env: usesOwnHome ? {} : { [KEY_VARIABLE]: request.key },
    homeFiles: {},
  };
}

/** A single dash would mean reading the prompt from stdin. */
function formatCodexPrompt(prompt: string): string {
  return prompt === "-" ? "-\n" : prompt;
}

/** A custom provider: the built-in one tries WebSockets five times before it uses another URL. */
function buildCodexSettings({ gateway }: LaunchRequest): string[] {
  const provider = [
    `name="assay"`,
    // A JSON string is also a TOML string.
    `base_url=${JSON.stringify(gateway.openai)}`,
    `env_key="${KEY_VARIABLE}"`,
    `wire_api="responses"`,
    `request_max_retries=${MAX_RETRIES.request}`,
    `stream_max_retries=${MAX_RETRIES.stream}`,
  ];
  return ["model_provider=assay", `model_providers.assay={${provider.join(",")}}`, "analytics.enabled=false"].flatMap(
    (setting) => ["-c", setting],
  );
}

/** Known events that are not part of the work. A turn in these events is everything one prompt leads to. */
const IGNORED_EVENTS = new Set(["turn.started"]);

/** Reads the events of `codex exec --json`. */
class CodexReader implements StreamReader {
  end: AgentEnd | null = null;
  response = "";
  sessionId: string | null = null;
  /** The stream does not report them. */
  readonly version = null;
  readonly model = null;
  readonly #unknown = new UnknownEvents();
  readonly #usage = new CodexUsage();
  /** Calls without a result yet. */
  readonly #open = new Set<string>();
  #plans = 0;
  #isInTurn = false;
  #hasSubAgents = false;
  #lastError = "";

  /** A failed turn reports no usage, and usage of subagents is never reported. */
  get figures(): AgentFigures {
    const isPartial = this.end?.kind !== "done" || this.#hasSubAgents;
    return { usage: this.#usage.usage, costUsd: null, isPartial };
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    const type = readJsonString(fields.type);
    if (type.startsWith("item.")) return this.#readItem(type, readJsonObject(fields.item) ?? {});
    switch (type) {
      case "thread.started":
        this.sessionId = readJsonString(fields.thread_id) || this.sessionId;
        return [];
      case "turn.completed":
        this.#usage.add(fields.usage);
        return this.#finish({ kind: "done" });
      case "turn.failed":
        return this.#readFailure(readJsonString(readJsonObject(fields.error)?.message) || "The turn failed.");
      case "error":
        return this.#readError(readJsonString(fields.message));
      default:
        return IGNORED_EVENTS.has(type) ? [] : this.#unknown.record(event, type || "untyped");
    }
  }

  #readItem(type: string, item: JsonFields): AgentEventBody[] {
    const tool = parseToolItem(item);
    if (item.type === "collab_tool_call") this.#hasSubAgents = true;
    if (tool !== null) return this.#readTool(tool, readJsonString(item.id), type === "item.completed");
    if (item.type === "todo_list") return type === "item.completed" ? [] : this.#readPlan(item);
    return type === "item.completed" ? this.#readText(item) : [];
  }

  /** Some calls are reported when they start and when they end, others only at the end. */
  #readTool(tool: ToolItem, callId: string, isOver: boolean): AgentEventBody[] {
    const { name, success, result } = tool;
    const call: AgentEventBody[] = this.#open.has(callId)
      ? []
      : [...this.#startTurn(), { type: "tool_call", name, callId, arguments: tool.arguments }];
    if (isOver) this.#open.delete(callId);
    else this.#open.add(callId);
    if (!isOver) return call;
    return [...call, ...(tool.isHosted ? [] : this.#endTurn()), { type: "tool_result", callId, success, result }];
  }

  /** The plan is one item that changes; each change is reported as a call. */
  #readPlan(item: JsonFields): AgentEventBody[] {
    this.#plans += 1;
    const callId = `${readJsonString(item.id)}.${this.#plans}`;
    return [
      ...this.#startTurn(),
      { type: "tool_call", name: "todo_list", callId, arguments: { items: item.items } },
      ...this.#endTurn(),
      { type: "tool_result", callId, success: true, result: "" },
    ];
  }

  #readText(item: JsonFields): AgentEventBody[] {
    const text = readJsonString(item.text);
    switch (item.type) {
      case "agent_message":
        this.response = text;
        return [...this.#startTurn(), { type: "assistant_message", text }];
      case "reasoning":
        return [...this.#startTurn(), { type: "reasoning", text }];
      case "error":
        return this.#readError(readJsonString(item.message));
      default:
        return this.#unknown.record(item, `item/${readJsonString(item.type) || "untyped"}`);
    }
  }

  #readError(message: string): AgentEventBody[] {
    this.#lastError = message;
    return [{ type: "error", message }];
  }

  /** The cause was already reported as an error. */
  #readFailure(message: string): AgentEventBody[] {
    const told: AgentEventBody[] = message === this.#lastError ? [] : this.#readError(message);
    return [...told, ...this.#finish(classifyCodexFailure(message))];
  }

  #finish(end: AgentEnd): AgentEventBody[] {
    this.end = end;
    return this.#endTurn();
  }

  /** The model acted: after results, this starts a new turn. */
  #startTurn(): AgentEventBody[] {
    if (this.#isInTurn) return [];
    this.#isInTurn = true;
    return [{ type: "turn_start" }];
  }

  /** Results arrived, or the run ended. */
  #endTurn(): AgentEventBody[] {
    if (!this.#isInTurn) return [];
    this.#isInTurn = false;
    return [{ type: "turn_end" }];
  }
}

const STATUS_PATTERN = /\b(?:unexpected status|last status:) (\d{3})\b/;
const INCOMPLETE_PATTERN = /\bIncomplete response returned, reason: (\w+)/;

/** Classifies a failed run by its message, because there are no fields for the cause. */
function classifyCodexFailure(message: string): AgentEnd {
  const [, reason] = INCOMPLETE_PATTERN.exec(message) ?? [];
  if (reason === "max_output_tokens") return { kind: "stopped", reason: "truncated", message };
  if (reason === "content_filter") return { kind: "stopped", reason: "refused", message };
  const [, digits] = STATUS_PATTERN.exec(message) ?? [];
  return { kind: "failed", message, status: digits === undefined ? null : Number(digits) };
}

/** Command-line settings for MCP servers. */
function buildServerSettings(mcp: McpConfig | null): string[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => [
    "-c",
    `mcp_servers.${name}=${formatToml(toCodexServer(server))}`,
  ]);
}

function toCodexServer(server: McpServer): Readonly<Record<string, unknown>> {
  return "url" in server ? { url: server.url, http_headers: server.headers } : server;
}

/** Formats strings, lists and tables on one line. A JSON string is also a TOML string. */
function formatToml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatToml).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}=${formatToml(each)}`).join(",")}}`;
}

/** A tool call as one item of the stream. */
interface ToolItem {
  readonly name: string;
  readonly arguments: unknown;
  readonly success: boolean;
  /** Empty until the call has ended. */
  readonly result: string;
  /** True when the provider runs the tool, so that the model continues in the same turn. */
  readonly isHosted?: boolean;
}

/** Null when the item is not a tool call. */
function parseToolItem(item: JsonFields): ToolItem | null {
  const success = item.status !== "failed" && item.status !== "declined";
  switch (item.type) {
    case "command_execution":
      return {
        name: "command_execution",
        arguments: { command: item.command },
        success: success && (item.exit_code == null || item.exit_code === 0),
        result: readJsonString(item.aggregated_output),
      };
    case "file_change":
      return { name: "file_change", arguments: { changes: item.changes }, success, result: describeFileChanges(item) };
    case "mcp_tool_call":
      return {
        name: `mcp__${readJsonString(item.server)}__${readJsonString(item.tool)}`,
        arguments: item.arguments ?? {},
        success: success && item.error == null,
        result: formatMcpResult(item),
      };
    case "web_search":
      return {
        name: "web_search",
        arguments: { query: item.query, action: item.action },
        success,
        result: "",
        isHosted: true,
      };
    case "collab_tool_call":
      return {
        name: readJsonString(item.tool),
        arguments: { prompt: item.prompt },
        success,
        result: toJsonText(item.agents_states),
      };
    default:
      return null;
  }
}

function describeFileChanges({ changes }: JsonFields): string {
  return readJsonList(changes)
    .map((change) => `${readJsonString(readJsonObject(change)?.kind)} ${readJsonString(readJsonObject(change)?.path)}`)
    .join("\n");
}

function formatMcpResult({ result, error }: JsonFields): string {
  if (error != null) return readJsonString(readJsonObject(error)?.message) || toJsonText(error);
  const parts = readJsonList(readJsonObject(result)?.content);
  return parts.map((part) => readJsonString(readJsonObject(part)?.text) || toJsonText(part)).join("\n");
}

const TOTAL_KEYS = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const;

type CodexTotals = Readonly<Record<(typeof TOTAL_KEYS)[number], number>>;

/** Tracks the running total of a session, which is reported at the end of each turn. */
class CodexUsage {
  #last: CodexTotals | null = null;
  /** The total of earlier sessions: a smaller total than before belongs to a new session. */
  #before: CodexTotals | null = null;

  /** Adds the usage of a completed turn. */
  add(usage: unknown): void {
    const fields = readJsonObject(usage);
    if (fields === null) return;
    const total = parseCodexTotals(fields);
    const last = this.#last;
    if (last !== null && TOTAL_KEYS.some((name) => total[name] < last[name]))
      this.#before = addCodexTotals(this.#before, last);
    this.#last = total;
  }

  /** Null until usage was reported. */
  get usage(): Usage | null {
    return this.#last === null ? null : toCodexUsage(addCodexTotals(this.#before, this.#last));
  }
}

function parseCodexTotals(fields: JsonFields): CodexTotals {
  const raw = new RawUsage(fields);
  return mapCodexTotals((name) => raw.readCount(name) ?? 0);
}

function addCodexTotals(a: CodexTotals | null, b: CodexTotals): CodexTotals {
  return mapCodexTotals((name) => (a?.[name] ?? 0) + b[name]);
}

function mapCodexTotals(count: (name: (typeof TOTAL_KEYS)[number]) => number): CodexTotals {
  return {
    input_tokens: count("input_tokens"),
    cached_input_tokens: count("cached_input_tokens"),
    cache_write_input_tokens: count("cache_write_input_tokens"),
    output_tokens: count("output_tokens"),
    reasoning_output_tokens: count("reasoning_output_tokens"),
  };
}

/** Cached tokens are part of the input, and reasoning is part of the output. */
function toCodexUsage(totals: CodexTotals): Usage {
  const cacheRead = totals.cached_input_tokens;
  const cacheWrite = totals.cache_write_input_tokens;
  const reasoning = Math.min(totals.reasoning_output_tokens, totals.output_tokens);
  return {
    input: Math.max(0, totals.input_tokens - cacheRead - cacheWrite),
    output: totals.output_tokens,
    ...(cacheRead > 0 ? { cacheRead } : {}),
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
    ...(reasoning > 0 ? { reasoning } : {}),
  };
}
