import type { Usage } from "../../core/system.js";
import type { AnswerReader, Delta, Finish, ModelRequest, ProviderError } from "./dialect.js";
import { UsageFold } from "./usage.js";

/** What an event without text adds; one object for all of them, because they are many. */
export const NO_TEXT: Delta = Object.freeze({ text: "", hidden: "" });

/** The part of reading an answer that all dialects share. */
export abstract class AnswerBase implements AnswerReader {
  finish: Finish | null = null;
  finishReason: string | null = null;
  error: ProviderError | null = null;
  isComplete = false;
  model: string | null = null;
  unknownEvents = 0;
  protected readonly fold = new UsageFold();

  abstract readEvent(event: unknown): Delta;
  abstract readWhole(body: unknown): Delta;

  get usage(): Usage | null {
    return this.fold.usage;
  }

  get costUsd(): number | null {
    return this.fold.costUsd;
  }

  get problems(): readonly string[] {
    return this.fold.problems;
  }

  protected readModel(model: unknown): void {
    if (typeof model === "string" && model !== "") this.model = model;
  }

  /** A refusal stays one, whatever word the provider ends with. */
  protected end(finish: Finish, reason: string | null): void {
    if (this.finish !== "refused") this.finish = finish;
    if (reason !== null) this.finishReason = reason;
  }

  protected unknown(): Delta {
    this.unknownEvents += 1;
    return NO_TEXT;
  }
}

export function deltaOf(text: string, hidden: string): Delta {
  return text === "" && hidden === "" ? NO_TEXT : { text, hidden };
}

/**
 * A body with what the user adds to it: objects are merged, everything else replaced, and null removes a key.
 * @example
 * withExtra({ max_tokens: 5 }, { max_tokens: null, max_completion_tokens: 5 }); // { max_completion_tokens: 5 }
 */
export function withExtra(body: Record<string, unknown>, extra: Fields | undefined): Record<string, unknown> {
  if (extra === undefined) return body;
  const merged = { ...body };
  for (const [key, value] of Object.entries(extra)) {
    const [ours, theirs] = [fieldsOf(merged[key]), fieldsOf(value)];
    if (value === null) delete merged[key];
    else merged[key] = ours !== null && theirs !== null ? withExtra({ ...ours }, theirs) : value;
  }
  return merged;
}

/** The fields whose value is there. */
export function present(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: readonly unknown[] = Object.freeze([]);

/** The fields of an object; null for anything else, arrays included. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A text, "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A value as JSON, "" when it is nested too deep to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** A list, empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}

/** All instructions of a request, for dialects that hold them apart from the conversation. */
export function systemTexts({ system, messages }: ModelRequest): readonly string[] {
  const inside = messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts);
  return system === undefined ? inside : [system, ...inside];
}
