import { describe } from "../../core/shape.js";
import type { Usage } from "../../core/system.js";
import type { AnswerReader, Delta, Finish, ModelRequest, ProviderError } from "./dialect.js";

/** The delta of events without text; shared, because there are many. */
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

  /** A refusal is kept, whatever finish reason the provider sends. */
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
 * Merges extra fields from the user into a body: objects are merged, other values replaced, and null removes a key.
 * @example
 * mergeExtraBody({ max_tokens: 5 }, { max_tokens: null, max_completion_tokens: 5 }); // { max_completion_tokens: 5 }
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

export type Fields = Readonly<Record<string, unknown>>;

const NONE: readonly unknown[] = Object.freeze([]);

/** Null unless the value is a plain object. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** "" unless the value is a string. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** "" if the value is nested too deeply to serialize. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** Empty unless the value is an array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}

/** All system texts, for dialects that keep them outside of the conversation. */
export function systemTexts({ system, messages }: ModelRequest): readonly string[] {
  const inside = messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts);
  return system === undefined ? inside : [system, ...inside];
}

/** Far more than any answer has; a larger count is an error that would be billed. */
const MOST_TOKENS = 100_000_000;

/** Reads counts from a provider's usage object and remembers the first invalid one. */
export class RawUsage {
  /** The first problem; null if there is none. */
  wrong: string | null = null;
  readonly fields: Fields;

  constructor(fields: Fields) {
    this.fields = fields;
  }

  /** Undefined if absent. `within` names the containing object. */
  count(name: string, within?: string): number | undefined {
    const fields = within === undefined ? this.fields : fieldsOf(this.fields[within]);
    const value = fields?.[name];
    if (value === undefined || value === null) return undefined;
    if (isCount(value)) return value;
    this.wrong ??= `${name} is ${describe(value)}`;
    return undefined;
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS;
}

/** Undefined if both are absent. */
export function sumOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** The tokens used so far according to one event, in our classes. Classes it does not mention are absent. */
export interface UsageReport {
  input?: number | undefined;
  output?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  cacheWrite1h?: number | undefined;
  reasoning?: number | undefined;
}

const CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

/** Far more than any answer costs. */
const MOST_DOLLARS = 100_000;

/** Limits repeated problems in a long stream. */
const MOST_PROBLEMS = 20;

/** Accumulates the usage of one answer from its events. Providers send running totals, so the largest counts. */
export class UsageFold {
  usage: Usage | null = null;
  costUsd: number | null = null;
  readonly problems: string[] = [];

  /** Null if there is no usage object. */
  open(usage: unknown): RawUsage | null {
    const fields = fieldsOf(usage);
    if (fields === null && usage !== undefined && usage !== null) {
      this.note(`usage was ignored: it is ${describe(usage)}`);
    }
    return fields === null ? null : new RawUsage(fields);
  }

  /** Adds a whole report, or nothing if it was made from an invalid number. */
  add({ wrong, fields }: RawUsage, report: UsageReport): void {
    const negative = CLASSES.find((name) => (report[name] ?? 0) < 0);
    if (wrong !== null) this.note(`usage was ignored: ${wrong}`);
    else if (negative !== undefined) this.note(`usage was ignored: ${negative} would be ${report[negative]} tokens`);
    else if (CLASSES.some((name) => this.#isNews(name, report[name]))) this.#grow(report);
    this.#addCost(fields.cost);
  }

  note(problem: string): void {
    if (this.problems.length < MOST_PROBLEMS && !this.problems.includes(problem)) this.problems.push(problem);
  }

  /** OpenRouter and compatible proxies report the cost of an answer in dollars. */
  #addCost(cost: unknown): void {
    if (cost === undefined || cost === null) return;
    const isCost = typeof cost === "number" && cost >= 0 && cost <= MOST_DOLLARS;
    if (isCost) this.costUsd = Math.max(cost, this.costUsd ?? 0);
    else this.note(`the provider's cost was ignored: it is ${describe(cost)}`);
  }

  #isNews(name: (typeof CLASSES)[number], count: number | undefined): boolean {
    return count !== undefined && (this.usage === null || count !== (this.usage[name] ?? 0));
  }

  /** Creates a new object on every change, so that callers can detect changes by identity. */
  #grow(report: UsageReport): void {
    const grown: Usage = { ...(this.usage ?? { input: 0, output: 0 }) };
    let isGrown = this.usage === null;
    for (const name of CLASSES) {
      const count = report[name];
      const known = grown[name] ?? 0;
      if (count === undefined) continue;
      if (count < known) this.note(`usage decreased: ${name} went from ${known} to ${count}; ${known} is kept`);
      if (count <= known) continue;
      grown[name] = count;
      isGrown = true;
    }
    if (isGrown) this.usage = this.#withParts(grown);
  }

  /** A part cannot exceed its whole. */
  #withParts(usage: Usage): Usage {
    const { output, reasoning = 0, cacheWrite = 0, cacheWrite1h = 0 } = usage;
    if (reasoning > output) {
      this.note(`reasoning of ${reasoning} tokens was limited to the ${output} tokens of the output`);
      usage.reasoning = output;
    }
    if (cacheWrite1h > cacheWrite) {
      this.note(
        `one-hour cache writes of ${cacheWrite1h} tokens were limited to the ${cacheWrite} tokens of all cache writes`,
      );
      usage.cacheWrite1h = cacheWrite;
    }
    return usage;
  }
}
