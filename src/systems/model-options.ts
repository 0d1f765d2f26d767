import { validateHeaderName, validateHeaderValue } from "node:http";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { isHarmlessName } from "../core/harmless-name.js";
import { ownValue } from "../core/own-value.js";
import type { Limits } from "../core/price.js";
import { secretsInPath } from "../core/secret-path.js";
import { describe } from "../core/shape.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { VERSION } from "../core/version.js";
import {
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  dialects,
  type Message,
  type ModelRequest,
} from "../models/dialects/index.js";
import { endpointName, type HttpClient, requireSafeEndpoint } from "../models/http/index.js";
import { type ApiKey, resolveKey, Secrets } from "./model-key.js";
import { callUrl } from "./model-url.js";

/** Node's timers take no more, and fire at once when they are given more. */
const LONGEST_TIMER = 2 ** 31 - 1;

const USUAL_TIMEOUT_MS = 600_000;
const AFTER_HARD_TIMEOUT_MS = 30_000;

export interface ModelOptions {
  /** The host, its port and the model unless told. */
  name?: string;
  /** As the endpoint names it; may be left out where the endpoint has only one. */
  model?: string;
  baseUrl: string;
  /** `"chat"` unless told. */
  dialect?: DialectName;
  apiKey?: string | null;
  /** The environment variable that holds the key. */
  apiKeyEnv?: string;
  systemPrompt?: string;
  temperature?: number;
  maxTokens?: number;
  /** Added to the body last; null removes a key. */
  extraBody?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** For one whole call; unless told 10 minutes, or half a minute more than the trial may take. */
  timeoutMs?: number;
  connectTimeoutMs?: number;
  /** Between two parts of an answer. */
  idleTimeoutMs?: number;
  /** True unless told: without a stream there is no time to first token, and no stop in the middle. */
  stream?: boolean;
  /** Takes the place of context, question and turns: the model is asked once, with these. */
  buildMessages?: (example: Example) => readonly Message[];
  limits?: Limits;
  /** Lets a key travel over plain http to another machine. */
  allowInsecure?: boolean;
  /** One for all systems of the process unless told. */
  client?: HttpClient;
  /** Counts text that no usage was told for; cl100k_base unless told. */
  tokenizer?: Tokenizer;
  /** Milliseconds, monotonic. */
  clock?: () => number;
  /** Milliseconds since 1970, for dates in answers. */
  now?: () => number;
  env?: Readonly<Record<string, string | undefined>>;
}

/** What a model is asked apart from any example. */
export type ModelQuestion = Pick<ModelRequest, "system" | "messages" | "answer">;

/** Options that were checked, and what follows from them for every call. */
export interface ModelSettings {
  readonly name: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly url: string;
  /** The URL without a difference between streams and whole answers. */
  readonly workUrl: string;
  /** Host and port. */
  readonly host: string;
  readonly key: ApiKey;
  readonly secrets: Secrets;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: boolean;
  readonly timeoutMs: number;
}

/** Checks the options of a model system. */
export function settingsOf(options: ModelOptions): ModelSettings {
  const { baseUrl, model = "", stream = true, timeoutMs = usualTimeout(options.limits) } = options;
  requirePlausible(options);
  const dialect = dialectOf(options.dialect ?? "chat", model);
  const key = resolveKey({ ...options, env: options.env ?? process.env });
  const own = lowerCase(options.headers ?? {});
  const host = endpointName(baseUrl);
  const named = [...Object.entries(own), ...new URL(baseUrl).searchParams];
  const hasKey = key.value !== null || named.some(([name]) => !isHarmlessName(name));
  const base = requireSafeEndpoint({ url: baseUrl, hasKey, allowInsecure: options.allowInsecure ?? false });
  return {
    name: options.name ?? (model === "" ? host : `${host}/${model}`),
    model,
    dialect,
    url: callUrl(base, dialect.path(model, stream)),
    workUrl: callUrl(base, dialect.path(model, false)),
    host,
    key,
    secrets: new Secrets(key.value, named, secretsInPath(baseUrl)),
    headers: { ...usualHeaders(stream), ...dialect.headers(key.value), ...own },
    stream,
    timeoutMs,
  };
}

/** Later than the trial's own limit: a trial that was stopped there is graded, one whose call timed out is an error. */
function usualTimeout(limits: Limits | undefined): number {
  const hard = limits?.hardTimeoutMs ?? null;
  return hard === null ? USUAL_TIMEOUT_MS : Math.min(LONGEST_TIMER, hard + AFTER_HARD_TIMEOUT_MS);
}

function usualHeaders(stream: boolean): Record<string, string> {
  const accept = stream ? "text/event-stream, application/json" : "application/json";
  return { "content-type": "application/json", accept, "user-agent": `assay/${VERSION}` };
}

function dialectOf(name: string, model: string): Dialect {
  const dialect = ownValue<Dialect>(dialects, name);
  if (dialect === undefined) {
    throw new UsageError(`There is no dialect ${describe(name)}. Use one of: ${DIALECT_NAMES.join(", ")}.`);
  }
  if (name === "gemini" && model === "") throw new UsageError("Gemini has the model in its URL: name one.");
  return dialect;
}

function requirePlausible(options: ModelOptions): void {
  const { name, model, temperature, maxTokens } = options;
  if (name === "") throw new UsageError("The name of a model system is empty. Give one, or leave it out.");
  if (model !== undefined && typeof model !== "string") {
    throw new UsageError(`The model must be its name, but is ${describe(model)}.`);
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 100)) {
    throw new UsageError(`The temperature must be a number from 0, but is ${describe(temperature)}.`);
  }
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    throw new UsageError(`maxTokens must be a whole number above 0, but is ${describe(maxTokens)}.`);
  }
  for (const field of ["timeoutMs", "connectTimeoutMs", "idleTimeoutMs"] as const) {
    const value = options[field];
    if (value === undefined || (value > 0 && value <= LONGEST_TIMER)) continue;
    throw new UsageError(`${field} must be above 0 and at most ${LONGEST_TIMER}, but is ${describe(value)}.`);
  }
}

function lowerCase(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      requireSendable(name, value);
      return [name.toLowerCase(), value];
    }),
  );
}

/** Without its value in the message, which may be a secret. */
function requireSendable(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`The header ${JSON.stringify(name)} cannot be sent: its name or its value is not allowed.`);
  }
}
