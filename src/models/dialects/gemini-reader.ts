import { ownValue } from "../../core/own-value.js";
import { AnswerBase, deltaOf, NO_TEXT } from "./answer-base.js";
import type { Delta, Finish } from "./dialect.js";
import { type Fields, fieldsOf, jsonText, listOf, textOf } from "./fields.js";
import { errorField } from "./provider-error.js";
import { sumOf } from "./raw-usage.js";

const FINISHES: Readonly<Record<string, Finish>> = {
  MAX_TOKENS: "truncated",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  IMAGE_SAFETY: "refused",
};

/** Reads an answer of Gemini, whose events have the same shape as a whole answer. */
export class GeminiReader extends AnswerBase {
  #hasCalls = false;

  readEvent(event: unknown): Delta {
    const fields = fieldsOf(event);
    if (fields === null || !isKnown(fields)) return this.unknown();
    this.readModel(fields.modelVersion);
    this.error ??= errorField(fields.error);
    this.#readUsage(fields.usageMetadata);
    this.#readBlock(fieldsOf(fields.promptFeedback));
    const candidates = listOf(fields.candidates);
    if (candidates.length === 1) return this.#readCandidate(candidates[0]);
    return joined(candidates.map((candidate) => this.#readCandidate(candidate)));
  }

  /** Without `alt=sse` a stream is one list of answers. */
  readWhole(body: unknown): Delta {
    const delta = Array.isArray(body) ? joined(body.map((part) => this.readEvent(part))) : this.readEvent(body);
    this.isComplete ||= this.unknownEvents === 0;
    return delta;
  }

  #readCandidate(candidate: unknown): Delta {
    const fields = fieldsOf(candidate);
    if (fields === null) return NO_TEXT;
    const delta = this.#readParts(listOf(fieldsOf(fields.content)?.parts));
    // With several candidates the first is the answer; the others are paid for all the same.
    if (typeof fields.index === "number" && fields.index > 0) return deltaOf("", delta.text + delta.hidden);
    this.#readFinish(fields.finishReason);
    return delta;
  }

  #readParts(parts: readonly unknown[]): Delta {
    let text = "";
    let hidden = "";
    for (const part of parts) {
      const fields = fieldsOf(part);
      if (fields?.thought === true) hidden += textOf(fields.text);
      else text += textOf(fields?.text);
      const call = fieldsOf(fields?.functionCall);
      if (call === null) continue;
      this.#hasCalls = true;
      hidden += jsonText(call.args ?? {});
    }
    return deltaOf(text, hidden);
  }

  #readFinish(reason: unknown): void {
    if (typeof reason !== "string" || reason === "") return;
    this.isComplete = true;
    const usual = this.#hasCalls ? "tool_calls" : "stop";
    this.end(ownValue(FINISHES, reason) ?? usual, reason);
  }

  #readBlock(feedback: Fields | null): void {
    const reason = textOf(feedback?.blockReason);
    if (reason === "") return;
    this.isComplete = true;
    this.end("refused", reason);
  }

  /** The prompt includes what was cached; thoughts are billed as output, and come beside it. */
  #readUsage(usage: unknown): void {
    const raw = this.fold.open(usage);
    if (raw === null) return;
    const cacheRead = raw.count("cachedContentTokenCount");
    const prompt = sumOf(raw.count("promptTokenCount"), raw.count("toolUsePromptTokenCount"));
    const reasoning = raw.count("thoughtsTokenCount");
    const input = prompt === undefined ? undefined : prompt - (cacheRead ?? 0);
    const output = sumOf(raw.count("candidatesTokenCount"), reasoning);
    this.fold.add(raw, { input, output, cacheRead, reasoning });
  }
}

function isKnown(fields: Fields): boolean {
  const { candidates, usageMetadata, promptFeedback, error } = fields;
  return Array.isArray(candidates) || usageMetadata != null || promptFeedback != null || error != null;
}

function joined(deltas: readonly Delta[]): Delta {
  return deltaOf(deltas.map(({ text }) => text).join(""), deltas.map(({ hidden }) => hidden).join(""));
}
