import { createHash } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { performance } from "node:perf_hooks";
import type { Example, Limits, Output, System, Tokenizer, TrialContext } from "../core/index.js";
import {
  describeValue,
  findSecretsInPath,
  getOwn,
  isCredentialName,
  isNonSecretName,
  UsageError,
  VERSION,
} from "../core/index.js";
import {
  type AnswerFormat,
  type ClientLease,
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  dialects,
  type HttpClient,
  leaseClient,
  loadTokenizer,
  type Message,
  type ModelRequest,
  parseEndpointHost,
  requireSafeEndpoint,
} from "../models/index.js";
import { ModelMeter } from "./model-call.js";
import { ASK, buildExampleScript, type ConversationScript, ModelConversation } from "./model-conversation.js";
import type { Prompt } from "./prompts/prompt.js";

/**
 * A model behind an endpoint.
 * @example
 * new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-5-mini", apiKeyEnv: "OPENAI_API_KEY" });
 */
export class ModelSystem implements System {
  readonly name: string;
  /** Host, port and a hash that distinguishes accounts. */
  readonly endpoint: string;
  readonly harness = "api";
  declare readonly model?: string;
  declare readonly limits?: Limits;
  declare readonly prompt?: string;
  declare readonly listInputTexts?: (example: Example) => readonly string[];
  readonly #options: ModelOptions;
  readonly #settings: ModelSettings;
  /** Parameters that the model has rejected: later calls omit them. */
  readonly #refused = new Set<string>();
  #lease: ClientLease | null = null;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#settings = resolveModelSettings(options);
    const { name, model, host, secrets } = this.#settings;
    this.name = name;
    if (model !== "") this.model = model;
    this.endpoint = secrets.mark === "" ? host : `${host} ${secrets.mark}`;
    if (options.prompt !== undefined) {
      const { prompt } = options;
      this.prompt = prompt.name;
      this.listInputTexts = (example) => prompt.render(example).flatMap(({ parts }) => parts);
    }
    if (options.limits !== undefined)
      this.limits = { ...options.limits, ...findMaxOutputTokens(options, this.#settings) };
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const script = this.#buildScript(example);
    return this.#startConversation(this.#options, trial).run(script);
  }

  /**
   * Asks the model a question that is not an example, as judges do. The system's own prompt comes before the question's.
   * Throws like `process`; retrying is up to the caller.
   * @example
   * await system.ask({ messages: [{ role: "user", parts: ["Is the sky blue?"] }] }, signal); // { response: "Yes.", … }
   */
  async ask({ system, messages, answer }: ModelQuestion, signal: AbortSignal): Promise<Output> {
    const prompts = [this.#options.systemPrompt, system].filter((text) => text !== undefined && text !== "");
    const options = { ...this.#options, ...(prompts.length > 0 && { systemPrompt: prompts.join("\n\n") }) };
    const trial = { signal, budget: null, trial: 0, seed: 0, log: () => {} };
    return this.#startConversation(options, trial, answer).run([...messages, ASK]);
  }

  /** Throws a `PromptError` if the example lacks a column that the prompt inserts. */
  checkExample(example: Example): void {
    this.#options.prompt?.render(example);
  }

  /** Everything that affects the output, without secrets. */
  fingerprint(): unknown {
    const { systemPrompt, temperature, maxTokens, extraBody, headers = {}, buildMessages, prompt } = this.#options;
    const { workUrl, dialect, model, secrets } = this.#settings;
    return {
      url: secrets.scrub(workUrl),
      dialect: dialect.name,
      model,
      systemPrompt,
      temperature,
      maxTokens,
      extraBody,
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !isCredentialName(name))
          .map(hashHeader),
      ),
      buildMessages: buildMessages === undefined ? undefined : String(buildMessages),
      prompt: prompt?.fingerprint(),
    };
  }

  async close(): Promise<void> {
    this.#lease?.release();
    this.#lease = null;
  }

  #startConversation(options: ModelOptions, trial: TrialContext, answer?: AnswerFormat): ModelConversation {
    return new ModelConversation({
      settings: this.#settings,
      options,
      client: this.#client(),
      meter: new ModelMeter(trial.budget, () => this.#tokenizer()),
      trial,
      refused: this.#refused,
      clock: options.clock ?? (() => performance.now()),
      ...(answer === undefined ? {} : { answer }),
    });
  }

  #buildScript(example: Example): ConversationScript {
    const { prompt, buildMessages = prompt && ((asked: Example) => prompt.render(asked)) } = this.#options;
    return buildMessages === undefined ? buildExampleScript(example) : [...buildMessages(example), ASK];
  }

  #client(): HttpClient {
    if (this.#options.client !== undefined) return this.#options.client;
    this.#lease ??= leaseClient();
    return this.#lease.client;
  }

  #tokenizer(): Tokenizer {
    return this.#options.tokenizer ?? loadTokenizer("cl100k_base");
  }
}

/** An unknown header may affect the output, and may contain a secret. */
function hashHeader([name, value]: [string, string]): [string, string] {
  return [name, isNonSecretName(name) ? value : createHash("sha256").update(value).digest("hex")];
}

/** The names of the output limit in request bodies. */
const MAX_TOKENS_KEYS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/** The requested output limit, if any. */
function findMaxOutputTokens(
  { maxTokens, extraBody = {} }: ModelOptions,
  { dialect }: Pick<ModelSettings, "dialect">,
): Pick<Limits, "maxOutputTokens"> {
  const own = MAX_TOKENS_KEYS.filter((name) => Object.hasOwn(extraBody, name)).map((name) => extraBody[name]);
  const longest = own.length === 0 ? (maxTokens ?? dialect.usualMaxTokens) : own.find(Number.isSafeInteger);
  return typeof longest === "number" ? { maxOutputTokens: longest } : {};
}

/** Node's timers fire at once for longer delays. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const DEFAULT_TIMEOUT_MS = 600_000;
const HARD_TIMEOUT_MARGIN_MS = 30_000;

/** Options of `ModelSystem`: its endpoint, its parameters and its limits. */
export interface ModelOptions {
  /** Default: host, port, model and prompt. */
  name?: string;
  /** As the endpoint names it; optional if the endpoint has only one. */
  model?: string;
  baseUrl: string;
  /** The API format. Default: `"chat"`. */
  dialect?: DialectName;
  apiKey?: string | null;
  /** The environment variable with the key. */
  apiKeyEnv?: string;
  systemPrompt?: string;
  temperature?: number;
  maxTokens?: number;
  /** Merged into the body last; null removes a key. */
  extraBody?: Readonly<Record<string, unknown>>;
  headers?: Readonly<Record<string, string>>;
  /** For one whole call. Default: 10 minutes, or 30 seconds more than the trial's hard timeout. */
  timeoutMs?: number;
  connectTimeoutMs?: number;
  /** Between two parts of an answer. */
  idleTimeoutMs?: number;
  /** Without streaming there is no time to first token, and a call cannot be stopped midway. Default: true. */
  stream?: boolean;
  /** Replaces context, question and turns: the model is asked once, with these messages. */
  buildMessages?: (example: Example) => readonly Message[];
  /** Replaces context and question by a template with columns of the example; see `readPrompt`. */
  prompt?: Prompt;
  limits?: Limits;
  /** Allows sending a key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Default: one client shared by all systems of the process. */
  client?: HttpClient;
  /** Counts text without reported usage. Default: cl100k_base. */
  tokenizer?: Tokenizer;
  /** Milliseconds, monotonic. */
  clock?: () => number;
  /** Milliseconds since 1970, for dates in answers. */
  now?: () => number;
  env?: Readonly<Record<string, string | undefined>>;
}

/** A question to a model apart from any example. */
export type ModelQuestion = Pick<ModelRequest, "system" | "messages" | "answer">;

/** Validated options, and what is derived from them for every call. */
export interface ModelSettings {
  readonly name: string;
  readonly model: string;
  readonly dialect: Dialect;
  readonly url: string;
  /** The URL without streaming, so that the fingerprint does not depend on it. */
  readonly workUrl: string;
  /** Host and port. */
  readonly host: string;
  readonly key: ApiKey;
  readonly secrets: Secrets;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: boolean;
  readonly timeoutMs: number;
}

/** Validates the options of a model system. */
function resolveModelSettings(options: ModelOptions): ModelSettings {
  const { baseUrl, model = "", stream = true, timeoutMs = getDefaultTimeout(options.limits) } = options;
  requireValidOptions(options);
  const dialect = requireModelDialect(options.dialect ?? "chat", model);
  const key = resolveKey({ ...options, env: options.env ?? process.env });
  const own = normalizeHeaders(options.headers ?? {});
  const host = parseEndpointHost(baseUrl);
  const named = [...Object.entries(own), ...new URL(baseUrl).searchParams];
  const hasKey = key.value !== null || named.some(([name]) => !isNonSecretName(name));
  const base = requireSafeEndpoint({ url: baseUrl, hasKey, allowInsecure: options.allowInsecure ?? false });
  return {
    name: options.name ?? addPromptName(model === "" ? host : `${host}/${model}`, options.prompt),
    model,
    dialect,
    url: buildCallUrl(base, dialect.path(model, stream)),
    workUrl: buildCallUrl(base, dialect.path(model, false)),
    host,
    key,
    secrets: new Secrets(key.value, named, findSecretsInPath(baseUrl)),
    headers: { ...buildDefaultHeaders(stream), ...dialect.headers(key.value), ...own },
    stream,
    timeoutMs,
  };
}

/** The name of a model's system with one of several prompts. */
export function addPromptName(name: string, prompt: Pick<Prompt, "name"> | undefined): string {
  return prompt === undefined ? name : `${name}+${prompt.name}`;
}

/** Later than the trial's own limit: a trial stopped there is graded, but one whose call timed out is an error. */
function getDefaultTimeout(limits: Limits | undefined): number {
  const hard = limits?.hardTimeoutMs ?? null;
  return hard === null ? DEFAULT_TIMEOUT_MS : Math.min(MAX_TIMER_MS, hard + HARD_TIMEOUT_MARGIN_MS);
}

function buildDefaultHeaders(stream: boolean): Record<string, string> {
  const accept = stream ? "text/event-stream, application/json" : "application/json";
  return { "content-type": "application/json", accept, "user-agent": `assay/${VERSION}` };
}

function requireModelDialect(name: string, model: string): Dialect {
  const dialect = getOwn<Dialect>(dialects, name);
  if (dialect === undefined) {
    throw new UsageError(`Unknown dialect ${describeValue(name)}. Use one of: ${DIALECT_NAMES.join(", ")}.`);
  }
  if (name === "gemini" && model === "")
    throw new UsageError("Gemini needs a model, which is part of its URL. Name one.");
  return dialect;
}

function requireValidOptions(options: ModelOptions): void {
  const { name, model, temperature, maxTokens, prompt, buildMessages } = options;
  if (prompt !== undefined && buildMessages !== undefined)
    throw new UsageError("prompt and buildMessages both say what the model is asked. Remove one of them.");
  if (name === "") throw new UsageError("The name of a model system must not be empty. Give one, or leave it out.");
  if (model !== undefined && typeof model !== "string") {
    throw new UsageError(`The model must be a name, but is ${describeValue(model)}.`);
  }
  if (temperature !== undefined && !(temperature >= 0 && temperature <= 100)) {
    throw new UsageError(`The temperature must be a number from 0 to 100, but is ${describeValue(temperature)}.`);
  }
  if (maxTokens !== undefined && !(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
    throw new UsageError(`maxTokens must be a whole number above 0, but is ${describeValue(maxTokens)}.`);
  }
  for (const field of ["timeoutMs", "connectTimeoutMs", "idleTimeoutMs"] as const) {
    const value = options[field];
    if (value === undefined || (value > 0 && value <= MAX_TIMER_MS)) continue;
    throw new UsageError(`${field} must be above 0 and at most ${MAX_TIMER_MS}, but is ${describeValue(value)}.`);
  }
}

function normalizeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      requireSendableHeader(name, value);
      return [name.toLowerCase(), value];
    }),
  );
}

/** The message omits the value, which may be a secret. */
function requireSendableHeader(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw new UsageError(`The header ${JSON.stringify(name)} cannot be sent: its name or its value is not allowed.`);
  }
}

interface KeySource {
  /** The key itself; null if the endpoint needs none. */
  readonly apiKey?: string | null;
  /** The environment variable with the key. */
  readonly apiKeyEnv?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A key, and its description for messages. */
interface ApiKey {
  readonly value: string | null;
  /** For example "the key in OPENAI_API_KEY". */
  readonly label: string;
}

/** Reads the key of an endpoint; the error names a missing variable. */
function resolveKey({ apiKey, apiKeyEnv, env }: KeySource): ApiKey {
  if (apiKey === null) return { value: null, label: "no key" };
  if (apiKey !== undefined) return { value: requireSendableKey(apiKey, "apiKey"), label: "the key given as apiKey" };
  if (apiKeyEnv === undefined) return { value: null, label: "no key" };
  const value = env[apiKeyEnv];
  if (value === undefined || value.trim() === "") {
    throw new UsageError(`The environment variable ${apiKeyEnv} is not set. Put the endpoint's API key in it.`);
  }
  return { value: requireSendableKey(value, apiKeyEnv), label: `the key in ${apiKeyEnv}` };
}

/** A key read from a file often ends with a line feed. */
function requireSendableKey(key: string, where: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new UsageError(
    `The key in ${where} is empty or contains spaces, line breaks or other characters that keys do not have. Copy it again.`,
  );
}

/** Shorter values are placeholders; words such as "none" occur in many messages. */
const MIN_SECRET_LENGTH = 6;
/** For unknown headers: a shorter value may be a word that also occurs in answers. */
const MIN_UNKNOWN_LENGTH = 16;

function extractSecrets(name: string, value: string): string[] {
  if (isNonSecretName(name)) return [];
  const words = [value, ...value.split(/[\s;,=]+/)];
  return isCredentialName(name) ? words : words.filter(({ length }) => length >= MIN_UNKNOWN_LENGTH);
}

/** Secrets that must not be shown: the key, and secrets in headers and the URL. */
class Secrets {
  readonly #values: readonly string[];

  constructor(
    key: string | null,
    named: Iterable<readonly [name: string, value: string]>,
    others: readonly string[] = [],
  ) {
    const words = Array.from(named).flatMap(([name, value]) => extractSecrets(name, value));
    const all = [...(key === null ? [] : [key]), ...words, ...others].filter(
      ({ length }) => length >= MIN_SECRET_LENGTH,
    );
    this.#values = [...new Set(all)].sort((a, b) => b.length - a.length);
  }

  get hasAny(): boolean {
    return this.#values.length > 0;
  }

  /** Removes the secrets from a text: some endpoints repeat the key in errors and answers. */
  scrub(text: string): string {
    return this.#values.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
  }

  /** Distinguishes accounts without revealing them; "" without secrets. */
  get mark(): string {
    if (!this.hasAny) return "";
    return createHash("sha256").update(this.#values.join("\n")).digest("hex").slice(0, 8);
  }
}

/**
 * The URL of a call. OpenAI's base URLs end with a version, most others do not, and users give them either way: a base
 * without a path gets `/v1`, a version in both is not repeated, and a base that is already the full URL stays unchanged.
 * @example
 * buildCallUrl(new URL("http://127.0.0.1:8080"), "/chat/completions"); // "http://127.0.0.1:8080/v1/chat/completions"
 */
export function buildCallUrl(base: URL, path: string): string {
  const [route = "", query = ""] = path.split("?");
  const url = new URL(base);
  url.pathname = joinUrlPath(base.pathname.replace(/\/+$/, ""), route);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  url.hash = "";
  return url.href;
}

function joinUrlPath(base: string, route: string): string {
  if (base.endsWith(route)) return base;
  const version = /^\/v\d[a-z\d]*(?=\/)/.exec(route)?.[0];
  if (version !== undefined) return base.endsWith(version) ? base + route.slice(version.length) : base + route;
  return (base === "" ? "/v1" : base) + route;
}
