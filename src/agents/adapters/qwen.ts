import type { AgentEventBody, McpServer } from "../../core/index.js";
import { type GatewayDialectName, type JsonFields, readJsonObject, readJsonString } from "../../models/index.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentLaunch,
  findStatusCode,
  type LaunchRequest,
  parseTokenCount,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";
import { listMessageBlocks, readSubagentBlock, readToolCall, readToolResult } from "./message-blocks.js";

/** Its own retries take 75 seconds; the client inside would try each of them three times. */
const MAX_CLIENT_RETRIES = 0;

/**
 * Qwen Code.
 * @example
 * const { args, env, homeFiles } = qwen.launch(request);
 * spawn(qwen.program, args, { env });
 */
export const qwen: AgentAdapter = {
  name: "qwen",
  program: "qwen",
  checkedVersion: "0.15.10",
  minVersion: "0.5.0",
  dialects: ["chat", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g @qwen-code/qwen-code@0.15.10",
  login: ".qwen/oauth_creds.json",
  tellsUsageAtEnd: true,
  skills: { inHome: ".qwen/skills", inProject: ".qwen/skills", needsName: true },
  tools: [
    "agent",
    "ask_user_question",
    "edit",
    "exit_plan_mode",
    "glob",
    "grep_search",
    "list_directory",
    "monitor",
    "read_file",
    "run_shell_command",
    "save_memory",
    "send_message",
    "skill",
    "task",
    "task_stop",
    "todo_write",
    "tool_search",
    "web_fetch",
    "web_search",
    "write_file",
  ],
  takesServers: "in throw-away HOME",
  canContinue: true,
  reportsSession: true,
  launch,
  reader: () => new QwenReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { prompt, model, usesOwnHome, session } = request;
  // Sessions belong to a folder, and each trial has its own.
  const resumed = session?.isContinued === true ? ["--continue"] : [];
  const named = model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name];
  return {
    // The prompt is passed over stdin, because a first word could be a command of the program.
    args: ["--output-format=stream-json", "--approval-mode=yolo", ...named, ...resumed],
    input: formatQwenPrompt(prompt),
    env: usesOwnHome ? {} : buildQwenEnv(request),
    homeFiles: usesOwnHome ? {} : { ".qwen/settings.json": formatQwenSettings(request) },
  };
}

/** A prompt that begins with a slash or an @ would be a command or a file of the program. */
function formatQwenPrompt(prompt: string): string {
  return /^[/@?]/.test(prompt) ? ` ${prompt}` : prompt;
}

const AUTH_TYPES: Readonly<Partial<Record<GatewayDialectName, string>>> = { anthropic: "anthropic", gemini: "gemini" };

function findAuthType({ model }: LaunchRequest): string {
  return (model === null ? undefined : AUTH_TYPES[model.dialect]) ?? "openai";
}

function buildQwenEnv(request: LaunchRequest): Record<string, string> {
  const { gateway, key, model } = request;
  const name = model === null ? "" : model.name;
  const always = { QWEN_TELEMETRY_ENABLED: "0" };
  switch (findAuthType(request)) {
    case "anthropic":
      return {
        ...always,
        ANTHROPIC_BASE_URL: gateway.anthropic,
        ANTHROPIC_API_KEY: key,
        ...(name !== "" && { ANTHROPIC_MODEL: name }),
      };
    case "gemini":
      return {
        ...always,
        GOOGLE_GEMINI_BASE_URL: gateway.google,
        GEMINI_API_KEY: key,
        ...(name !== "" && { GEMINI_MODEL: name }),
      };
    default:
      return {
        ...always,
        OPENAI_BASE_URL: gateway.openai,
        OPENAI_API_KEY: key,
        ...(name !== "" && { OPENAI_MODEL: name }),
      };
  }
}

function formatQwenSettings(request: LaunchRequest): string {
  const { mcp } = request;
  const settings = {
    security: { auth: { selectedType: findAuthType(request) } },
    general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    model: { generationConfig: { maxRetries: MAX_CLIENT_RETRIES } },
    ...(mcp === null ? {} : { mcpServers: toQwenServers(mcp.servers) }),
  };
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/** It reads the address of an HTTP server from `httpUrl`; `url` is another transport. */
function toQwenServers(servers: Readonly<Record<string, McpServer>>): Record<string, unknown> {
  const entries = Object.entries(servers).map(([name, server]): [string, unknown] => {
    if (!("url" in server)) return [name, server];
    const { url, ...others } = server;
    return [name, { httpUrl: url, ...others }];
  });
  return Object.fromEntries(entries);
}

const NO_EVENTS: readonly AgentEventBody[] = [];

/** The program's own text about a failed call, at the end of the answer. */
const API_ERROR = /\[API Error: ([\s\S]*?)\]?\s*$/;

/** Reads the events of `qwen --output-format stream-json`. A turn lasts until tool results come back. */
class QwenReader implements StreamReader {
  end: AgentEnd | null = null;
  figures: AgentFigures = { usage: null, costUsd: null, isPartial: false };
  response = "";
  version: string | null = null;
  model: string | null = null;
  #isInTurn = false;
  #hasNewTurn = true;
  readonly #unknown = new UnknownEvents();

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    switch (fields.type) {
      case "system":
        return this.#readSystem(fields, event);
      case "assistant":
        return this.#readAssistant(fields);
      case "user":
        return this.#readUser(fields);
      case "result":
        return this.#readResult(fields);
      case "stream_event":
        return this.#readStreamEvent(fields, event);
      default:
        return this.#unknown.record(event);
    }
  }

  #readSystem(fields: JsonFields, event: unknown): readonly AgentEventBody[] {
    if (fields.subtype !== "init") {
      const text = readJsonString(fields.message) || readJsonString(fields.content);
      return text === ""
        ? this.#unknown.record(event, `system/${readJsonString(fields.subtype)}`)
        : [{ type: "system", text }];
    }
    this.version = readJsonString(fields.qwen_code_version) || null;
    this.model = readJsonString(fields.model) || null;
    return NO_EVENTS;
  }

  /** Newer versions report a goal of the user first, which no trial sets. */
  #readStreamEvent(fields: JsonFields, event: unknown): readonly AgentEventBody[] {
    const kind = readJsonString(readJsonObject(fields.event)?.type);
    return kind === "goal_state" ? NO_EVENTS : this.#unknown.record(event, `stream_event/${kind}`);
  }

  #readAssistant(fields: JsonFields): readonly AgentEventBody[] {
    const parent = readJsonString(fields.parent_tool_use_id);
    const blocks = listMessageBlocks(readJsonObject(fields.message));
    if (parent !== "") return blocks.flatMap((block) => readSubagentBlock(block, parent));
    const start: readonly AgentEventBody[] = this.#isInTurn ? NO_EVENTS : [{ type: "turn_start" }];
    this.#isInTurn = true;
    if (this.#hasNewTurn) this.response = "";
    this.#hasNewTurn = false;
    return [...start, ...blocks.flatMap((block) => this.#readBlock(block))];
  }

  #readBlock(block: JsonFields): readonly AgentEventBody[] {
    if (block.type === "thinking") return [{ type: "reasoning", text: readJsonString(block.thinking) }];
    if (block.type !== "text") return [...readToolCall(block), ...readToolResult(block)];
    const text = readJsonString(block.text);
    const failure = API_ERROR.exec(text)?.[1];
    if (failure !== undefined) return [{ type: "error", message: failure }];
    this.response += text;
    return text === "" ? NO_EVENTS : [{ type: "assistant_message", text }];
  }

  #readUser(fields: JsonFields): readonly AgentEventBody[] {
    const parent = readJsonString(fields.parent_tool_use_id);
    const blocks = listMessageBlocks(readJsonObject(fields.message));
    if (parent !== "") return blocks.flatMap((block) => readSubagentBlock(block, parent));
    const results = blocks.flatMap(readToolResult);
    const texts = blocks.flatMap(({ type, text }): AgentEventBody[] =>
      type === "text" ? [{ type: "system", text: readJsonString(text) }] : [],
    );
    return [...(results.length > 0 ? this.#endTurn() : []), ...results, ...texts];
  }

  #endTurn(): readonly AgentEventBody[] {
    if (!this.#isInTurn) return NO_EVENTS;
    this.#isInTurn = false;
    this.#hasNewTurn = true;
    return [{ type: "turn_end" }];
  }

  /** It reports success when its model's endpoint failed, and tells so in the text. */
  #readResult(fields: JsonFields): readonly AgentEventBody[] {
    const text = readJsonString(fields.result);
    const failure = API_ERROR.exec(text)?.[1] ?? (fields.is_error === true ? describeFailure(fields) : null);
    this.end = classifyQwenEnd(readJsonString(fields.subtype), failure);
    this.figures = parseQwenUsage(readJsonObject(fields.usage), failure !== null);
    return this.#endTurn();
  }
}

function classifyQwenEnd(subtype: string, failure: string | null): AgentEnd {
  if (subtype === "error_max_turns")
    return { kind: "stopped", reason: "truncated", message: failure ?? "The agent reached its own limit of turns." };
  return failure === null ? { kind: "done" } : { kind: "failed", message: failure, status: findStatusCode(failure) };
}

function describeFailure({ error, result, subtype }: JsonFields): string {
  return (
    readJsonString(readJsonObject(error)?.message) || readJsonString(result) || readJsonString(subtype) || "It failed."
  );
}

/** Input includes cached tokens. Interrupted calls are missing from the sum of a run that `isBroken`. */
function parseQwenUsage(usage: JsonFields | null, isBroken: boolean): AgentFigures {
  if (usage === null) return { usage: null, costUsd: null, isPartial: isBroken };
  const prompt = parseTokenCount(usage.input_tokens);
  const cacheRead = Math.min(parseTokenCount(usage.cache_read_input_tokens), prompt);
  return {
    usage: { input: prompt - cacheRead, output: parseTokenCount(usage.output_tokens), cacheRead },
    costUsd: null,
    isPartial: isBroken,
  };
}
