import type { DialectName } from "../../models/dialects/dialect.js";
import { asksForUsage, withUsage } from "./chat-usage.js";
import { hasField } from "./query.js";
import { RefusalError } from "./refusal.js";
import { pathFor, type Route } from "./route.js";
import { tierIn } from "./service-tier.js";

/** What a client asks of a model, as it goes on to the upstream. */
export interface Asked {
  readonly model: string;
  /** The service tier that is asked for; null for the usual one. */
  readonly tier: string | null;
  /** With the query. */
  readonly path: string;
  readonly body: Buffer;
  /** True when the answer comes event by event, so that it can be cut part-way. */
  readonly isStreamed: boolean;
  /** True when the answer is to be fetched later: what it costs is never seen here. */
  readonly isBackground: boolean;
  /** True when usage was asked for on the client's behalf: the event with it is not for the client. */
  readonly hidesUsage: boolean;
  /** Roughly the length of the prompt, for answers that never tell. */
  readonly promptTokens: number;
  /** The most tokens that can come back. */
  readonly maxOutputTokens: number;
}

/** Stands for the model of requests that name none, which servers with a single model take. */
const NO_MODEL = "(none)";

type Json = Record<string, unknown>;

/** Reads a request, and changes in it what has to be changed: another model, usage asked for. All else stays as it came. */
export function readAsked(route: Route, body: Buffer, modelMap: Readonly<Record<string, string>>): Asked {
  const { dialect, query, kind } = route;
  const json = parseObject(body);
  const given = route.model ?? json.model;
  const named = typeof given === "string" && given !== "" ? given : NO_MODEL;
  const model = Object.hasOwn(modelMap, named) ? (modelMap[named] ?? named) : named;
  const isMapped = model !== named;
  const isStreamed = kind === "answer" && asksForEvents(route, json);
  const hidesUsage = dialect === "chat" && isStreamed && !asksForUsage(json);
  const sent = isMapped && route.model === null ? Buffer.from(JSON.stringify({ ...json, model })) : body;
  return {
    model,
    tier: tierIn(json),
    path: (isMapped ? pathFor(route, model) : route.path) + query,
    body: hidesUsage ? withUsage(sent, isMapped ? { ...json, model } : json) : sent,
    isStreamed,
    isBackground: dialect === "responses" && Boolean(json.background),
    hidesUsage,
    promptTokens: Math.ceil(promptLength(json) / BYTES_PER_TOKEN),
    maxOutputTokens: kind === "answer" ? mostOutput(dialect, json) : 0,
  };
}

/**
 * Gemini says so in the path, and without `alt=sse` its streams come as one list when they are complete. A compaction
 * comes in one piece, whatever is asked for.
 */
function asksForEvents({ dialect, path, query }: Route, json: Json): boolean {
  if (dialect !== "gemini") return json.stream === true && !path.endsWith("/compact");
  return path.endsWith(":streamGenerateContent") && hasField(query, "alt", "sse");
}

function parseObject(body: Buffer): Json {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw new RefusalError("request", "the request's body is not valid JSON.", { cause });
  }
  if (isObject(json)) return json;
  throw new RefusalError("request", "the request's body is not a JSON object.");
}

const BYTES_PER_TOKEN = 4;

/** A string this long without a space is an image or a file, which is not billed by its characters. */
const ENCODED_FROM = 1000;

/** The bytes of all texts inside. A stack of its own, because clients nest deeper than calls may. */
function promptLength(json: Json): number {
  let length = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") length += isEncoded(value) ? 0 : Buffer.byteLength(value);
    // Prompts may be given as lists of tokens.
    else if (typeof value === "number") length += BYTES_PER_TOKEN;
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return length;
}

function isEncoded(text: string): boolean {
  return text.length >= ENCODED_FROM && !/\s/.test(text.slice(0, ENCODED_FROM));
}

/** For requests that set no limit: as much as the usual limit of a trial is made for. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** Where each dialect has its limit. Only those count that it obeys. */
const LIMITS: Readonly<Record<DialectName, readonly string[]>> = {
  chat: ["max_completion_tokens", "max_tokens"],
  responses: ["max_output_tokens"],
  anthropic: ["max_tokens"],
  gemini: ["maxOutputTokens", "max_output_tokens"],
};

function mostOutput(dialect: DialectName, json: Json): number {
  const config = dialect === "gemini" ? (json.generationConfig ?? json.generation_config) : json;
  const fields = isObject(config) ? config : {};
  const limits = LIMITS[dialect].map((name) => fields[name]).filter(isCount);
  const choices = ["n", "best_of", "candidateCount", "candidate_count"].map((name) => fields[name]).filter(isCount);
  const prompts = dialect === "chat" && Array.isArray(json.prompt) ? json.prompt.filter(isPrompt).length : 1;
  const each = limits.length === 0 ? DEFAULT_OUTPUT_TOKENS : Math.max(...limits);
  return Math.min(each * Math.max(1, ...choices) * Math.max(1, prompts), MOST_TOKENS);
}

/** No answer is longer, and a sum of prices stays exact. */
const MOST_TOKENS = 100_000_000;

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** One of several prompts of a request, each of which is answered. A number is a token of a single one. */
function isPrompt(value: unknown): boolean {
  return typeof value !== "number";
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
