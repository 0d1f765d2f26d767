import { ownValue } from "../../core/own-value.js";
import { AnswerBase, deltaOf, NO_TEXT } from "./answer-base.js";
import type { Delta, Finish } from "./dialect.js";
import { type Fields, fieldsOf, jsonText, listOf, textOf } from "./fields.js";
import { errorField } from "./provider-error.js";
import { sumOf } from "./raw-usage.js";

const FINISHES: Readonly<Record<string, Finish>> = {
  max_tokens: "truncated",
  model_context_window_exceeded: "truncated",
  refusal: "refused",
  tool_use: "tool_calls",
};

/** Reads an answer of Anthropic's Messages. */
export class AnthropicReader extends AnswerBase {
  readonly #answerTool: string | undefined;
  /** True inside the block that holds the arguments of the tool that gives the answer. */
  #isAnswering = false;

  /** The tool whose arguments are the answer; those of others are hidden. */
  constructor(answerTool?: string) {
    super();
    this.#answerTool = answerTool;
  }

  readEvent(event: unknown): Delta {
    const fields = fieldsOf(event);
    switch (fields?.type) {
      case "content_block_delta":
        return this.#shown(fieldsOf(fields.delta));
      case "content_block_start":
        return this.#readBlock(fieldsOf(fields.content_block));
      case "message_start":
        return this.#readMessage(fieldsOf(fields.message));
      case "message_delta":
        return this.#readEnd(fields);
      case "message_stop":
        this.isComplete = true;
        return NO_TEXT;
      case "error":
        this.error ??= errorField(fields.error) ?? { message: "unknown error", type: null };
        return NO_TEXT;
      case "ping":
      case "content_block_stop":
        return NO_TEXT;
      default:
        return this.unknown();
    }
  }

  readWhole(body: unknown): Delta {
    const fields = fieldsOf(body);
    if (fields?.type === "error") return this.readEvent(body);
    if (fields === null || !Array.isArray(fields.content)) return this.unknown();
    this.isComplete = true;
    return this.#readMessage(fields);
  }

  #readMessage(message: Fields | null): Delta {
    if (message === null) return NO_TEXT;
    this.readModel(message.model);
    this.#readUsage(message.usage);
    this.#readReason(message.stop_reason);
    const deltas = listOf(message.content).map((block) => this.#readBlock(fieldsOf(block)));
    return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readBlock(block: Fields | null): Delta {
    this.#isAnswering = this.#answerTool !== undefined && block?.name === this.#answerTool;
    return this.#shown(block);
  }

  #shown(block: Fields | null): Delta {
    const delta = blockText(block);
    return this.#isAnswering ? deltaOf(delta.text + delta.hidden, "") : delta;
  }

  #readEnd(fields: Fields): Delta {
    this.#readUsage(fields.usage);
    this.#readReason(fieldsOf(fields.delta)?.stop_reason);
    return NO_TEXT;
  }

  #readReason(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.end(ownValue(FINISHES, reason) ?? "stop", reason);
  }

  /** Here the classes are disjoint as they come. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.open(usage);
    if (raw === null) return;
    const short = raw.count("ephemeral_5m_input_tokens", "cache_creation");
    const long = raw.count("ephemeral_1h_input_tokens", "cache_creation");
    this.fold.add(raw, {
      input: raw.count("input_tokens"),
      output: raw.count("output_tokens"),
      cacheRead: raw.count("cache_read_input_tokens"),
      cacheWrite: raw.count("cache_creation_input_tokens") ?? sumOf(short, long),
      cacheWrite1h: long,
    });
  }
}

/** The text of a content block, or of a piece of one. */
function blockText(block: Fields | null): Delta {
  if (block === null) return NO_TEXT;
  const text = textOf(block.text);
  if (text !== "") return { text, hidden: "" };
  const hidden = textOf(block.thinking) || textOf(block.partial_json) || inputText(block);
  return deltaOf("", hidden);
}

/** A tool call that comes whole has its arguments as an object; one that streams begins with an empty one. */
function inputText({ input }: Fields): string {
  const fields = fieldsOf(input);
  return fields === null || Object.keys(fields).length === 0 ? "" : jsonText(fields);
}
