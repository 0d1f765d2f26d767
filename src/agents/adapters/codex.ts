import type { McpServer } from "../../core/environment.js";
import type { Usage } from "../../core/system.js";
import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, listOf, RawUsage, textOf } from "../../models/dialects/answer-base.js";

import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type Launch,
  type LaunchRequest,
  type McpOffer,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";

/** No sandbox of its own: the caller isolates the program. */
const FLAGS = ["--json", "--skip-git-repo-check", "--ephemeral", "--dangerously-bypass-approvals-and-sandbox"];

/** Environment variable with the key. */
const KEY_VARIABLE = "ASSAY_GATEWAY_KEY";

/** Enough for brief failures. A failed request also counts as a failed stream, so retries of both would multiply. */
const RETRIES = { request: 0, stream: 3 };

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
  dialects: ["responses"],
  provider: "openai",
  install: "npm install -g @openai/codex",
  tellsUsageAtEnd: true,
  login: ".codex/auth.json",
  skills: { inHome: ".agents/skills", inProject: ".agents/skills" },
  tools: ["command_execution", "file_change", "todo_list", "web_search"],
  takesServers: "always",
  launch,
  reader: () => new CodexReader(),
};

function launch(request: LaunchRequest): Launch {
  const { model, usesOwnHome } = request;
  return {
    args: [
      "exec",
      ...FLAGS,
      ...(model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name]),
      ...(usesOwnHome ? [] : settings(request)),
      ...serverSettings(request.mcp),
      // Ends the options: the prompt may look like an option or a subcommand.
      "--",
      promptText(request.prompt),
    ],
    env: usesOwnHome ? {} : { [KEY_VARIABLE]: request.key },
    homeFiles: {},
  };
}

/** A single dash would mean reading the prompt from stdin. */
function promptText(prompt: string): string {
  return prompt === "-" ? "-\n" : prompt;
}

/** A custom provider: the built-in one tries WebSockets five times before it uses another URL. */
function settings({ gateway }: LaunchRequest): string[] {
  const provider = [
    `name="assay"`,
    // A JSON string is also a TOML string.
    `base_url=${JSON.stringify(gateway.openai)}`,
    `env_key="${KEY_VARIABLE}"`,
    `wire_api="responses"`,
    `request_max_retries=${RETRIES.request}`,
    `stream_max_retries=${RETRIES.stream}`,
  ];
  return ["model_provider=assay", `model_providers.assay={${provider.join(",")}}`, "analytics.enabled=false"].flatMap(
    (setting) => ["-c", setting],
  );
}

/** Known events that are not part of the work. A turn in these events is everything one prompt leads to. */
const QUIET = new Set(["thread.started", "turn.started"]);

/** Reads the events of `codex exec --json`. */
class CodexReader implements StreamReader {
  end: AgentEnd | null = null;
  response = "";
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

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    const type = textOf(fields.type);
    if (type.startsWith("item.")) return this.#readItem(type, fieldsOf(fields.item) ?? {});
    switch (type) {
      case "turn.completed":
        this.#usage.add(fields.usage);
        return this.#finish({ kind: "done" });
      case "turn.failed":
        return this.#readFailure(textOf(fieldsOf(fields.error)?.message) || "The turn failed.");
      case "error":
        return this.#readError(textOf(fields.message));
      default:
        return QUIET.has(type) ? [] : this.#unknown.tell(event, type || "untyped");
    }
  }

  #readItem(type: string, item: Fields): AgentHappening[] {
    const tool = toolOf(item);
    if (item.type === "collab_tool_call") this.#hasSubAgents = true;
    if (tool !== null) return this.#readTool(tool, textOf(item.id), type === "item.completed");
    if (item.type === "todo_list") return type === "item.completed" ? [] : this.#readPlan(item);
    return type === "item.completed" ? this.#readWords(item) : [];
  }

  /** Some calls are reported when they start and when they end, others only at the end. */
  #readTool(tool: ToolItem, callId: string, isOver: boolean): AgentHappening[] {
    const { name, success, result } = tool;
    const call: AgentHappening[] = this.#open.has(callId)
      ? []
      : [...this.#act(), { type: "tool_call", name, callId, arguments: tool.arguments }];
    if (isOver) this.#open.delete(callId);
    else this.#open.add(callId);
    if (!isOver) return call;
    return [...call, ...(tool.isHosted ? [] : this.#rest()), { type: "tool_result", callId, success, result }];
  }

  /** The plan is one item that changes; each change is reported as a call. */
  #readPlan(item: Fields): AgentHappening[] {
    this.#plans += 1;
    const callId = `${textOf(item.id)}.${this.#plans}`;
    return [
      ...this.#act(),
      { type: "tool_call", name: "todo_list", callId, arguments: { items: item.items } },
      ...this.#rest(),
      { type: "tool_result", callId, success: true, result: "" },
    ];
  }

  #readWords(item: Fields): AgentHappening[] {
    const text = textOf(item.text);
    switch (item.type) {
      case "agent_message":
        this.response = text;
        return [...this.#act(), { type: "assistant_message", text }];
      case "reasoning":
        return [...this.#act(), { type: "reasoning", text }];
      case "error":
        return this.#readError(textOf(item.message));
      default:
        return this.#unknown.tell(item, `item/${textOf(item.type) || "untyped"}`);
    }
  }

  #readError(message: string): AgentHappening[] {
    this.#lastError = message;
    return [{ type: "error", message }];
  }

  /** The cause was already reported as an error. */
  #readFailure(message: string): AgentHappening[] {
    const told: AgentHappening[] = message === this.#lastError ? [] : this.#readError(message);
    return [...told, ...this.#finish(failureOf(message))];
  }

  #finish(end: AgentEnd): AgentHappening[] {
    this.end = end;
    return this.#rest();
  }

  /** The model acted: after results, this starts a new turn. */
  #act(): AgentHappening[] {
    if (this.#isInTurn) return [];
    this.#isInTurn = true;
    return [{ type: "turn_start" }];
  }

  /** Results arrived, or the run ended. */
  #rest(): AgentHappening[] {
    if (!this.#isInTurn) return [];
    this.#isInTurn = false;
    return [{ type: "turn_end" }];
  }
}

const STATUS = /\b(?:unexpected status|last status:) (\d{3})\b/;
const INCOMPLETE = /\bIncomplete response returned, reason: (\w+)/;

/** Classifies a failed run by its message, because there are no fields for the cause. */
function failureOf(message: string): AgentEnd {
  const [, reason] = INCOMPLETE.exec(message) ?? [];
  if (reason === "max_output_tokens") return { kind: "stopped", reason: "truncated", message };
  if (reason === "content_filter") return { kind: "stopped", reason: "refused", message };
  const [, digits] = STATUS.exec(message) ?? [];
  return { kind: "failed", message, status: digits === undefined ? null : Number(digits) };
}

/** Command-line settings for MCP servers. */
function serverSettings(mcp: McpOffer | null): string[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => [
    "-c",
    `mcp_servers.${name}=${tomlOf(settingOf(server))}`,
  ]);
}

function settingOf(server: McpServer): Readonly<Record<string, unknown>> {
  return "url" in server ? { url: server.url, http_headers: server.headers } : server;
}

/** Formats strings, lists and tables on one line. A JSON string is also a TOML string. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}=${tomlOf(each)}`).join(",")}}`;
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
function toolOf(item: Fields): ToolItem | null {
  const success = item.status !== "failed" && item.status !== "declined";
  switch (item.type) {
    case "command_execution":
      return {
        name: "command_execution",
        arguments: { command: item.command },
        success: success && (item.exit_code == null || item.exit_code === 0),
        result: textOf(item.aggregated_output),
      };
    case "file_change":
      return { name: "file_change", arguments: { changes: item.changes }, success, result: changesText(item) };
    case "mcp_tool_call":
      return {
        name: `mcp__${textOf(item.server)}__${textOf(item.tool)}`,
        arguments: item.arguments ?? {},
        success: success && item.error == null,
        result: mcpText(item),
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
        name: textOf(item.tool),
        arguments: { prompt: item.prompt },
        success,
        result: jsonText(item.agents_states),
      };
    default:
      return null;
  }
}

function changesText({ changes }: Fields): string {
  return listOf(changes)
    .map((change) => `${textOf(fieldsOf(change)?.kind)} ${textOf(fieldsOf(change)?.path)}`)
    .join("\n");
}

function mcpText({ result, error }: Fields): string {
  if (error != null) return textOf(fieldsOf(error)?.message) || jsonText(error);
  const parts = listOf(fieldsOf(result)?.content);
  return parts.map((part) => textOf(fieldsOf(part)?.text) || jsonText(part)).join("\n");
}

const NAMES = [
  "input_tokens",
  "cached_input_tokens",
  "cache_write_input_tokens",
  "output_tokens",
  "reasoning_output_tokens",
] as const;

type Totals = Readonly<Record<(typeof NAMES)[number], number>>;

/** Tracks the running total of a session, which is reported at the end of each turn. */
class CodexUsage {
  #last: Totals | null = null;
  /** The total of earlier sessions: a smaller total than before belongs to a new session. */
  #before: Totals | null = null;

  /** Adds the usage of a completed turn. */
  add(usage: unknown): void {
    const fields = fieldsOf(usage);
    if (fields === null) return;
    const total = totalsOf(fields);
    const last = this.#last;
    if (last !== null && NAMES.some((name) => total[name] < last[name])) this.#before = sum(this.#before, last);
    this.#last = total;
  }

  /** Null until usage was reported. */
  get usage(): Usage | null {
    return this.#last === null ? null : disjoint(sum(this.#before, this.#last));
  }
}

function totalsOf(fields: Fields): Totals {
  const raw = new RawUsage(fields);
  return totalsBy((name) => raw.count(name) ?? 0);
}

function sum(a: Totals | null, b: Totals): Totals {
  return totalsBy((name) => (a?.[name] ?? 0) + b[name]);
}

function totalsBy(count: (name: (typeof NAMES)[number]) => number): Totals {
  return {
    input_tokens: count("input_tokens"),
    cached_input_tokens: count("cached_input_tokens"),
    cache_write_input_tokens: count("cache_write_input_tokens"),
    output_tokens: count("output_tokens"),
    reasoning_output_tokens: count("reasoning_output_tokens"),
  };
}

/** Cached tokens are part of the input, and reasoning is part of the output. */
function disjoint(totals: Totals): Usage {
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
