import type { CallObserver, GatewayRequest, ObservedCall, TrafficObserver } from "../../budget/index.js";
import type { AgentEvent, AgentEventBody } from "../../core/index.js";
import { EventLog } from "../event-log.js";
import { Conversation, type ConversationRole } from "./conversation.js";
import { WIRE_FORMATS } from "./formats.js";
import { type AnswerCollector, joinTexts, type WireRequest } from "./item.js";
import { ItemKeys, type KeyedItem } from "./keys.js";

export interface WireTimelineOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** How the answers of an agent's model ended. */
export type FinishCounts = Readonly<Record<string, number>>;

/**
 * Rebuilds what an agent does from its model calls, while they pass through the gateway. Bodies are not kept: a request
 * leaves the keys of its items, and events for those that are new.
 * @example
 * const timeline = new WireTimeline();
 * const gateway = await startGateway({ observer: timeline });
 */
export class WireTimeline implements TrafficObserver {
  readonly #now: () => number;
  readonly #log = new EventLog();
  /** Of each event in the log, its conversation; null for none. */
  readonly #owners: (Conversation | null)[] = [];
  readonly #conversations: Conversation[] = [];
  readonly #callIds = new Set<string>();
  readonly #finishes = new Map<string, number>();
  /** By request: what it was part of. */
  readonly #conversationOf = new WeakMap<GatewayRequest, Conversation>();
  /** Calls whose request or answer could not be read. */
  unreadable = 0;

  constructor({ now = Date.now }: WireTimelineOptions = {}) {
    this.#now = now;
  }

  startCall(call: ObservedCall): CallObserver {
    return new ObservedExchange(this, call);
  }

  /** True once a model has answered. */
  get hasAnswers(): boolean {
    return this.#conversations.some(({ answers }) => answers > 0);
  }

  /**
   * True if the agent works with tools that its model calls, and everything could be read. Agents that do what the text of
   * an answer says do not show it.
   */
  get showsTools(): boolean {
    return this.unreadable === 0 && this.#conversations.some(({ offersTools }) => offersTools);
  }

  /** Events that did not fit. */
  get unkept(): number {
    return this.#log.unkept;
  }

  /** Number of answers by how they ended. */
  get finishes(): FinishCounts {
    return Object.fromEntries(this.#finishes);
  }

  /** All events, in order. Those of sub-agents and side calls are marked, and their texts are not the agent's answers. */
  listEvents(): AgentEvent[] {
    const main = this.#findMain();
    return this.#log.events.flatMap((event, index) => {
      const owner = this.#owners[index] ?? null;
      return owner === null ? [event] : toOwnedEvent(event, owner, getRole(owner, main));
    });
  }

  /** The requests of the work itself, without side calls and sub-agents. */
  filterMain(requests: readonly GatewayRequest[]): GatewayRequest[] {
    const main = this.#findMain();
    return requests.filter((request) => {
      const owner = this.#conversationOf.get(request);
      return owner === undefined || getRole(owner, main) === "main";
    });
  }

  /** The conversation with tools comes first: programs also ask for titles and the like. */
  #findMain(): Conversation | null {
    const answered = this.#conversations.filter(({ answers }) => answers > 0);
    return answered.find(({ offersTools, isNested }) => offersTools && !isNested) ?? answered[0] ?? null;
  }

  /** The conversation that a request continues, or a new one. */
  findConversation(request: WireRequest, keyed: readonly KeyedItem[]): Conversation {
    let best: Conversation | null = null;
    let most = 0;
    for (const each of this.#conversations) {
      // A conversation waits for its answer; an equal request at the same time is another one.
      const fit = each.openCalls > 0 ? 0 : each.rate(request, keyed);
      if (fit === 0 || fit < most) continue;
      best = each;
      most = fit;
    }
    return best ?? this.#startConversation();
  }

  #startConversation(): Conversation {
    const isNested = this.#conversations.some(({ isPending }) => isPending);
    const number = this.#conversations.length + 1;
    const conversation = new Conversation({ number, isNested, makeId: (wanted) => this.#makeId(wanted) });
    this.#conversations.push(conversation);
    return conversation;
  }

  /** Ids may be missing or repeated. */
  #makeId(wanted: string | null): string {
    const base = wanted ?? "call";
    let id = base;
    for (let n = 2; this.#callIds.has(id); n++) id = `${base}-${n}`;
    this.#callIds.add(id);
    return id;
  }

  record(bodies: readonly AgentEventBody[], owner: Conversation | null, timestamp = this.#now()): void {
    for (const body of bodies) if (this.#log.add(body, timestamp) !== null) this.#owners.push(owner);
  }

  recordEnd(request: GatewayRequest, owner: Conversation | null, answer: readonly AgentEventBody[]): void {
    if (owner !== null) this.#conversationOf.set(request, owner);
    if (owner !== null && request.finish !== null)
      this.#finishes.set(request.finish, (this.#finishes.get(request.finish) ?? 0) + 1);
    this.record([...toUsageBodies(request, answer), ...toFailureBodies(request)], owner);
  }
}

/** Reads one call. Whatever it contains can only affect its own events. */
class ObservedExchange implements CallObserver {
  readonly #timeline: WireTimeline;
  readonly #keys = new ItemKeys();
  #conversation: Conversation | null = null;
  #collector: AnswerCollector | null = null;
  #hasTools = false;
  /** A compaction returns a shorter history instead of an answer. */
  #isCompaction = false;
  #isUnreadable = false;

  constructor(timeline: WireTimeline, call: ObservedCall) {
    this.#timeline = timeline;
    this.#try(() => this.#start(call));
  }

  #start({ dialect, path, kind, json }: ObservedCall): void {
    if (kind !== "answer") return;
    const format = WIRE_FORMATS[dialect];
    const request = format.readRequest(json);
    const keyed = this.#keys.add(joinTexts(request.items));
    const conversation = this.#timeline.findConversation(request, keyed);
    this.#conversation = conversation;
    this.#collector = format.createCollector();
    this.#isCompaction = path.endsWith("/compact");
    this.#hasTools = request.tools.length > 0;
    conversation.openCalls += 1;
    if (!this.#isCompaction) this.#timeline.record(conversation.readRequest(request, keyed), conversation);
  }

  readEvent(event: unknown): void {
    this.#try(() => this.#collector?.readEvent(event));
  }

  readWhole(body: unknown): void {
    this.#try(() => this.#collector?.readWhole(body));
  }

  markUnreadable(): void {
    if (!this.#isUnreadable) this.#timeline.unreadable += 1;
    this.#isUnreadable = true;
  }

  end(request: GatewayRequest): void {
    const conversation = this.#conversation;
    if (conversation !== null) conversation.openCalls -= 1;
    const bodies = this.#try(() => this.#readAnswer(request)) ?? [];
    const isTurn = bodies.length > 0;
    this.#timeline.record(isTurn ? [{ type: "turn_start" }, ...bodies] : [], conversation);
    this.#timeline.recordEnd(request, conversation, bodies);
    this.#timeline.record(isTurn ? [{ type: "turn_end" }] : [], conversation);
    this.#collector = null;
  }

  #readAnswer({ ending }: GatewayRequest): AgentEventBody[] {
    const [conversation, collector] = [this.#conversation, this.#collector];
    if (conversation === null || collector === null || this.#isCompaction) return [];
    const items = joinTexts(collector.listItems());
    if (ending !== "answered" && items.length === 0) return [];
    if (this.#hasTools) conversation.offersTools = true;
    return conversation.readAnswer(items, { keys: this.#keys, id: collector.id });
  }

  #try<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch {
      this.markUnreadable();
      return undefined;
    }
  }
}

/** The usage of a request as an event; empty if nothing was used. */
function toUsageBodies(request: GatewayRequest, answer: readonly AgentEventBody[]): AgentEventBody[] {
  const { model, usage, costUsd, durationMs, finish, finishReason } = request;
  if (usage === null) return [];
  const callIds = answer.flatMap((body) => (body.type === "tool_call" ? [body.callId] : []));
  return [
    {
      type: "token_usage",
      model,
      usage,
      costUsd,
      durationMs,
      ...(finish !== null && { finish }),
      ...(finishReason !== null && finishReason !== finish && { finishReason }),
      ...(callIds.length > 0 && { callIds }),
    },
  ];
}

function toFailureBodies({ ending, dialect, status, message, usage }: GatewayRequest): AgentEventBody[] {
  if (dialect === null || usage !== null || (ending !== "failed" && ending !== "refused")) return [];
  return [{ type: "custom", name: "failed request", data: { status, message } }];
}

/** A conversation without tools beside one with tools is a side call; one with tools may continue the work. */
function getRole(conversation: Conversation, main: Conversation | null): ConversationRole {
  if (conversation === main || main === null) return "main";
  if (!conversation.offersTools) return "side";
  return conversation.isNested ? "sub-agent" : "main";
}

/** Texts of a sub-agent are not answers of the main conversation, and its turns are not the agent's. */
function toOwnedEvent(event: AgentEvent, owner: Conversation, role: ConversationRole): AgentEvent[] {
  if (role === "main" || event.type === "custom") return [event];
  const thread = `${role} ${owner.number}`;
  if (event.type === "turn_start" || event.type === "turn_end") return [];
  const { timestamp } = event;
  if (event.type === "assistant_message" || event.type === "reasoning" || event.type === "user_message") {
    const name = role === "side" ? "side_call" : "subagent_message";
    return [{ type: "custom", name, data: { thread, from: event.type, text: event.text }, timestamp }];
  }
  return [{ ...event, thread }];
}
