import { ownValue } from "../../core/own-value.js";
import { AnswerBase, deltaOf, NO_TEXT } from "./answer-base.js";
import type { Delta, Finish } from "./dialect.js";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.js";
import { addOpenAiUsage } from "./openai-usage.js";
import { errorField } from "./provider-error.js";

const NAMES = { input: "prompt_tokens", output: "completion_tokens" };

const FINISHES: Readonly<Record<string, Finish>> = {
  length: "truncated",
  max_tokens: "truncated",
  content_filter: "refused",
  refusal: "refused",
  tool_calls: "tool_calls",
  function_call: "tool_calls",
};

/** What ends a stream, in the place of an event. */
const DONE = "[DONE]";

/** Reads an answer of Chat Completions, or of what came before them and embeddings, which tell usage alike. Its stream ends with the text `[DONE]`, which is handed over as it is. */
export class ChatReader extends AnswerBase {
  readEvent(event: unknown): Delta {
    if (event === DONE) {
      this.isComplete = true;
      return NO_TEXT;
    }
    return this.#read(event, "delta");
  }

  readWhole(body: unknown): Delta {
    const delta = this.#read(body, "message");
    this.isComplete = this.unknownEvents === 0;
    return delta;
  }

  #read(body: unknown, part: "delta" | "message"): Delta {
    const fields = fieldsOf(body);
    if (fields === null || !isKnown(fields)) return this.unknown();
    this.readModel(fields.model);
    this.error ??= errorField(fields.error);
    addOpenAiUsage(this.fold, fields.usage, NAMES);
    const choices = listOf(fields.choices);
    if (choices.length === 1) return this.#readChoice(choices[0], part);
    const deltas = choices.map((choice) => this.#readChoice(choice, part));
    return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
  }

  #readChoice(choice: unknown, part: "delta" | "message"): Delta {
    const fields = fieldsOf(choice);
    if (fields === null) return NO_TEXT;
    const message = this.#readMessage(fieldsOf(fields[part]));
    // Completions of old have their text in the choice itself.
    const delta = typeof fields.text === "string" ? deltaOf(fields.text + message.text, message.hidden) : message;
    // With several choices the first is the answer; the others are paid for all the same.
    const isOther = typeof fields.index === "number" && fields.index > 0;
    if (isOther) return deltaOf("", delta.text + delta.hidden);
    this.#readFinish(fields.finish_reason);
    return delta;
  }

  #readMessage(message: Fields | null): Delta {
    if (message === null) return NO_TEXT;
    const { content } = message;
    const refusal = textOf(message.refusal);
    if (refusal !== "") this.end("refused", null);
    const reasoning = textOf(message.reasoning_content) || textOf(message.reasoning);
    const calls = callArguments(message);
    if (typeof content === "string") return deltaOf(content + refusal, reasoning + calls);
    const parts = partsOf(content);
    return deltaOf(parts.text + refusal, parts.hidden + reasoning + calls);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    this.end(ownValue(FINISHES, reason) ?? "stop", reason);
  }
}

function isKnown(fields: Fields): boolean {
  return Array.isArray(fields.choices) || fields.usage != null || fields.error != null;
}

function callArguments(message: Fields): string {
  if (message.tool_calls == null && message.function_call == null) return "";
  const calls = [...listOf(message.tool_calls).map((call) => fieldsOf(call)?.function), message.function_call];
  return calls.map((call) => textOf(fieldsOf(call)?.arguments)).join("");
}

/** Mistral gives the content in parts when it thinks. */
function partsOf(content: unknown): Delta {
  let text = "";
  let hidden = "";
  for (const part of listOf(content)) {
    const fields = fieldsOf(part);
    if (fields?.type === "thinking") hidden += thoughtsIn(fields.thinking);
    else text += textOf(fields?.text);
  }
  return { text, hidden };
}

function thoughtsIn(thinking: unknown): string {
  if (typeof thinking === "string") return thinking;
  return listOf(thinking)
    .map((part) => textOf(fieldsOf(part)?.text))
    .join("");
}
