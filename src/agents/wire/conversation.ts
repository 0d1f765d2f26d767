import type { AgentEventBody } from "../../core/index.js";
import type { WireCall, WireItem, WireRequest, WireResult } from "./item.js";
import type { ItemKeys, KeyedItem } from "./keys.js";

/** What a conversation is for. */
export type ConversationRole =
  /** The work itself. */
  | "main"
  /** The work of an agent that the main one has started. */
  | "sub-agent"
  /** Something beside the work, such as a title. */
  | "side";

interface KnownCall {
  /** As in the events, where it is unique. */
  readonly callId: string;
  hasResult: boolean;
}

/** A shorter answer may occur in any text. */
const MIN_SUMMARY_CHARS = 40;

/** How well a request fits a conversation: 0 for not at all. */
const FITS_CONTINUED = 1_000_000;
const FITS_REPLACED = 0.5;

/** One conversation with a model. Every request repeats its history, and only what is new becomes events. */
export class Conversation {
  readonly number: number;
  /** True if it began while another one waited for the result of a tool. */
  readonly isNested: boolean;
  /** Requests without an end so far. */
  openCalls = 0;
  /** Answers so far. */
  answers = 0;
  /** True once it offered tools with an answered request. */
  offersTools = false;
  readonly #makeId: (wanted: string | null) => string;
  #system = "";
  #tools = "";
  /** The keys that the next request should begin with. */
  #keys: readonly string[] = [];
  /** Where the first answer is in these keys. */
  #firstAnswer = Number.POSITIVE_INFINITY;
  #lastText = "";
  readonly #seen = new Set<string>();
  readonly #answerIds = new Set<string>();
  readonly #callsByKey = new Map<string, KnownCall>();
  /** Null for an id that several calls have. */
  readonly #callsById = new Map<string, KnownCall | null>();
  readonly #pending = new Set<KnownCall>();
  /** The calls that the last request repeated. */
  #repeated: ReadonlySet<KnownCall | null> = new Set();

  constructor(options: { number: number; isNested: boolean; makeId: (wanted: string | null) => string }) {
    this.number = options.number;
    this.isNested = options.isNested;
    this.#makeId = options.makeId;
  }

  /** True while a tool call has no result. */
  get isPending(): boolean {
    return this.#pending.size > 0;
  }

  /** How well a request fits; the best conversation gets it. */
  rate(request: WireRequest, keyed: readonly KeyedItem[]): number {
    if (request.previousId !== null) return this.#answerIds.has(request.previousId) ? FITS_CONTINUED : 0;
    const common = countCommon(this.#keys, listKeys(keyed));
    if (common > this.#firstAnswer || this.#knowsCall(keyed) || this.#repeatsSummary(keyed))
      return FITS_CONTINUED + common;
    const tools = toToolText(request);
    const isAlike = tools === this.#tools || request.system === this.#system;
    if (common > 0) return isAlike ? common : 0;
    const isReplaced = this.answers > 0 && !this.isPending && tools !== "" && tools === this.#tools;
    return isReplaced && request.system === this.#system ? FITS_REPLACED : 0;
  }

  #knowsCall(keyed: readonly KeyedItem[]): boolean {
    return keyed.some(({ item }) => item.kind === "call" && item.id !== null && this.#callsById.has(item.id));
  }

  /** A new history begins with the model's own summary of the old one. */
  #repeatsSummary(keyed: readonly KeyedItem[]): boolean {
    const summary = this.#lastText.trim();
    if (summary.length < MIN_SUMMARY_CHARS) return false;
    return keyed.some(({ item }) => item.kind === "user" && item.text.includes(summary));
  }

  /** Returns the events of what is new in a request. */
  readRequest(request: WireRequest, keyed: readonly KeyedItem[]): AgentEventBody[] {
    const isFirst = this.#keys.length === 0;
    const isContinuing = request.previousId !== null;
    this.#system = request.system;
    this.#tools = toToolText(request);
    const bodies = keyed.flatMap((each) => this.#readOld(each, isFirst));
    const replaced = isContinuing ? [] : this.#compareCalls(keyed);
    this.#keys = isContinuing ? [...this.#keys, ...listKeys(keyed)] : listKeys(keyed);
    return [...replaced, ...bodies];
  }

  /** A history without calls that the last one had was replaced by a shorter one. What it leaves out gets no result. */
  #compareCalls(keyed: readonly KeyedItem[]): AgentEventBody[] {
    const repeated = new Set(
      keyed.flatMap(({ item, key }) => (item.kind === "call" ? [this.#findCall(item, key)] : [])),
    );
    const isReplaced = [...this.#repeated].some((call) => !repeated.has(call));
    const data = { itemsBefore: this.#keys.length, itemsAfter: listKeys(keyed).length };
    for (const call of this.#pending) if (!repeated.has(call)) this.#pending.delete(call);
    this.#repeated = repeated;
    return isReplaced ? [{ type: "custom", name: "compaction", data }] : [];
  }

  /**
   * What a request says of the past. Texts of the model are known from its answers; clients change them. Those before its
   * first answer were written by the client.
   */
  #readOld({ item, key, callKey }: KeyedItem, isFirst: boolean): AgentEventBody[] {
    switch (item.kind) {
      case "user":
        return this.#addSeen(key) ? [{ type: "user_message", text: item.text }] : [];
      case "assistant":
      case "reasoning":
        return isFirst ? [{ type: "custom", name: "earlier_message", data: { text: item.text } }] : [];
      case "call": {
        const known = this.#findCall(item, key);
        if (known === null) return [this.#addCall(item, key)];
        this.#callsByKey.set(key, known);
        return [];
      }
      case "result":
        return this.#readResult(item, callKey);
    }
  }

  #addSeen(key: string): boolean {
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }

  #findCall({ id }: WireCall, key: string): KnownCall | null {
    return (id === null ? null : this.#callsById.get(id)) ?? this.#callsByKey.get(key) ?? null;
  }

  #addCall(item: WireCall, key: string): AgentEventBody {
    const { id, name } = item;
    const known: KnownCall = { callId: this.#makeId(id), hasResult: false };
    this.#callsByKey.set(key, known);
    if (id !== null) this.#callsById.set(id, this.#callsById.has(id) ? null : known);
    this.#pending.add(known);
    return { type: "tool_call", name, callId: known.callId, arguments: item.arguments };
  }

  #readResult(item: WireResult, callKey: string): AgentEventBody[] {
    const named = item.id === null ? null : this.#callsById.get(item.id);
    const known = named ?? this.#callsByKey.get(callKey);
    if (known === undefined || known.hasResult) return [];
    known.hasResult = true;
    this.#pending.delete(known);
    return [{ type: "tool_result", callId: known.callId, success: item.success, result: item.text }];
  }

  /** Returns the events of an answer. Its calls are new, even if they are equal to earlier ones. */
  readAnswer(items: readonly WireItem[], { keys, id }: { keys: ItemKeys; id: string | null }): AgentEventBody[] {
    const keyed = keys.add(items);
    if (id !== null) this.#answerIds.add(id);
    this.answers += 1;
    this.#firstAnswer = Math.min(this.#firstAnswer, this.#keys.length);
    this.#keys = [...this.#keys, ...listKeys(keyed)];
    this.#lastText = items.flatMap((item) => (item.kind === "assistant" ? [item.text] : [])).join("");
    return keyed.flatMap(({ item, key, callKey }) => {
      if (item.kind === "call") return [this.#addCall(item, key)];
      return item.kind === "result" ? this.#readResult(item, callKey) : [toTextBody(item)];
    });
  }
}

function toTextBody({ kind, text }: Exclude<WireItem, WireCall | WireResult>): AgentEventBody {
  if (kind === "user") return { type: "user_message", text };
  return { type: kind === "reasoning" ? "reasoning" : "assistant_message", text };
}

function toToolText({ tools }: WireRequest): string {
  return [...tools].sort().join("\n");
}

function listKeys(keyed: readonly KeyedItem[]): string[] {
  return keyed.flatMap(({ key }) => (key === "" ? [] : [key]));
}

function countCommon(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return i;
  return length;
}
