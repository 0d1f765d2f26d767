import type { Usage } from "../../core/system.js";
import type { AnswerReader, Delta, Finish, ProviderError } from "./dialect.js";
import { UsageFold } from "./usage-fold.js";

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
