import { ownValue } from "../../core/own-value.js";
import type { AgentHappening } from "../../core/trajectory.js";
import type { Finish } from "../../models/dialects/dialect.js";
import { type Fields, fieldsOf, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd, AgentFigures, StreamReader } from "../adapter.js";
import { UnknownEvents } from "../unknown-events.js";
import { blocksOf, callIn, resultIn } from "./blocks.js";
import { endOf } from "./ending.js";
import { Spoken, type SpokenKind } from "./spoken.js";
import { systemHappenings } from "./system-events.js";
import { ClaudeTurns } from "./turns.js";
import { ClaudeUsage } from "./usage.js";

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
export class ClaudeReader implements StreamReader {
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
