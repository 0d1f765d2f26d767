import type { AgentEventBody, Usage } from "../../core/index.js";
import { getOwn } from "../../core/index.js";
import type { Finish } from "../../models/index.js";
import {
  AnthropicAnswerReader,
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
  type AgentModel,
  type LaunchRequest,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";
import { listMessageBlocks, readSubagentBlock, readToolCall, readToolResult } from "./message-blocks.js";

/** Enough for brief failures; its default of ten keeps a run with a wrong key busy for minutes. */
const MAX_RETRIES = "3";

const FLAGS = [
  "-p",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--dangerously-skip-permissions",
];

/**
 * Claude Code.
 * @example
 * const { args, env } = claude.launch(request);
 * spawn(claude.program, args, { env });
 */
export const claude: AgentAdapter = {
  name: "claude",
  program: "claude",
  checkedVersion: "2.1.325",
  minVersion: "2.0.67",
  dialects: ["anthropic"],
  provider: "anthropic",
  install: "npm install -g @anthropic-ai/claude-code",
  login: ".claude/.credentials.json",
  skills: { inHome: ".claude/skills", inProject: ".claude/skills" },
  tools: [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "BashOutput",
    "Edit",
    "EnterPlanMode",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillBash",
    "KillShell",
    "LS",
    "ListMcpResources",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "ReadMcpResource",
    "SendMessage",
    "Skill",
    "SlashCommand",
    "StructuredOutput",
    "Task",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskOutput",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
    "WebFetch",
    "WebSearch",
    "Write",
  ],
  takesServers: "always",
  canContinue: true,
  reportsSession: true,
  efforts: { names: ["none", "low", "medium", "high", "xhigh", "max"], takesTokens: true },
  asRoot: "as root it only runs without prompts when IS_SANDBOX=1 marks a container, so that is set",
  launch,
  reader: () => new ClaudeReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { model, effort, usesOwnHome, mcp } = request;
  const named = model === null ? [] : ["--model", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      ...FLAGS,
      ...buildSessionArgs(request),
      ...named,
      ...(typeof effort === "string" && effort !== "none" ? ["--effort", effort] : []),
      // Only the example's servers, not those of the user or the folder.
      ...(mcp === null ? [] : ["--mcp-config", mcp.file, "--strict-mcp-config"]),
      // Ends the options: the prompt may look like an option or a subcommand.
      "--",
      request.prompt,
    ],
    env: buildClaudeEnv(request),
    homeFiles: {},
  };
}

function buildSessionArgs({ session }: LaunchRequest): string[] {
  if (session === null) return ["--no-session-persistence"];
  return [session.isContinued ? "--resume" : "--session-id", session.id];
}

function buildClaudeEnv({ gateway, key, model, effort, usesOwnHome, isRoot }: LaunchRequest): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: gateway.anthropic,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: MAX_RETRIES,
    // 0 switches thinking off.
    ...(effort === "none" || typeof effort === "number"
      ? { MAX_THINKING_TOKENS: String(effort === "none" ? 0 : effort) }
      : {}),
    // As root it skips permission prompts only in a sandbox. A list of allowed tools would work too, but root would then be
    // asked more often than other users, and measured differently.
    ...(isRoot ? { IS_SANDBOX: "1" } : {}),
    ...(usesOwnHome ? {} : { ANTHROPIC_API_KEY: key, ...(model === null ? {} : buildSideModelEnv(model)) }),
  };
}

/** Default models of side calls and subagents; versions before 2 read the last variable. */
const SIDE_MODEL_VARIABLES = [
  "CLAUDE_CODE_SUBAGENT_MODEL",
  "ANTHROPIC_DEFAULT_FABLE_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
];

/** Only one model is measured; others may not exist at the endpoint or have no price. */
function buildSideModelEnv({ name }: AgentModel): Record<string, string> {
  return Object.fromEntries(SIDE_MODEL_VARIABLES.map((variable) => [variable, name]));
}

/** The model name of messages written by the program itself, mostly errors. */
const SYNTHETIC_MODEL = "<synthetic>";

/** Known events that are not part of the work. */
const IGNORED_EVENTS = new Set(["keep_alive", "tool_progress", "rate_limit_event", "auth_status", "prompt_suggestion"]);

const BLOCK_KINDS: Readonly<Record<string, TextKind>> = {
  text: "text",
  text_delta: "text",
  thinking: "thinking",
  thinking_delta: "thinking",
};

/** Reads the events of `claude --output-format stream-json`, with or without partial messages. */
class ClaudeReader implements StreamReader {
  end: AgentEnd | null = null;
  version: string | null = null;
  model: string | null = null;
  readonly #unknown = new UnknownEvents();
  readonly #usage = new ClaudeUsage();
  readonly #turns = new ClaudeTurns();
  #spoken = new TextCollector();
  /** The last text of earlier messages. */
  #said = "";
  /** The current message of each subagent, by the call that started it; "" for the main conversation. */
  readonly #pieceOf = new Map<string, string>();
  /** The kind of the block being streamed; null for one that is emitted when complete. */
  #streamed: TextKind | null = null;

  get response(): string {
    return this.#spoken.text || this.#said;
  }

  get figures(): AgentFigures {
    return this.#usage.figures;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    switch (fields.type) {
      case "stream_event":
        return this.#readPiece(fields);
      case "assistant":
        return this.#readAssistant(fields);
      case "user":
        return this.#readUser(fields);
      case "system":
        return this.#readSystem(fields);
      case "result":
        return this.#readResult(fields);
      default:
        return IGNORED_EVENTS.has(readJsonString(fields.type))
          ? []
          : this.#unknown.record(event, readJsonString(fields.type));
    }
  }

  #readSystem(fields: JsonFields): AgentEventBody[] {
    const subtype = readJsonString(fields.subtype);
    if (subtype === "init") {
      const isAgain = this.version !== null;
      this.version = readJsonString(fields.claude_code_version) || this.version;
      this.model = readJsonString(fields.model) || this.model;
      if (isAgain) return [];
    }
    return readSystemEvent(fields) ?? this.#unknown.record(fields, `system/${subtype}`);
  }

  /** Reads part of a message. Messages of subagents are emitted when complete. */
  #readPiece(fields: JsonFields): AgentEventBody[] {
    const event = readJsonObject(fields.event) ?? {};
    const parent = readJsonString(fields.parent_tool_use_id);
    if (event.type === "message_start") this.#pieceOf.set(parent, readJsonString(readJsonObject(event.message)?.id));
    const id = this.#pieceOf.get(parent) ?? "";
    this.#usage.add(id, event);
    return parent === "" ? this.#readMainPiece(event, id) : [];
  }

  #readMainPiece(event: JsonFields, id: string): AgentEventBody[] {
    switch (event.type) {
      case "message_start": {
        const entered = this.#enterMessage(id);
        this.#turns.markStreamed();
        return entered;
      }
      case "content_block_start":
        this.#streamed = getBlockKind(readJsonObject(event.content_block));
        if (this.#streamed !== null) this.#spoken.startBlock(this.#streamed);
        return [];
      case "content_block_delta":
        return this.#readDelta(readJsonObject(event.delta) ?? {});
      case "content_block_stop":
        return this.#streamed === null ? [] : this.#emitText(this.#streamed, this.#spoken.flush(this.#streamed));
      case "message_stop":
        return this.#turns.endMessage(!this.#isBroken());
      default:
        return [];
    }
  }

  #readDelta(delta: JsonFields): AgentEventBody[] {
    const kind = getBlockKind(delta);
    if (kind === null) return [];
    const text = readJsonString(delta.text) || readJsonString(delta.thinking);
    return this.#emitText(kind, this.#spoken.append(kind, text));
  }

  /** The main conversation continues with this message. */
  #enterMessage(messageId: string): AgentEventBody[] {
    if (messageId === this.#turns.messageId) return [];
    const broken = this.#isBroken() ? this.#abandonMessage() : null;
    this.#said = this.response;
    this.#spoken = new TextCollector();
    this.#streamed = null;
    this.end = null;
    this.#usage.resume();
    return [...(broken ?? []), ...this.#turns.enterMessage(messageId, broken !== null)];
  }

  /** The last message was interrupted and is replaced by another. */
  #abandonMessage(): AgentEventBody[] {
    this.#usage.abandon();
    const rest = this.#streamed === null ? [] : this.#emitText(this.#streamed, this.#spoken.flush(this.#streamed));
    return [...rest, { type: "system", text: "The model's answer was interrupted and is requested again." }];
  }

  /** True for a streamed message that has no end. */
  #isBroken(): boolean {
    return this.#turns.isStreamed && this.#getFinish() === null;
  }

  /** How the last message of the main conversation ended. */
  #getFinish(): Finish | null {
    return this.#usage.getFinish(this.#turns.messageId ?? "");
  }

  #readAssistant(fields: JsonFields): AgentEventBody[] {
    const message = readJsonObject(fields.message) ?? {};
    if (message.model === SYNTHETIC_MODEL) return this.#readSynthetic(fields, message);
    const id = readJsonString(message.id);
    this.#usage.add(id, { type: "message_start", message: { ...message, content: [] } });
    const parent = readJsonString(fields.parent_tool_use_id);
    if (parent !== "") return listMessageBlocks(message).flatMap((block) => readSubagentBlock(block, parent));
    return [...this.#enterMessage(id), ...listMessageBlocks(message).flatMap((block) => this.#readBlock(block))];
  }

  #readBlock(block: JsonFields): AgentEventBody[] {
    const kind = getBlockKind(block);
    if (kind === null) return [...readToolCall(block), ...readToolResult(block)];
    const text = readJsonString(block.text) || readJsonString(block.thinking);
    return this.#emitText(kind, this.#spoken.complete(kind, text));
  }

  /** Reads a message that the program wrote in the model's name. */
  #readSynthetic(fields: JsonFields, message: JsonFields): AgentEventBody[] {
    const text = listMessageBlocks(message)
      .map((block) => readJsonString(block.text))
      .join("");
    const isError = fields.is_api_error_message === true || readJsonString(fields.error) !== "";
    return text === "" ? [] : [isError ? { type: "error", message: text } : { type: "system", text }];
  }

  #readUser(fields: JsonFields): AgentEventBody[] {
    if (fields.isReplay === true) return [];
    const blocks = listMessageBlocks(readJsonObject(fields.message));
    const parent = readJsonString(fields.parent_tool_use_id);
    if (parent !== "") return blocks.flatMap((block) => readSubagentBlock(block, parent));
    const results = blocks.flatMap(readToolResult);
    // Nobody else can speak in a run, so such texts come from the program.
    const texts = blocks.flatMap(({ type, text }): AgentEventBody[] =>
      type === "text" ? [{ type: "system", text: readJsonString(text) }] : [],
    );
    return [...(results.length > 0 ? this.#turns.endAfterResults() : []), ...results, ...texts];
  }

  #readResult(fields: JsonFields): AgentEventBody[] {
    this.#usage.end(fields);
    if (this.#isBroken()) this.#usage.abandon();
    this.end = classifyClaudeEnd(fields, this.#getFinish());
    // The result only has the last block of the answer, so it is used only when there was no text before.
    if (this.end.kind === "done") this.#said ||= readJsonString(fields.result);
    return this.#turns.close();
  }

  #emitText(kind: TextKind, text: string): AgentEventBody[] {
    if (text === "") return [];
    return [{ type: kind === "text" ? "assistant_message" : "reasoning", text }];
  }
}

/** Null for a block without text, such as a call. */
function getBlockKind(block: JsonFields | null): TextKind | null {
  return getOwn(BLOCK_KINDS, readJsonString(block?.type)) ?? null;
}

/** For versions without a status field. */
const STATUS_PATTERN = /\bAPI Error: (\d{3})\b/;

/** Determines how a run ended from its result and the model's last message. The exit code says less. */
function classifyClaudeEnd(result: JsonFields, finish: Finish | null): AgentEnd {
  const message = describeClaudeError(result);
  if (result.stop_reason === "refusal" || finish === "refused")
    return { kind: "stopped", reason: "refused", message: message || "The model declined to answer." };
  if (isLimitError(result) || finish === "truncated")
    return { kind: "stopped", reason: "truncated", message: message || "The model's answer was cut off." };
  if (result.is_error === true || readJsonString(result.subtype).startsWith("error"))
    return { kind: "failed", message: message || "The run failed.", status: findClaudeStatus(result, message) };
  return { kind: "done" };
}

/** The program's own limit on turns, dollars or the length of an answer. */
function isLimitError({ subtype, api_error: error }: JsonFields): boolean {
  return readJsonString(subtype).startsWith("error_max_") || error === "max_output_tokens";
}

function describeClaudeError({ result, errors, subtype }: JsonFields): string {
  const text = readJsonString(result) || readJsonList(errors).map(readJsonString).filter(Boolean).join(" ");
  return text || (subtype === "success" ? "" : readJsonString(subtype));
}

function findClaudeStatus({ api_error_status: status }: JsonFields, message: string): number | null {
  if (typeof status === "number") return status;
  const [, digits] = STATUS_PATTERN.exec(message) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Streamed text is emitted in chunks of this many characters, or a long text would be thousands of events. */
const MIN_FLUSH_CHARS = 400;

type TextKind = "text" | "thinking";

interface TextBlock {
  readonly kind: TextKind;
  told: string;
  /** Streamed but not emitted yet. */
  held: string;
  /** True once it also arrived complete. */
  isWhole: boolean;
}

/**
 * The texts of one message, which are streamed and then repeated as a whole: returns only what is new. The first part is
 * emitted at once, so that the time of the first text is known.
 */
class TextCollector {
  readonly #blocks: TextBlock[] = [];

  /** The text of the answer so far. */
  get text(): string {
    const texts = this.#blocks.filter(({ kind }) => kind === "text");
    return texts.map(({ told, held }) => told + held).join("");
  }

  startBlock(kind: TextKind): void {
    this.#blocks.push({ kind, told: "", held: "", isWhole: false });
  }

  /** Adds to the current block. Returns the text to emit now, often none. */
  append(kind: TextKind, text: string): string {
    const block = this.#getLastBlock(kind);
    block.held += text;
    return block.told === "" || block.held.length >= MIN_FLUSH_CHARS ? flushBlock(block) : "";
  }

  /** The current block is complete. */
  flush(kind: TextKind): string {
    return flushBlock(this.#getLastBlock(kind));
  }

  /** Adds a complete block. */
  complete(kind: TextKind, text: string): string {
    let block = this.#blocks.find((one) => one.kind === kind && !one.isWhole);
    if (block === undefined) {
      this.startBlock(kind);
      block = this.#getLastBlock(kind);
    }
    const rest = text.startsWith(block.told) ? text.slice(block.told.length) : text;
    Object.assign(block, { told: text, held: "", isWhole: true });
    return rest;
  }

  #getLastBlock(kind: TextKind): TextBlock {
    const last = this.#blocks.at(-1);
    if (last?.kind === kind) return last;
    this.startBlock(kind);
    return this.#getLastBlock(kind);
  }
}

function flushBlock(block: TextBlock): string {
  const { held } = block;
  block.told += held;
  block.held = "";
  return held;
}

/** Internal events, and events that repeat others. */
const IGNORED_SYSTEM_EVENTS = new Set([
  "status",
  "thinking_tokens",
  "background_tasks_changed",
  "task_started",
  "task_progress",
  "task_updated",
  "session_state_changed",
  "files_persisted",
  "hook_started",
  "hook_progress",
  "hook_response",
]);

/** Null for an unknown event. */
function readSystemEvent(event: JsonFields): AgentEventBody[] | null {
  const subtype = readJsonString(event.subtype);
  if (IGNORED_SYSTEM_EVENTS.has(subtype)) return [];
  if (subtype === "init") return [{ type: "system", text: describeSession(event) }];
  if (subtype === "api_retry") return [{ type: "error", message: describeRetry(event) }];
  if (subtype === "compact_boundary") return [{ type: "system", text: "The conversation was shortened." }];
  if (subtype === "model_refusal_no_fallback") return [{ type: "system", text: "The model declined to answer." }];
  const text = readJsonString(event.content) || readJsonString(event.summary);
  return text === "" ? null : [{ type: "system", text }];
}

function describeSession({ claude_code_version: version, model, permissionMode }: JsonFields): string {
  return `Claude Code ${readJsonString(version)}, model ${readJsonString(model)}, permissions ${readJsonString(permissionMode)}`;
}

function describeRetry({ attempt, max_retries: most, error_status: status, error }: JsonFields): string {
  const what = typeof status === "number" ? `status ${status}, ${readJsonString(error)}` : readJsonString(error);
  return `The model's endpoint failed (${what}); retry ${toJsonText(attempt)} of ${toJsonText(most)}.`;
}

/**
 * The turns of the main conversation, one for each message of the model. A message that replaces an interrupted one
 * belongs to the same turn.
 */
class ClaudeTurns {
  #messageId: string | null = null;
  #isOpen = false;
  #isStreamed = false;
  #isStreaming = false;

  /** The current message. */
  get messageId(): string | null {
    return this.#messageId;
  }

  /** Part of a message arrived. `isAgain`: it replaces the last one, which was interrupted. */
  enterMessage(messageId: string, isAgain: boolean): AgentEventBody[] {
    if (messageId === this.#messageId) return [];
    this.#messageId = messageId;
    this.#isStreamed = false;
    this.#isStreaming = false;
    return this.#isOpen && isAgain ? [] : [...this.close(), ...this.#open()];
  }

  /** The message is streamed, so its end is announced. */
  markStreamed(): void {
    this.#isStreamed = true;
    this.#isStreaming = true;
  }

  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** The stream of the message ended. An interrupted message leaves its turn open. */
  endMessage(isWhole: boolean): AgentEventBody[] {
    this.#isStreaming = false;
    return isWhole ? this.close() : [];
  }

  /** Tool results arrived. Results of the first calls may arrive while the last calls are still streamed. */
  endAfterResults(): AgentEventBody[] {
    return this.#isStreaming ? [] : this.close();
  }

  close(): AgentEventBody[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    return [{ type: "turn_end" }];
  }

  #open(): AgentEventBody[] {
    this.#isOpen = true;
    return [{ type: "turn_start" }];
  }
}

const TOKEN_CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

type TokenCounts = Record<(typeof TOKEN_CLASSES)[number], number>;

/** Keys of the token classes in a result's totals by model. */
const MODEL_USAGE_KEYS: Readonly<Record<(typeof TOKEN_CLASSES)[number], string>> = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  cacheWrite1h: "cacheCreationEphemeral1hInputTokens",
  reasoning: "thinkingTokens",
};

/** Adds up the usage of a run's messages and compares it with the totals at its end. */
class ClaudeUsage {
  readonly #messages = new Map<string, AnthropicAnswerReader>();
  #total: TokenCounts | null = null;
  #costUsd: number | null = null;
  #isOver = false;
  #hasAbandoned = false;

  /** Usage is repeated and grows, so within a message the largest count is used. */
  add(messageId: string, event: unknown): void {
    const message = this.#messages.get(messageId) ?? new AnthropicAnswerReader();
    this.#messages.set(messageId, message);
    message.readEvent(event);
  }

  /** How a message ended; null if it has not. */
  getFinish(messageId: string): Finish | null {
    return this.#messages.get(messageId)?.finish ?? null;
  }

  /** A message was interrupted: its final usage was never reported. */
  abandon(): void {
    this.#hasAbandoned = true;
  }

  /** The run continues after a result, for example after waiting for a background subagent. */
  resume(): void {
    this.#isOver = false;
  }

  /** Reads the result, whose totals include side calls. */
  end(result: JsonFields): void {
    this.#isOver = true;
    const byModel = Object.values(readJsonObject(result.modelUsage) ?? {});
    if (byModel.length > 0) this.#total = sumMessageUsage(byModel.map(parseModelUsage));
    const cost = result.total_cost_usd;
    if (typeof cost === "number" && cost >= 0) this.#costUsd = cost;
  }

  get figures(): AgentFigures {
    const usage = this.#sumUsage();
    // A cost of 0 without usage is an unknown cost.
    const costUsd = usage === null ? null : this.#costUsd;
    return { usage, costUsd, isPartial: !this.#isOver || this.#hasAbandoned };
  }

  /** Each source is incomplete: only the totals include side calls, only the messages include interrupted answers. */
  #sumUsage(): Usage | null {
    const told = [...this.#messages.values()].flatMap(({ usage }) => (usage === null ? [] : [usage]));
    if (told.length === 0) return this.#total === null ? null : toClaudeUsage(this.#total);
    const sum = sumMessageUsage(told);
    const total = this.#total ?? sum;
    return toClaudeUsage(mapTokenCounts((name) => Math.max(sum[name], total[name])));
  }
}

function parseModelUsage(value: unknown): TokenCounts {
  const raw = new RawUsage(readJsonObject(value) ?? {});
  return mapTokenCounts((name) => raw.readCount(MODEL_USAGE_KEYS[name]) ?? 0);
}

function sumMessageUsage(usages: readonly Usage[]): TokenCounts {
  return mapTokenCounts((name) => usages.reduce((sum, usage) => sum + (usage[name] ?? 0), 0));
}

function mapTokenCounts(count: (name: keyof TokenCounts) => number): TokenCounts {
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    cacheWrite1h: count("cacheWrite1h"),
    reasoning: count("reasoning"),
  };
}

/** Omits classes without tokens. */
function toClaudeUsage({ input, output, ...others }: TokenCounts): Usage {
  return { input, output, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}
