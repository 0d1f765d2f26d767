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

/** Enough for a hiccup; the ten it makes by itself keep a run whose key is wrong busy for minutes. */
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
  asRoot: "it refuses to run unasked as root unless IS_SANDBOX=1 says that this is a container: it is set",
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
      // Those of the example and no others: neither the user's nor the folder's.
      ...(mcp === null ? [] : ["--mcp-config", mcp.file, "--strict-mcp-config"]),
      // What follows is no option and no subcommand, whatever it is.
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
    // Root may leave out the questions only in a place that is said to be isolated. A list of allowed tools would do
    // without, but then root would be asked about more than others are, and measured differently.
    ...(isRoot ? { IS_SANDBOX: "1" } : {}),
    ...(usesOwnHome ? {} : { ANTHROPIC_API_KEY: key, ...(model === null ? {} : sideModels(model)) }),
  };
}

/** Whom side calls and sub-agents use unless told; versions before 2 read the last. */
const SIDE_MODELS = [
  "CLAUDE_CODE_SUBAGENT_MODEL",
  "ANTHROPIC_DEFAULT_FABLE_MODEL",
  "ANTHROPIC_DEFAULT_OPUS_MODEL",
  "ANTHROPIC_DEFAULT_SONNET_MODEL",
  "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  "ANTHROPIC_SMALL_FAST_MODEL",
];

/** One model is measured: others may not be there, or have no price. */
function sideModels({ name }: AgentModel): Record<string, string> {
  return Object.fromEntries(SIDE_MODELS.map((variable) => [variable, name]));
}

/** In the name of the model, but written by the program: mostly what went wrong. */
const SYNTHETIC = "<synthetic>";

/** Known, and nothing that happened in the work. */
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
  /** What messages before this one said last. */
  #said = "";
  /** The message that pieces are of, by the call that a sub-agent was started with; "" for the main conversation. */
  readonly #pieceOf = new Map<string, string>();
  /** The kind of the block that comes in pieces; null for one that is told when it is whole. */
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

  /** A piece of a message. Those of sub-agents are told when they are whole. */
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

  /** The main conversation goes on, with this message or with the next. */
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

  /** The last message broke off, and another takes its place. */
  #abandon(): AgentHappening[] {
    this.#usage.abandon();
    const rest = this.#streamed === null ? [] : this.#say(this.#streamed, this.#spoken.stop(this.#streamed));
    return [...rest, { type: "system", text: "The model's answer broke off and is asked for again." }];
  }

  /** True for a message that came in pieces and has not said how it ends. */
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

  /** What the program says in the model's place. */
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
    // Nobody else is there to say anything: such texts are the program's own.
    const texts = blocks.flatMap(({ type, text }): AgentHappening[] =>
      type === "text" ? [{ type: "system", text: textOf(text) }] : [],
    );
    return [...(results.length > 0 ? this.#turns.results() : []), ...results, ...texts];
  }

  #readResult(fields: Fields): AgentHappening[] {
    this.#usage.end(fields);
    if (this.#isBroken()) this.#usage.abandon();
    this.end = endOf(fields, this.#finish());
    // The result holds the last block of the answer only: it counts when nothing was said before.
    if (this.end.kind === "done") this.#said ||= textOf(fields.result);
    return this.#turns.close();
  }

  #say(kind: SpokenKind, text: string): AgentHappening[] {
    if (text === "") return [];
    return [{ type: kind === "text" ? "assistant_message" : "reasoning", text }];
  }
}

/** Null for a block that is not said, such as a call. */
function kindOf(block: Fields | null): SpokenKind | null {
  return ownValue(KINDS, textOf(block?.type)) ?? null;
}

/** What a sub-agent does. Its texts are no answers of the main conversation. */
function subHappenings(block: Fields, parentCallId: string): AgentHappening[] {
  const happenings = [...callIn(block), ...resultIn(block)];
  const text = textOf(block.text) || textOf(block.thinking);
  return text === "" ? happenings : [{ type: "custom", name: "subagent_message", data: { parentCallId, text } }];
}

/** The call of a tool, ours or the provider's; nothing for another block. */
function callIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_use")) return [];
  return [{ type: "tool_call", name: textOf(block.name), callId: textOf(block.id), arguments: block.input ?? {} }];
}

/** What a tool gave back; nothing for another block. */
function resultIn(block: Fields): AgentHappening[] {
  if (!textOf(block.type).endsWith("tool_result")) return [];
  const success = block.is_error !== true;
  return [{ type: "tool_result", callId: textOf(block.tool_use_id), success, result: contentText(block.content) }];
}

/** The blocks of a message, whose content may be a mere text. */
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

/** An image is named, not kept: its bytes are in the folder it was read from. */
function partText(part: unknown): string {
  const fields = fieldsOf(part);
  if (fields === null) return textOf(part);
  if (fields.type === "text") return textOf(fields.text);
  return fields.type === "image" ? "[image]" : jsonText(fields);
}

/** In the words of versions that give no status of its own. */
const STATUS = /\bAPI Error: (\d{3})\b/;

/** How a run ended, by its result and by how the model's last message did. The exit code says less. */
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

/** A limit on turns, on dollars or on the length of an answer, set for the program itself. */
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

/** Pieces are told in stretches of this many characters: one at a time, a long text would be thousands of events. */
const STRETCH = 400;

/** What a block of a message holds. */
type SpokenKind = "text" | "thinking";

interface Block {
  readonly kind: SpokenKind;
  told: string;
  /** Came in pieces and is not told yet. */
  held: string;
  /** It came whole as well. */
  isWhole: boolean;
}

/**
 * The texts of one message, which come in pieces and then once more as a whole: says what of each is new. The first
 * piece is told at once, so that the moment of the first text is known.
 */
class Spoken {
  readonly #blocks: Block[] = [];

  /** What was said for the reader, as far as it came. */
  get text(): string {
    const texts = this.#blocks.filter(({ kind }) => kind === "text");
    return texts.map(({ told, held }) => told + held).join("");
  }

  begin(kind: SpokenKind): void {
    this.#blocks.push({ kind, told: "", held: "", isWhole: false });
  }

  /** A piece of the block that was begun last. Gives what is to be told now, often nothing. */
  piece(kind: SpokenKind, text: string): string {
    const block = this.#last(kind);
    block.held += text;
    return block.told === "" || block.held.length >= STRETCH ? tell(block) : "";
  }

  /** The block that was begun last is complete. */
  stop(kind: SpokenKind): string {
    return tell(this.#last(kind));
  }

  /** A block as a whole. */
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

/** What the program does for itself, or tells by other events as well. */
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

/** What the program says of itself; null for something that is not known. */
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
 * The turns of the main conversation: one for each message of the model. A message that takes the place of one that
 * broke off is of the same turn.
 */
class ClaudeTurns {
  #messageId: string | null = null;
  #isOpen = false;
  #isStreamed = false;
  #isStreaming = false;

  /** The message that was begun last. */
  get messageId(): string | null {
    return this.#messageId;
  }

  /** A part of a message came. `isAgain`: in place of the last one, which broke off. */
  enter(messageId: string, isAgain: boolean): AgentHappening[] {
    if (messageId === this.#messageId) return [];
    this.#messageId = messageId;
    this.#isStreamed = false;
    this.#isStreaming = false;
    return this.#isOpen && isAgain ? [] : [...this.close(), ...this.#open()];
  }

  /** The message comes in pieces: it says itself when it is over. */
  stream(): void {
    this.#isStreamed = true;
    this.#isStreaming = true;
  }

  /** True for a message that came in pieces. */
  get isStreamed(): boolean {
    return this.#isStreamed;
  }

  /** The last piece came. One that broke off leaves its turn open. */
  stop(isWhole: boolean): AgentHappening[] {
    this.#isStreaming = false;
    return isWhole ? this.close() : [];
  }

  /** Results came back. Those of the first calls may come while the last are still being written. */
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

/** The names of the classes in a result's totals by model. */
const MODEL_USAGE: Readonly<Record<(typeof CLASSES)[number], string>> = {
  input: "inputTokens",
  output: "outputTokens",
  cacheRead: "cacheReadInputTokens",
  cacheWrite: "cacheCreationInputTokens",
  cacheWrite1h: "cacheCreationEphemeral1hInputTokens",
  reasoning: "thinkingTokens",
};

/** Adds up what the messages of a run used, and holds it against the totals that the run ends with. */
class ClaudeUsage {
  readonly #messages = new Map<string, AnthropicReader>();
  #total: Counts | null = null;
  #costUsd: number | null = null;
  #isOver = false;
  #hasAbandoned = false;

  /** Takes in an event of the model's own answer. Usage is repeated and grows: inside a message the largest counts. */
  add(messageId: string, event: unknown): void {
    const message = this.#messages.get(messageId) ?? new AnthropicReader();
    this.#messages.set(messageId, message);
    message.readEvent(event);
  }

  /** How a message ended; null while it has not. */
  finishOf(messageId: string): Finish | null {
    return this.#messages.get(messageId)?.finish ?? null;
  }

  /** A message broke off: what it used in the end was never told. */
  abandon(): void {
    this.#hasAbandoned = true;
  }

  /** There is more to come after a result, as when a sub-agent in the background was waited for. */
  goOn(): void {
    this.#isOver = false;
  }

  /** Takes in the result, whose totals are of all of the run, side calls included. */
  end(result: Fields): void {
    this.#isOver = true;
    const byModel = Object.values(fieldsOf(result.modelUsage) ?? {});
    if (byModel.length > 0) this.#total = sumOf(byModel.map(countsOfModel));
    const cost = result.total_cost_usd;
    if (typeof cost === "number" && cost >= 0) this.#costUsd = cost;
  }

  get figures(): AgentFigures {
    const usage = this.#usage();
    // A cost of 0 without any usage is a cost that nobody knows.
    const costUsd = usage === null ? null : this.#costUsd;
    return { usage, costUsd, isPartial: !this.#isOver || this.#hasAbandoned };
  }

  /** Each leaves out what the other has: the totals know of side calls, the messages of answers that broke off. */
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

/** Without the classes that nothing was counted in. */
function usageOf({ input, output, ...others }: Counts): Usage {
  return { input, output, ...Object.fromEntries(Object.entries(others).filter(([, count]) => count > 0)) };
}
