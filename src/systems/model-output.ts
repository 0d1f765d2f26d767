import type { Output, ServiceTier, Spent, StopReason, Usage } from "../core/index.js";
import type { ModelReply } from "./model-conversation.js";

const USAGE_CLASSES = ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"] as const;

export interface ConversationRecord {
  /** The model's answers in order; the last may be incomplete. */
  readonly replies: readonly ModelReply[];
  /** The messages of a simulated user. */
  readonly userMessages: readonly string[];
  readonly startedAt: number;
  /** The service tier that was requested, if any. */
  readonly serviceTier: ServiceTier | undefined;
  /** Removes secrets from a provider's text. */
  readonly scrub: (text: string) => string;
}

export function buildModelOutput(conversation: ConversationRecord, killed: StopReason | null): Output {
  const { replies, scrub } = conversation;
  const last = replies.at(-1);
  return dropUndefined({
    response: scrub(last?.text ?? ""),
    // The last one is the response.
    replies: replies.length > 1 ? replies.map(({ text }) => scrub(text)) : undefined,
    userMessages: conversation.userMessages.length > 0 ? conversation.userMessages : undefined,
    ...collectMeasures(conversation),
    firstAttemptMs: measureFirstVisible(conversation),
    tokensPerSec: measureTokensPerSec(replies),
    stopped: killed ?? getReplyStopReason(last),
  });
}

/** What a failed conversation has used. */
export function measureSpent(conversation: ConversationRecord): Spent {
  return { ...collectMeasures(conversation), partial: true };
}

function collectMeasures(conversation: ConversationRecord): Spent {
  const { replies } = conversation;
  return dropUndefined({
    usage: sumReplyUsage(replies.flatMap(({ usage }) => usage ?? [])),
    costUsd: sumReplyCost(replies),
    partial: replies.some(({ isEstimated }) => isEstimated) ? true : undefined,
    turns: replies.length,
    ttftMs: measureTtft(replies[0]),
    metadata: buildReplyMetadata(conversation),
  });
}

function getReplyStopReason(reply: ModelReply | undefined): StopReason | undefined {
  const finish = reply?.reader.finish;
  return finish === "refused" || finish === "truncated" ? finish : undefined;
}

/** Undefined without any usage. */
function sumReplyUsage(usages: readonly Usage[]): Usage | undefined {
  if (usages.length === 0) return undefined;
  const sum: Usage = { input: 0, output: 0 };
  for (const usage of usages) {
    for (const name of USAGE_CLASSES) {
      const count = usage[name];
      if (count !== undefined) sum[name] = (sum[name] ?? 0) + count;
    }
  }
  return sum;
}

/** Undefined unless the provider reported the cost of every call: a partial sum would look like the total. */
function sumReplyCost(replies: readonly ModelReply[]): number | undefined {
  let sum = 0;
  for (const { reader } of replies) {
    if (reader.costUsd === null) return undefined;
    sum += reader.costUsd;
  }
  return replies.length === 0 ? undefined : sum;
}

function measureTtft(reply: ModelReply | undefined): number | undefined {
  return reply === undefined || reply.firstTextAt === null ? undefined : reply.firstTextAt - reply.startedAt;
}

function measureFirstVisible({ replies, startedAt }: ConversationRecord): number | undefined {
  const first = replies.find(({ firstVisibleAt }) => firstVisibleAt !== null)?.firstVisibleAt;
  return first === undefined || first === null ? undefined : first - startedAt;
}

/** Measured while text was arriving. A single chunk says nothing about speed. */
function measureTokensPerSec(replies: readonly ModelReply[]): number | undefined {
  let tokens = 0;
  let ms = 0;
  for (const reply of replies) {
    const count = reply.isReported ? countTextTokens(reply) : reply.countedTokens;
    if (reply.pieces < 2 || reply.firstTextAt === null || count === undefined || count === null) continue;
    tokens += count;
    ms += reply.lastTextAt - reply.firstTextAt;
  }
  return ms > 0 && tokens > 0 ? tokens / (ms / 1000) : undefined;
}

/** Reasoning that is billed but not sent was generated before the first text. */
function countTextTokens({ usage, hasHidden }: ModelReply): number | undefined {
  const { output, reasoning = 0 } = usage ?? {};
  return output === undefined || hasHidden ? output : Math.max(0, output - reasoning);
}

function buildReplyMetadata({ replies, serviceTier, scrub }: ConversationRecord): Record<string, unknown> | undefined {
  const reader = replies.at(-1)?.reader;
  const problems = [...new Set(replies.flatMap((reply) => reply.reader.problems))];
  const unknownEvents = replies.reduce((sum, reply) => sum + reply.reader.unknownEvents, 0);
  const metadata = dropUndefined<Record<string, unknown>>({
    model: reader?.model == null ? undefined : scrub(reader.model),
    serviceTier: listServiceTiers(replies, serviceTier),
    finishReason: reader?.finishReason == null ? undefined : scrub(reader.finishReason),
    problems: problems.length > 0 ? problems.map(scrub) : undefined,
    unknownEvents: unknownEvents > 0 ? unknownEvents : undefined,
    turnUsage: replies.length > 1 ? replies.map(({ usage }) => usage) : undefined,
  });
  return Object.keys(metadata).length > 0 ? metadata : undefined;
}

/** The service tiers that answers were billed in; undefined if nothing but the standard one is involved. */
function listServiceTiers(replies: readonly ModelReply[], requested: string | undefined): string | undefined {
  const tiers = new Set(replies.map(({ reader }) => reader.serviceTier ?? requested ?? "standard"));
  const isStandard = requested === undefined && tiers.size === 1 && tiers.has("standard");
  return isStandard || tiers.size === 0 ? undefined : [...tiers].join(", ");
}

type MaybeUndefined<T> = { [Key in keyof T]: T[Key] | undefined };

function dropUndefined<T extends object>(fields: MaybeUndefined<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
