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

/** The folder is all that is at stake: whoever starts the program isolates it. */
const FLAGS = ["--json", "--skip-git-repo-check", "--ephemeral", "--dangerously-bypass-approvals-and-sandbox"];

/** The variable that the key is read from. */
const KEY_VARIABLE = "ASSAY_GATEWAY_KEY";

/** Enough for a hiccup. A request that fails counts as a stream that fails: retries of both kinds would multiply. */
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
      // What follows is no option and no subcommand, whatever it is.
      "--",
      promptText(request.prompt),
    ],
    env: usesOwnHome ? {} : { [KEY_VARIABLE]: request.key },
    homeFiles: {},
  };
}

/** A lone dash would mean that the prompt comes by the standard input. */
function promptText(prompt: string): string {
  return prompt === "-" ? "-\n" : prompt;
}

/** A provider of our own: the built-in one cannot be pointed elsewhere without five tries by WebSocket first. */
function settings({ gateway }: LaunchRequest): string[] {
  const provider = [
    `name="assay"`,
    // A JSON text is a TOML text as well.
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

/** Known, and nothing that happened in the work. A turn of theirs is all that one prompt leads to. */
const QUIET = new Set(["thread.started", "turn.started"]);

/** Reads the events of `codex exec --json`. */
class CodexReader implements StreamReader {
  end: AgentEnd | null = null;
  response = "";
  /** The stream does not tell them. */
  readonly version = null;
  readonly model = null;
  readonly #unknown = new UnknownEvents();
  readonly #usage = new CodexUsage();
  /** Calls that were told and have no result yet. */
  readonly #open = new Set<string>();
  #plans = 0;
  #isInTurn = false;
  #hasSubAgents = false;
  #lastError = "";

  /** A turn that failed tells no usage, and that of sub-agents is told to nobody. */
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

  /** Some calls are told when they begin and when they end, others only when they end. */
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

  /** The plan is one item that changes; each time it was written by a call. */
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

  /** What made it fail was told as an error just before. */
  #readFailure(message: string): AgentHappening[] {
    const told: AgentHappening[] = message === this.#lastError ? [] : this.#readError(message);
    return [...told, ...this.#finish(failureOf(message))];
  }

  #finish(end: AgentEnd): AgentHappening[] {
    this.end = end;
    return this.#rest();
  }

  /** The model did something: the first time after results, this is a new turn. */
  #act(): AgentHappening[] {
    if (this.#isInTurn) return [];
    this.#isInTurn = true;
    return [{ type: "turn_start" }];
  }

  /** Results came back, or all is over. */
  #rest(): AgentHappening[] {
    if (!this.#isInTurn) return [];
    this.#isInTurn = false;
    return [{ type: "turn_end" }];
  }
}

const STATUS = /\b(?:unexpected status|last status:) (\d{3})\b/;
const INCOMPLETE = /\bIncomplete response returned, reason: (\w+)/;

/** How a run ended that says it failed. It has no fields for why: only its words tell. */
function failureOf(message: string): AgentEnd {
  const [, reason] = INCOMPLETE.exec(message) ?? [];
  if (reason === "max_output_tokens") return { kind: "stopped", reason: "truncated", message };
  if (reason === "content_filter") return { kind: "stopped", reason: "refused", message };
  const [, digits] = STATUS.exec(message) ?? [];
  return { kind: "failed", message, status: digits === undefined ? null : Number(digits) };
}

/** The settings that connect Codex to servers, for its command line. */
function serverSettings(mcp: McpOffer | null): string[] {
  return Object.entries(mcp?.servers ?? {}).flatMap(([name, server]) => [
    "-c",
    `mcp_servers.${name}=${tomlOf(settingOf(server))}`,
  ]);
}

function settingOf(server: McpServer): Readonly<Record<string, unknown>> {
  return "url" in server ? { url: server.url, http_headers: server.headers } : server;
}

/** Texts, lists and tables on one line. A JSON text is a TOML text as well. */
function tomlOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(tomlOf).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}=${tomlOf(each)}`).join(",")}}`;
}

/** An item that stands for the use of a tool. */
interface ToolItem {
  readonly name: string;
  readonly arguments: unknown;
  readonly success: boolean;
  /** Of a call that is over. */
  readonly result: string;
  /** Done by the provider while it answers: the model goes on in the same turn. */
  readonly isHosted?: boolean;
}

/** The tool that an item stands for; null when it stands for none. */
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

/** Follows the running total of a session, which each turn ends with. */
class CodexUsage {
  #last: Totals | null = null;
  /** Of sessions before: a total that is smaller than the last is that of a new one. */
  #before: Totals | null = null;

  /** Takes in the usage of a turn that is completed. */
  add(usage: unknown): void {
    const fields = fieldsOf(usage);
    if (fields === null) return;
    const total = totalsOf(fields);
    const last = this.#last;
    if (last !== null && NAMES.some((name) => total[name] < last[name])) this.#before = sum(this.#before, last);
    this.#last = total;
  }

  /** Null while nothing was told. */
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

/** What is cached is a part of the input, as reasoning is of the output. */
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
