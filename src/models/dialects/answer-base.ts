import type { Usage } from "../../core/index.js";
import { describeValue } from "../../core/index.js";
import type { AnswerDelta, AnswerReader, Finish, ModelRequest, ProviderError } from "./dialect.js";

/** The delta of events without text; shared, because there are many. */
export const NO_TEXT: AnswerDelta = Object.freeze({ text: "", hidden: "" });

/** What providers call the standard service tier. */
const STANDARD_NAMES = new Set(["default", "standard", "standard_only"]);

/** The part of reading an answer that all dialects share. */
export abstract class BaseAnswerReader implements AnswerReader {
  finish: Finish | null = null;
  finishReason: string | null = null;
  error: ProviderError | null = null;
  isComplete = false;
  model: string | null = null;
  unknownEvents = 0;
  serviceTier: string | null = null;
  protected readonly fold = new UsageAccumulator();

  abstract readEvent(event: unknown): AnswerDelta;
  abstract readWhole(body: unknown): AnswerDelta;

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

  /** The last report counts: some streams begin with the requested tier. */
  readServiceTier(value: unknown): void {
    const tier = typeof value === "string" ? value.toLowerCase().replace(/^service_tier_/, "") : "";
    if (tier === "" || tier === "auto" || tier === "unspecified") return;
    this.serviceTier = STANDARD_NAMES.has(tier) ? "standard" : tier;
  }

  /** A refusal is kept, whatever finish reason the provider sends. */
  protected setFinish(finish: Finish, reason: string | null): void {
    if (this.finish !== "refused") this.finish = finish;
    if (reason !== null) this.finishReason = reason;
  }

  protected countUnknownEvent(): AnswerDelta {
    this.unknownEvents += 1;
    return NO_TEXT;
  }
}

export function makeDelta(text: string, hidden: string): AnswerDelta {
  return text === "" && hidden === "" ? NO_TEXT : { text, hidden };
}

/**
 * Merges extra fields from the user into a body: objects are merged, other values replaced, and null removes a key.
 * @example
 * mergeExtraBody({ max_tokens: 5 }, { max_tokens: null, max_completion_tokens: 5 }); // { max_completion_tokens: 5 }
 */
export function mergeExtraBody(body: Record<string, unknown>, extra: JsonFields | undefined): Record<string, unknown> {
  if (extra === undefined) return body;
  const merged = { ...body };
  for (const [key, value] of Object.entries(extra)) {
    const [ours, theirs] = [readJsonObject(merged[key]), readJsonObject(value)];
    if (value === null) delete merged[key];
    else merged[key] = ours !== null && theirs !== null ? mergeExtraBody({ ...ours }, theirs) : value;
  }
  return merged;
}

export type JsonFields = Readonly<Record<string, unknown>>;

const EMPTY_LIST: readonly unknown[] = Object.freeze([]);

/** Null unless the value is a plain object. */
export function readJsonObject(value: unknown): JsonFields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : null;
}

/** "" unless the value is a string. */
export function readJsonString(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** "" if the value is nested too deeply to serialize. */
export function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** Empty unless the value is an array. */
export function readJsonList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : EMPTY_LIST;
}

/** All system texts, for dialects that keep them outside of the conversation. */
export function listSystemTexts({ system, messages }: ModelRequest): readonly string[] {
  const inside = messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts);
  return system === undefined ? inside : [system, ...inside];
}

/** Far more than any answer has; a larger count is an error that would be billed. */
const MAX_TOKENS = 100_000_000;

/** Reads counts from a provider's usage object and remembers the first invalid one. */
export class RawUsage {
  /** The first problem; null if there is none. */
  wrong: string | null = null;
  readonly fields: JsonFields;

  constructor(fields: JsonFields) {
    this.fields = fields;
  }

  /** Undefined if absent. `within` names the containing object. */
  readCount(name: string, within?: string): number | undefined {
    const fields = within === undefined ? this.fields : readJsonObject(this.fields[within]);
    const value = fields?.[name];
    if (value === undefined || value === null) return undefined;
    if (isTokenCount(value)) return value;
    this.wrong ??= `${name} is ${describeValue(value)}`;
    return undefined;
  }
}

function isTokenCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_TOKENS;
}

/** Undefined if both are absent. */
export function addOptional(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}

/** The tokens used so far according to one event, in our classes. Classes it does not mention are absent. */
interface UsageReport {
  input?: number | undefined;
  output?: number | undefined;
  cacheRead?: number | undefined;
  cacheWrite?: number | undefined;
  cacheWrite1h?: number | undefined;
  reasoning?: number | undefined;
}

const USAGE_CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

/** Far more than any answer costs. */
const MAX_COST_USD = 100_000;

/** Limits repeated problems in a long stream. */
const MAX_PROBLEMS = 20;

/** Accumulates the usage of one answer from its events. Providers send running totals, so the largest counts. */
export class UsageAccumulator {
  usage: Usage | null = null;
  costUsd: number | null = null;
  readonly problems: string[] = [];

  /** Null if there is no usage object. */
  parse(usage: unknown): RawUsage | null {
    const fields = readJsonObject(usage);
    if (fields === null && usage !== undefined && usage !== null) {
      this.addProblem(`usage was ignored: it is ${describeValue(usage)}`);
    }
    return fields === null ? null : new RawUsage(fields);
  }

  /** Adds a whole report, or nothing if it was made from an invalid number. */
  add({ wrong, fields }: RawUsage, report: UsageReport): void {
    const negative = USAGE_CLASSES.find((name) => (report[name] ?? 0) < 0);
    if (wrong !== null) this.addProblem(`usage was ignored: ${wrong}`);
    else if (negative !== undefined)
      this.addProblem(`usage was ignored: ${negative} would be ${report[negative]} tokens`);
    else if (USAGE_CLASSES.some((name) => this.#isChanged(name, report[name]))) this.#update(report);
    this.#addCost(fields.cost);
  }

  addProblem(problem: string): void {
    if (this.problems.length < MAX_PROBLEMS && !this.problems.includes(problem)) this.problems.push(problem);
  }

  /** OpenRouter and compatible proxies report the cost of an answer in dollars. */
  #addCost(cost: unknown): void {
    if (cost === undefined || cost === null) return;
    const isCost = typeof cost === "number" && cost >= 0 && cost <= MAX_COST_USD;
    if (isCost) this.costUsd = Math.max(cost, this.costUsd ?? 0);
    else this.addProblem(`the provider's cost was ignored: it is ${describeValue(cost)}`);
  }

  #isChanged(name: (typeof USAGE_CLASSES)[number], count: number | undefined): boolean {
    return count !== undefined && (this.usage === null || count !== (this.usage[name] ?? 0));
  }

  /** Creates a new object on every change, so that callers can detect changes by identity. */
  #update(report: UsageReport): void {
    const grown: Usage = { ...(this.usage ?? { input: 0, output: 0 }) };
    let isGrown = this.usage === null;
    for (const name of USAGE_CLASSES) {
      const count = report[name];
      const known = grown[name] ?? 0;
      if (count === undefined) continue;
      if (count < known) this.addProblem(`usage decreased: ${name} went from ${known} to ${count}; ${known} is kept`);
      if (count <= known) continue;
      grown[name] = count;
      isGrown = true;
    }
    if (isGrown) this.usage = this.#capParts(grown);
  }

  /** A part cannot exceed its whole. */
  #capParts(usage: Usage): Usage {
    const { output, reasoning = 0, cacheWrite = 0, cacheWrite1h = 0 } = usage;
    if (reasoning > output) {
      this.addProblem(`reasoning of ${reasoning} tokens was limited to the ${output} tokens of the output`);
      usage.reasoning = output;
    }
    if (cacheWrite1h > cacheWrite) {
      this.addProblem(
        `one-hour cache writes of ${cacheWrite1h} tokens were limited to the ${cacheWrite} tokens of all cache writes`,
      );
      usage.cacheWrite1h = cacheWrite;
    }
    return usage;
  }
}

/**
 * Reads the error in a body. Shared by all dialects, because compatible servers use each other's formats: an `error`
 * object or string, a top-level `message`, FastAPI's `detail`, or a list of one of them.
 * @example
 * parseProviderError({ error: { message: "no such model", type: "not_found" } }); // { message: "no such model", type: "not_found" }
 */
export function parseProviderError(body: unknown): ProviderError | null {
  const fields = readJsonObject(Array.isArray(body) ? body[0] : body);
  if (fields === null) return null;
  const inner = readJsonObject(fields.error);
  if (inner !== null)
    return parseErrorObject(inner) ?? { message: toJsonText(inner) || "unreadable error", type: null };
  const message = readJsonString(fields.error) || readJsonString(fields.message) || readJsonString(fields.detail);
  return message === "" ? null : { message, type: readErrorType(fields) };
}

/** Reads the `error` field of an answer; null if absent. */
export function parseErrorField(error: unknown): ProviderError | null {
  return error === undefined || error === null ? null : parseProviderError({ error });
}

function parseErrorObject(fields: JsonFields): ProviderError | null {
  const message = readJsonString(fields.message) || readJsonString(fields.detail);
  return message === "" ? null : { message, type: readErrorType(fields) };
}

function readErrorType({ type, status, code }: JsonFields): string | null {
  for (const word of [type, status, code]) {
    if (typeof word === "string" && word !== "" && word !== "error") return word;
  }
  return typeof code === "number" ? String(code) : null;
}
