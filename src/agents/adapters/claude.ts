import { ownValue } from "../../core/shape.js";
import type { Usage } from "../../core/system.js";
import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, listOf, RawUsage, textOf } from "../../models/dialects/answer-base.js";
import { AnthropicReader } from "../../models/dialects/anthropic.js";
import type { Finish } from "../../models/dialects/dialect.js";

import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentModel,
  type Launch,
  type LaunchRequest,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";

/** Enough for brief failures; its default of ten keeps a run with a wrong key busy for minutes. */
const RETRIES = "3";

const FLAGS = [
  "-p",
  "--output-format",
  "stream-json",
  "--verbose",
  "--include-partial-messages",
  "--dangerously-skip-permissions",
  "--no-session-persistence",
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
  asRoot: "as root it only runs without prompts when IS_SANDBOX=1 marks a container, so that is set",
  launch,
  reader: () => new ClaudeReader(),
};

function launch(request: LaunchRequest): Launch {
  const { model, usesOwnHome, mcp } = request;
  const named = model === null ? [] : ["--model", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      ...FLAGS,
      ...named,
      // Only the example's servers, not those of the user or the folder.
      ...(mcp === null ? [] : ["--mcp-config", mcp.file, "--strict-mcp-config"]),
      // Ends the options: the prompt may look like an option or a subcommand.
      "--",
      request.prompt,
    ],
    env: envOf(request),
    homeFiles: {},
  };
}

function envOf({ gateway, key, model, usesOwnHome, isRoot }: LaunchRequest): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: gateway.anthropic,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_MAX_RETRIES: RETRIES,
    // As root it skips permission prompts only in a sandbox. A list of allowed tools would work too, but root would then be
    // asked more often than other users, and measured differently.
    ...(isRoot ? { IS_SANDBOX: "1" } : {}),
    ...(usesOwnHome ? {} : { ANTHROPIC_API_KEY: key, ...(model === null ? {} : sideModels(model)) }),
  };
}

/** Default models of side calls and subagents; versions before 2 read the last variable. */
const SIDE_MODELS = [
  "CLAUDE_CODE_SUBAGENT_MODEL",
  "ANTHROPIC_DEFAULT_FABLE_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
];

/** Only one model is measured; others may not exist at the endpoint or have no price. */
function sideModels({ name }: AgentModel): Record<string, string> {
  return Object.fromEntries(SIDE_MODELS.map((variable) => [variable, name]));
}

/** The model name of messages written by the program itself, mostly errors. */
const SYNTHETIC = "<synthetic>";

/** Known events that are not part of the work. */
const QUIET = new Set(["keep_alive", "tool_progress", "rate_limit_event", "auth_status", "prompt_suggestion"]);

const KINDS: Readonly<Record<string, SpokenKind>> = {
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
  #spoken = new Spoken();
  /** The last text of earlier messages. */
  #said = "";
  /** The current message of each subagent, by the call that started it; "" for the main conversation. */
  readonly #pieceOf = new Map<string, string>();
  /** The kind of the block being streamed; null for one that is emitted when complete. */
  #streamed: SpokenKind | null = null;

  get response(): string {
    return this.#spoken.text || this.#said;
  }

  get figures(): AgentFigures {
    return this.#usage.figures;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
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
        return QUIET.has(textOf(fields.type)) ? [] : this.#unknown.tell(event, textOf(fields.type));
    }
  }

  #readSystem(fields: Fields): AgentHappening[] {
    const subtype = textOf(fields.subtype);
    if (subtype === "init") {
      const isAgain = this.version !== null;
      this.version = textOf(fields.claude_code_version) || this.version;
      this.model = textOf(fields.model) || this.model;
      if (isAgain) return [];
    }
    return systemHappenings(fields) ?? this.#unknown.tell(fields, `system/${subtype}`);
  }

  /** Reads part of a message. Messages of subagents are emitted when complete. */
  #readPiece(fields: Fields): AgentHappening[] {
    const event = fieldsOf(fields.event) ?? {};
    const parent = textOf(fields.parent_tool_use_id);
    if (event.type === "message_start") this.#pieceOf.set(parent, textOf(fieldsOf(event.message)?.id));
    const id = this.#pieceOf.get(parent) ?? "";
    this.#usage.add(id, event);
    return parent === "" ? this.#readMainPiece(event, id) : [];
  }

  #readMainPiece(event: Fields, id: string): AgentHappening[] {
    switch (event.type) {
      case "message_start": {
        const entered = this.#enter(id);
        this.#turns.stream();
        return entered;
      }
      case "content_block_start":
        this.#streamed = kindOf(fieldsOf(event.content_block));
        if (this.#streamed !== null) this.#spoken.begin(this.#streamed);
        return [];
      case "content_block_delta":
        return this.#readDelta(fieldsOf(event.delta) ?? {});
      case "content_block_stop":
        return this.#streamed === null ? [] : this.#say(this.#streamed, this.#spoken.stop(this.#streamed));
      case "message_stop":
        return this.#turns.stop(!this.#isBroken());
      default:
        return [];
    }
  }

  #readDelta(delta: Fields): AgentHappening[] {
    const kind = kindOf(delta);
    if (kind === null) return [];
    const text = textOf(delta.text) || textOf(delta.thinking);
    return this.#say(kind, this.#spoken.piece(kind, text));
  }

  /** The main conversation continues with this message. */
  #enter(messageId: string): AgentHappening[] {
    if (messageId === this.#turns.messageId) return [];
    const broken = this.#isBroken() ? this.#abandon() : null;
    this.#said = this.response;
    this.#spoken = new Spoken();
    this.#streamed = null;
    this.end = null;
    this.#usage.goOn();
    return [...(broken ?? []), ...this.#turns.enter(messageId, broken !== null)];
  }

  /** The last message was interrupted and is replaced by another. */
  #abandon(): AgentHappening[] {
    this.#usage.abandon();
    const rest = this.#streamed === null ? [] : this.#say(this.#streamed, this.#spoken.stop(this.#streamed));
    return [...rest, { type: "system", text: "The model's answer was interrupted and is requested again." }];
  }

  /** True for a streamed message that has no end. */
  #isBroken(): boolean {
    return this.#turns.isStreamed && this.#finish() === null;
  }

  /** How the last message of the main conversation ended. */
  #finish(): Finish | null {
    return this.#usage.finishOf(this.#turns.messageId ?? "");
  }

  #readAssistant(fields: Fields): AgentHappening[] {
    const message = fieldsOf(fields.message) ?? {};
    if (message.model === SYNTHETIC) return this.#readSynthetic(fields, message);
    const id = textOf(message.id);
    this.#usage.add(id, { type: "message_start", message: { ...message, content: [] } });
    const parent = textOf(fields.parent_tool_use_id);
    if (parent !== "") return blocksOf(message).flatMap((block) => subHappenings(block, parent));
    return [...this.#enter(id), ...blocksOf(message).flatMap((block) => this.#readBlock(block))];
  }

  #readBlock(block: Fields): AgentHappening[] {
    const kind = kindOf(block);
    if (kind === null) return [...callIn(block), ...resultIn(block)];
    const text = textOf(block.text) || textOf(block.thinking);
    return this.#say(kind, this.#spoken.whole(kind, text));
  }

  /** Reads a message that the program wrote in the model's name. */
  #readSynthetic(fields: Fields, message: Fields): AgentHappening[] {
    const text = blocksOf(message)
      .map((block) => textOf(block.text))
      .join("");
    const isError = fields.is_api_error_message === true || textOf(fields.error) !== "";
    return text === "" ? [] : [isError ? { type: "error", message: text } : { type: "system", text }];
  }

  #readUser(fields: Fields): AgentHappening[] {
    if (fields.isReplay === true) return [];
    const blocks = blocksOf(fieldsOf(fields.message));
    const parent = textOf(fields.parent_tool_use_id);
    if (parent !== "") return blocks.flatMap((block) => subHappenings(block, parent));
    const results = blocks.flatMap(resultIn);
    // Nobody else can speak in a run, so such texts come from the program.
    const texts = blocks.flatMap(({ type, text }): AgentHappening[] =>
      type === "text" ? [{ type: "system", text: textOf(text) }] : [],
    );
    return [...(results.length > 0 ? this.#turns.results() : []), ...results, ...texts];
  }

  #readResult(fields: Fields): AgentHappening[] {
    this.#usage.end(fields);
    if (this.#isBroken()) this.#usage.abandon();
    this.end = endOf(fields, this.#finish());
    // The result only has the last block of the answer, so it is used only when there was no text before.
    if (this.end.kind === "done") this.#said ||= textOf(fields.result);
    return this.#turns.close();
  }

  #say(kind: SpokenKind, text: string): AgentHappening[] {
    if (text === "") return [];
    return [{ type: kind === "text" ? "assistant_message" : "reasoning", text }];
  }
}

/** Null for a block without text, such as a call. */
function kindOf(block: Fields | null): SpokenKind | null {
  return ownValue(KINDS, textOf(block?.type)) ?? null;
}

/** Events of a subagent. Its texts are not answers of the main conversation. */
function subHappenings(block: Fields, parentCallId: string): AgentHappening[] {
  const happenings = [...callIn(block), ...resultIn(block)];
  const text = textOf(block.text) || textOf(block.thinking);
  return text === "" ? happenings : [{ type: "custom", name: "subagent_message", data: { parentCallId, text } }];
}

/** A call of a local or hosted tool; empty for other blocks. */
function callIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_use")) return [];
  return [{ type: "tool_call", name: textOf(block.name), callId: textOf(block.id), arguments: block.input ?? {} }];
}

/** A tool result; empty for other blocks. */
function resultIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_result")) return [];
  const success = block.is_error !== true;
  return [{ type: "tool_result", callId: textOf(block.tool_use_id), success, result: contentText(block.content) }];
}

/** The blocks of a message, whose content may be a plain string. */
function blocksOf(message: Fields | null): Fields[] {
  const content = message?.content;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return listOf(content)
    .map(fieldsOf)
    .filter((block) => block !== null);
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(partText).join("\n") : jsonText(content);
}

/** Images are named but not kept; their files are in the folder. */
function partText(part: unknown): string {
  const fields = fieldsOf(part);
  if (fields === null) return textOf(part);
  if (fields.type === "text") return textOf(fields.text);
  return fields.type === "image" ? "[image]" : jsonText(fields);
}

/** For versions without a status field. */
const STATUS = /\bAPI Error: (\d{3})\b/;

/** Determines how a run ended from its result and the model's last message. The exit code says less. */
function endOf(result: Fields, finish: Finish | null): AgentEnd {
  const message = messageIn(result);
  if (result.stop_reason === "refusal" || finish === "refused")
    return { kind: "stopped", reason: "refused", message: message || "The model declined to answer." };
  if (isLimit(result) || finish === "truncated")
    return { kind: "stopped", reason: "truncated", message: message || "The model's answer was cut off." };
  if (result.is_error === true || textOf(result.subtype).startsWith("error"))
    return { kind: "failed", message: message || "The run failed.", status: statusIn(result, message) };
  return { kind: "done" };
}

/** The program's own limit on turns, dollars or the length of an answer. */
function isLimit({ subtype, api_error: error }: Fields): boolean {
  return textOf(subtype).startsWith("error_max_") || error === "max_output_tokens";
}

function messageIn({ result, errors, subtype }: Fields): string {
  const text = textOf(result) || listOf(errors).map(textOf).filter(Boolean).join(" ");
  return text || (subtype === "success" ? "" : textOf(subtype));
}

function statusIn({ api_error_status: status }: Fields, message: string): number | null {
  if (typeof status === "number") return status;
  const [, digits] = STATUS.exec(message) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** Streamed text is emitted in chunks of this many characters, or a long text would be thousands of events. */
const STRETCH = 400;

type SpokenKind = "text" | "thinking";

interface Block {
  readonly kind: SpokenKind;
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
class Spoken {
  readonly #blocks: Block[] = [];

  /** The text of the answer so far. */
  get text(): string {
    const texts = this.#blocks.filter(({ kind }) => kind === "text");
    return texts.map(({ told, held }) => told + held).join("");
  }

  begin(kind: SpokenKind): void {
    this.#blocks.push({ kind, told: "", held: "", isWhole: false });
  }

  /** Adds to the current block. Returns the text to emit now, often none. */
  piece(kind: SpokenKind, text: string): string {
    const block = this.#last(kind);
    block.held += text;
    return block.told === "" || block.held.length >= STRETCH ? tell(block) : "";
  }

  /** The current block is complete. */
  stop(kind: SpokenKind): string {
    return tell(this.#last(kind));
  }

  /** Adds a complete block. */
  whole(kind: SpokenKind, text: string): string {
    let block = this.#blocks.find((one) => one.kind === kind && !one.isWhole);
    if (block === undefined) {
      this.begin(kind);
      block = this.#last(kind);
    }
    const rest = text.startsWith(block.told) ? text.slice(block.told.length) : text;
    Object.assign(block, { told: text, held: "", isWhole: true });
    return rest;
  }

  #last(kind: SpokenKind): Block {
    const last = this.#blocks.at(-1);
    if (last?.kind === kind) return last;
    this.begin(kind);
    return this.#last(kind);
  }
}

function tell(block: Block): string {
  const { held } = block;
  block.told += held;
  block.held = "";
  return held;
}

/** Internal events, and events that repeat others. */
const QUIET_SYSTEM_EVENTS = new Set([
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
function systemHappenings(event: Fields): AgentHappening[] | null {
  const subtype = textOf(event.subtype);
  if (QUIET_SYSTEM_EVENTS.has(subtype)) return [];
  if (subtype === "init") return [{ type: "system", text: introduction(event) }];
  if (subtype === "api_retry") return [{ type: "error", message: retryText(event) }];
  if (subtype === "compact_boundary") return [{ type: "system", text: "The conversation was shortened." }];
  if (subtype === "model_refusal_no_fallback") return [{ type: "system", text: "The model declined to answer." }];
  const text = textOf(event.content) || textOf(event.summary);
  return text === "" ? null : [{ type: "system", text }];
}

function introduction({ claude_code_version: version, model, permissionMode }: Fields): string {
  return `Claude Code ${textOf(version)}, model ${textOf(model)}, permissions ${textOf(permissionMode)}`;
}

function retryText({ attempt, max_retries: most, error_status: status, error }: Fields): string {
  const what = typeof status === "number" ? `status ${status}, ${textOf(error)}` : textOf(error);
  return `The model's endpoint failed (${what}); retry ${jsonText(attempt)} of ${jsonText(most)}.`;
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
  enter(messageId: string, isAgain: boolean): AgentHappening[] {
    if (messageId === this.#messageId) return [];
    this.#messageId = messageId;
    this.#isStreamed = false;
    this.#isStreaming = false;
    return this.#isOpen && isAgain ? [] : [...this.close(), ...this.#open()];
  }

  /** The message is streamed, so its end is announced. */
  stream(): void {
    this.#isStreamed = true;
    this.#isStreaming = true;
  }

  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** The stream of the message ended. An interrupted message leaves its turn open. */
  stop(isWhole: boolean): AgentHappening[] {
    this.#isStreaming = false;
    return isWhole ? this.close() : [];
  }

  /** Tool results arrived. Results of the first calls may arrive while the last calls are still streamed. */
  results(): AgentHappening[] {
    return this.#isStreaming ? [] : this.close();
  }

  close(): AgentHappening[] {
    if (!this.#isOpen) return [];
    this.#isOpen = false;
    return [{ type: "turn_end" }];
  }

  #open(): AgentHappening[] {
    this.#isOpen = true;
    return [{ type: "turn_start" }];
  }
}

const CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

type Counts = Record<(typeof CLASSES)[number], number>;

/** Keys of the token classes in a result's totals by model. */
const MODEL_USAGE: Readonly<Record<(typeof CLASSES)[number], string>> = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  cacheWrite1h: "cacheCreationEphemeral1hInputTokens",
  reasoning: "thinkingTokens",
};

/** Adds up the usage of a run's messages and compares it with the totals at its end. */
class ClaudeUsage {
  readonly #messages = new Map<string, AnthropicReader>();
  #total: Counts | null = null;
  #costUsd: number | null = null;
  #isOver = false;
  #hasAbandoned = false;

  /** Usage is repeated and grows, so within a message the largest count is used. */
  add(messageId: string, event: unknown): void {
    const message = this.#messages.get(messageId) ?? new AnthropicReader();
    this.#messages.set(messageId, message);
    message.readEvent(event);
  }

  /** How a message ended; null if it has not. */
  finishOf(messageId: string): Finish | null {
    return this.#messages.get(messageId)?.finish ?? null;
  }

  /** A message was interrupted: its final usage was never reported. */
  abandon(): void {
    this.#hasAbandoned = true;
  }

  /** The run continues after a result, for example after waiting for a background subagent. */
  goOn(): void {
    this.#isOver = false;
  }

  /** Reads the result, whose totals include side calls. */
  end(result: Fields): void {
    this.#isOver = true;
    const byModel = Object.values(fieldsOf(result.modelUsage) ?? {});
    if (byModel.length > 0) this.#total = sumOf(byModel.map(countsOfModel));
    const cost = result.total_cost_usd;
    if (typeof cost === "number" && cost >= 0) this.#costUsd = cost;
  }

  get figures(): AgentFigures {
    const usage = this.#usage();
    // A cost of 0 without usage is an unknown cost.
    const costUsd = usage === null ? null : this.#costUsd;
    return { usage, costUsd, isPartial: !this.#isOver || this.#hasAbandoned };
  }

  /** Each source is incomplete: only the totals include side calls, only the messages include interrupted answers. */
  #usage(): Usage | null {
    const told = [...this.#messages.values()].flatMap(({ usage }) => (usage === null ? [] : [usage]));
    if (told.length === 0) return this.#total === null ? null : usageOf(this.#total);
    const sum = sumOf(told);
    const total = this.#total ?? sum;
    return usageOf(countsBy((name) => Math.max(sum[name], total[name])));
  }
}

function countsOfModel(value: unknown): Counts {
  const raw = new RawUsage(fieldsOf(value) ?? {});
  return countsBy((name) => raw.count(MODEL_USAGE[name]) ?? 0);
}

function sumOf(usages: readonly Usage[]): Counts {
  return countsBy((name) => usages.reduce((sum, usage) => sum + (usage[name] ?? 0), 0));
}

function countsBy(count: (name: keyof Counts) => number): Counts {
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
function usageOf({ input, output, ...others }: Counts): Usage {
  return { input, output, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}
