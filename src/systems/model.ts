import { createHash } from "node:crypto";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { performance } from "node:perf_hooks";
import type {
  Effort,
  Example,
  Limits,
  Output,
  ServiceTier,
  System,
  Tokenizer,
  TrialContext,
  TrialKey,
  UserSimulator,
} from "../core/index.js";
import {
  describeValue,
  findSecretsInPath,
  getOwn,
  isCredentialName,
  isNonSecretName,
  omitUndefined,
  parseEffort,
  readUserRole,
  selectServicePrice,
  UsageError,
  VERSION,
} from "../core/index.js";
import {
  type Batches,
  buildBedrockEffort,
  type ClientLease,
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  dialects,
  type EffortRequest,
  findCapabilities,
  type HttpClient,
  leaseClient,
  loadTokenizer,
  type Message,
  type ModelCapabilities,
  type ModelRequest,
  openClient,
  parseEndpointHost,
  requireEffort,
  requireSafeEndpoint,
  type Traffic,
  vertexAnthropic,
} from "../models/index.js";
import { canInjectFaults } from "./gateway-paths.js";
import { ModelMeter } from "./model-call.js";
import {
  ASK,
  buildExampleScript,
  type ConversationOptions,
  type ConversationScript,
  ModelConversation,
} from "./model-conversation.js";
import { addModelFiles, checkExampleFiles, countFileTokens, describeSentFiles, loadModelFiles } from "./model-files.js";
import { type ApiKey, createBedrockSigner, type RequestSigner, resolveKey, Secrets } from "./model-key.js";
import type { Prompt } from "./prompts/prompt.js";
import { requireUserSimulator, startUser } from "./simulated-user.js";

/**
 * A model behind an endpoint.
 * @example
 * new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-6-luna", apiKeyEnv: "OPENAI_API_KEY" });
 */
export class ModelSystem implements System {
  readonly name: string;
  /** Host, port and a hash that distinguishes accounts. Absent in batches: they need no limit on concurrent calls. */
  declare readonly endpoint?: string;
  readonly harness = "api";
  declare readonly model?: string;
  declare readonly effort?: Effort;
  declare readonly limits?: Limits;
  declare readonly prompt?: string;
  declare readonly listInputTexts?: (example: Example) => readonly string[];
  readonly #options: ModelOptions;
  readonly #settings: ModelSettings;
  /** Parameters that the model is known to reject or has rejected: calls omit them. */
  readonly #refused: Set<string>;
  #lease: ClientLease | null = null;
  /** Its own client, where its calls are recorded or replayed. */
  #trafficClient: HttpClient | null = null;
  /** Null if requests are sent one by one. */
  readonly #batch: HttpClient | null;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#settings = resolveModelSettings(options);
    const { name, model, host, secrets, url, dialect, headers } = this.#settings;
    this.name = name;
    if (model !== "") this.model = model;
    if (options.effort !== undefined) this.effort = options.effort;
    this.#refused = new Set(listKnownRefusals(this.#settings, options.effort));
    const { batches } = options;
    if (batches === undefined) this.endpoint = secrets.mark === "" ? host : `${host} ${secrets.mark}`;
    const scrub = (text: string) => secrets.scrub(text);
    this.#batch = batches?.open({ dialect, model, name, url, headers, scrub, client: this.#client() }) ?? null;
    if (options.prompt !== undefined) {
      const { prompt } = options;
      this.prompt = prompt.name;
      this.listInputTexts = (example) => prompt.render(example).flatMap(({ parts }) => parts);
    }
    if (options.limits !== undefined)
      this.limits = {
        ...applyServiceTier(options.limits, batches === undefined ? options.serviceTier : "batch"),
        ...(batches === undefined ? {} : { hardTimeoutMs: null }),
        ...findMaxOutputTokens(options, this.#settings),
      };
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const { prompt, buildMessages } = this.#options;
    const isConversation = prompt === undefined && buildMessages === undefined;
    const loaded = await loadModelFiles(example);
    const script = addModelFiles(this.#buildScript(example), loaded, isConversation ? "first" : "last");
    const key = { system: this.name, dataset: example.dataset ?? "", exampleId: example.id, trial: trial.trial };
    const { tokens: fileTokens } = countFileTokens(example, this.#settings);
    const user = startUser(example, { simulator: this.#options.user, trial, key });
    const answered = await this.#converse(script, trial, { key, fileTokens, ...(user !== null && { user }) }).finally(
      () => {
        const note = this.#options.traffic?.describeTrial(key) ?? null;
        if (note !== null) trial.log(note);
      },
    );
    const sentFiles = describeSentFiles(example);
    const output = sentFiles.length === 0 ? answered : { ...answered, metadata: { ...answered.metadata, sentFiles } };
    return this.#batch === null ? output : omitTimes(output);
  }

  /** False for batches, and for addresses that the gateway cannot stand in for. */
  get takesFaults(): boolean {
    return this.#batch === null && canInjectFaults(this.#settings.url, this.#settings.dialect.name);
  }

  /** With faults, through a gateway for this trial. */
  async #converse(script: ConversationScript, trial: TrialContext, asked: AskedConversation): Promise<Output> {
    if (trial.faults === undefined) return this.#startConversation(this.#options, trial, asked).run(script);
    const { url, dialect } = this.#settings;
    const { openFaultyEndpoint } = await import("./faulty-endpoint.js");
    const endpoint = await openFaultyEndpoint({ url, dialect: dialect.name }, trial.faults);
    try {
      return await this.#startConversation(this.#options, trial, { ...asked, url: endpoint.url }).run(script);
    } finally {
      await endpoint.close();
    }
  }

  /**
   * Asks the model a question that is not an example, as judges do. The system's own prompt comes before the question's.
   * Throws like `process`; retrying is up to the caller.
   * @example
   * await system.ask({ messages: [{ role: "user", parts: ["Is the sky blue?"] }] }, signal); // { response: "Yes.", … }
   */
  async ask(
    { system, messages, answer, trial: key, by = "judge" }: ModelQuestion,
    signal: AbortSignal,
  ): Promise<Output> {
    const prompts = [this.#options.systemPrompt, system].filter((text) => text !== undefined && text !== "");
    const options = { ...this.#options, ...(prompts.length > 0 && { systemPrompt: prompts.join("\n\n") }) };
    const trial = { signal, budget: null, trial: 0, seed: 0, log: () => {} };
    return this.#startConversation(options, trial, { ...omitUndefined({ answer, key }), by }).run([...messages, ASK]);
  }

  /** The most tokens that the images and files of an example can count; null if it cannot be known. */
  countFileTokens(example: Example): number | null {
    const { tokens, isComplete } = countFileTokens(example, this.#settings);
    return isComplete ? tokens : null;
  }

  /**
   * Throws a `PromptError` if the example lacks a column that the prompt inserts, and a `UsageError` if it has images or
   * files that cannot be sent.
   */
  checkExample(example: Example): void {
    this.#options.prompt?.render(example);
    checkExampleFiles(example, this.#settings);
    requireUserSimulator(example, this.#options.user);
    const asksOnce = this.#buildScript(example).filter((step) => step === ASK).length <= 1;
    if (this.#batch === null || (asksOnce && readUserRole(example) === null)) return;
    throw new UsageError(
      `Example "${example.id}" asks several times, each time with the answer before: it cannot be sent in a batch to ${this.name}. Run it without --batch.`,
    );
  }

  /** Everything that affects the output, without secrets. */
  fingerprint(): unknown {
    const { systemPrompt, temperature, maxTokens, serviceTier, extraBody, headers = {} } = this.#options;
    const { buildMessages, effort, prompt, user } = this.#options;
    const { workUrl, dialect, model, secrets } = this.#settings;
    return {
      url: secrets.scrub(workUrl),
      dialect: dialect.name,
      model,
      systemPrompt,
      temperature,
      maxTokens,
      serviceTier,
      effort,
      extraBody,
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !isCredentialName(name))
          .map(hashHeader),
      ),
      buildMessages: buildMessages === undefined ? undefined : String(buildMessages),
      prompt: prompt?.fingerprint(),
      user: user?.fingerprint(),
    };
  }

  async close(): Promise<void> {
    this.#lease?.release();
    this.#lease = null;
    this.#trafficClient?.close();
    this.#trafficClient = null;
    await this.#options.user?.close();
  }

  #startConversation(
    options: ModelOptions,
    trial: TrialContext,
    { url = this.#settings.url, ...asked }: AskedConversation & { url?: string },
  ): ModelConversation {
    return new ModelConversation({
      settings: url === this.#settings.url ? this.#settings : { ...this.#settings, url },
      options,
      client: this.#batch ?? this.#client(),
      meter: new ModelMeter(trial.budget, () => this.#tokenizer()),
      trial,
      refused: this.#refused,
      clock: options.clock ?? (() => performance.now()),
      ...asked,
    });
  }

  #buildScript(example: Example): ConversationScript {
    const { prompt, buildMessages = prompt && ((asked: Example) => prompt.render(asked)) } = this.#options;
    return buildMessages === undefined ? buildExampleScript(example) : [...buildMessages(example), ASK];
  }

  #client(): HttpClient {
    const { client, traffic } = this.#options;
    if (client !== undefined) return client;
    if (traffic !== undefined) {
      this.#trafficClient ??= openClient({ wrap: traffic.wrap });
      return this.#trafficClient;
    }
    this.#lease ??= leaseClient();
    return this.#lease.client;
  }

  #tokenizer(): Tokenizer {
    return this.#options.tokenizer ?? loadTokenizer("cl100k_base");
  }
}

type AskedConversation = Pick<ConversationOptions, "answer" | "key" | "by" | "fileTokens" | "user">;

/** Nothing about speed can be measured in a batch. */
function omitTimes({ ttftMs: _, firstAttemptMs: __, tokensPerSec: ___, ...output }: Output): Output {
  return { ...output, latency: null };
}

/** An unknown header may affect the output, and may contain a secret. */
function hashHeader([name, value]: [string, string]): [string, string] {
  return [name, isNonSecretName(name) ? value : createHash("sha256").update(value).digest("hex")];
}

/** Trials are billed and limited at the price of their service tier. If that is unknown, no limit can be enforced. */
function applyServiceTier(limits: Limits, service: ServiceTier | undefined): Limits {
  if (service === undefined || limits.price === null) return limits;
  const price = selectServicePrice(limits.price, service);
  return price === null ? { ...limits, price, maxCostUsd: null } : { ...limits, price };
}

/** The names of the output limit in request bodies. */
const MAX_TOKENS_KEYS = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/** The requested output limit, if any. */
function findMaxOutputTokens(
  { extraBody = {} }: ModelOptions,
  { dialect, maxTokens }: Pick<ModelSettings, "dialect" | "maxTokens">,
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
  /** The header of the key: `api-key` for Azure, `authorization` for a bearer token. Default: that of the API format. */
  keyHeader?: "api-key" | "authorization";
  systemPrompt?: string;
  temperature?: number;
  maxTokens?: number;
  /** How much the model thinks: `low`, `high` and so on, or a number of thinking tokens. Default: the model's own. */
  effort?: Effort;
  /** Who serves the model, such as `openrouter`: decides what is known about it. */
  provider?: string | null;
  /** `flex` is cheaper and slow, `priority` is fast. Default: the provider's standard one. */
  serviceTier?: ServiceTier;
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
  /** Sends requests in batches, at the batch price. Pass the same object to `evaluate`. */
  batches?: Batches;
  /** Allows sending a key over plain http to another machine. */
  allowInsecure?: boolean;
  /** Default: one client shared by all systems of the process. */
  client?: HttpClient;
  /** Plays the users of examples that have one. */
  user?: UserSimulator;
  /** Records its calls, or answers them from a recording; see `recordTraffic` and `replayTraffic`. */
  traffic?: Traffic;
  /** Counts text without reported usage. Default: cl100k_base. */
  tokenizer?: Tokenizer;
  /** Milliseconds, monotonic. */
  clock?: () => number;
  /** Milliseconds since 1970, for dates in answers. */
  now?: () => number;
  env?: Readonly<Record<string, string | undefined>>;
}

/** A question to a model apart from any example. */
export interface ModelQuestion extends Pick<ModelRequest, "system" | "messages" | "answer"> {
  /** The trial that it is about. */
  readonly trial?: TrialKey;
  /** Who asks, where requests are recorded. Default: judge. */
  readonly by?: "judge" | "user";
}

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
  /** The headers that sign one request; absent if a key is enough. */
  readonly sign?: RequestSigner;
  readonly secrets: Secrets;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream: boolean;
  readonly timeoutMs: number;
  /** Null for an unknown model. */
  readonly capabilities: ModelCapabilities | null;
  readonly effort: EffortRequest | undefined;
  readonly maxTokens: number | undefined;
}

/** Validates the options of a model system. */
function resolveModelSettings(options: ModelOptions): ModelSettings {
  const { baseUrl, model = "", batches } = options;
  const stream = batches === undefined && (options.stream ?? true);
  // A batch may take days.
  const timeoutMs = batches === undefined ? (options.timeoutMs ?? getDefaultTimeout(options.limits)) : MAX_TIMER_MS;
  requireValidOptions(options);
  const dialect = selectPublisherDialect(requireModelDialect(options.dialect ?? "chat", model), options);
  requireServiceTier(dialect, options);
  const capabilities = findCapabilities({ model, provider: options.provider ?? null });
  const effort = resolveEffort(options, dialect, capabilities);
  const env = options.env ?? process.env;
  // Nothing is sent, so no key is needed.
  const key = options.traffic?.isOffline === true ? resolveKey({ apiKey: null, env }) : resolveKey({ ...options, env });
  const own = normalizeHeaders(options.headers ?? {});
  const host = parseEndpointHost(baseUrl);
  const named = [...Object.entries(own), ...new URL(baseUrl).searchParams];
  const hasKey = key.value !== null || named.some(([name]) => !isNonSecretName(name));
  const base = requireSafeEndpoint({ url: baseUrl, hasKey, allowInsecure: options.allowInsecure ?? false });
  return {
    name: options.name ?? addPromptName(model === "" ? host : `${host}/${model}`, options.prompt),
    model,
    dialect,
    url: buildCallUrl(base, dialect.path(model, stream), dialect.isRooted),
    workUrl: buildCallUrl(base, dialect.path(model, false), dialect.isRooted),
    host,
    key,
    ...(key.aws === undefined
      ? {}
      : { sign: createBedrockSigner(key.aws, { url: base, env, now: options.now ?? Date.now }) }),
    secrets: new Secrets(key, named, findSecretsInPath(baseUrl)),
    headers: { ...buildDefaultHeaders(dialect, stream), ...buildKeyHeaders(dialect, key, options.keyHeader), ...own },
    stream,
    timeoutMs,
    capabilities,
    effort,
    maxTokens: resolveMaxTokens(options, dialect, capabilities),
  };
}

/** OpenRouter by its name as a provider, or by its address. */
function isRouter({ provider, baseUrl }: ModelOptions): boolean {
  return provider?.toLowerCase() === "openrouter" || /^https?:\/\/(?:[\w-]+\.)*openrouter\.ai(?:[:/]|$)/i.test(baseUrl);
}

/** Rejects an effort that the model or its API format is known not to support, before anything is spent. */
function resolveEffort(
  options: ModelOptions,
  dialect: Dialect,
  capabilities: ModelCapabilities | null,
): EffortRequest | undefined {
  const { model = "", provider = null, effort, maxTokens } = options;
  if (effort === undefined) return undefined;
  const value = parseEffort(effort, "effort");
  const isRouted = isRouter(options);
  requireEffort(value, { model, provider });
  if (typeof value === "number" && !isRouted && NAMED_EFFORT_DIALECTS.includes(dialect.name))
    throw new UsageError(
      `The API format ${dialect.name} takes no number of thinking tokens as effort, but is given ${value}. Use low, medium or high.`,
    );
  const sent: EffortRequest = { value, isAdaptive: capabilities?.effort?.isAdaptive ?? true, isRouted };
  if (dialect.name === "bedrock" && buildBedrockEffort(model, sent) === null)
    throw new UsageError(
      `How Bedrock's model ${model} takes the effort ${value} is not known. Give its own field with extraBody (--extra-body), in additionalModelRequestFields.`,
    );
  if (
    typeof value === "number" &&
    BUDGET_DIALECTS.includes(dialect.name) &&
    maxTokens !== undefined &&
    maxTokens <= value
  )
    throw new UsageError(
      `The effort of ${value} thinking tokens leaves nothing for an answer of at most ${maxTokens} tokens. Raise maxTokens above ${value}, or lower the effort.`,
    );
  return sent;
}

/** Thinking tokens are part of the longest answer there. */
const BUDGET_DIALECTS: readonly DialectName[] = ["anthropic", "bedrock"];

const NAMED_EFFORT_DIALECTS: readonly DialectName[] = ["chat", "responses"];

/** For thinking and answer together, where an API format requires a limit and the model thinks. */
const THINKING_MAX_TOKENS = 32_000;

/** The requested output limit, at most what the model can write. */
function resolveMaxTokens(
  { maxTokens, effort }: ModelOptions,
  { usualMaxTokens }: Dialect,
  capabilities: ModelCapabilities | null,
): number | undefined {
  const most = capabilities?.maxOutputTokens ?? Number.POSITIVE_INFINITY;
  if (maxTokens !== undefined) return Math.min(maxTokens, most);
  if (usualMaxTokens === undefined || effort === undefined || effort === "none") return undefined;
  return Math.min(typeof effort === "number" ? effort + usualMaxTokens : THINKING_MAX_TOKENS, most);
}

/** The parameters with which each API format asks for structured output. */
const STRUCTURED_PARAMETERS: Readonly<Record<DialectName, readonly string[]>> = {
  chat: ["response_format"],
  responses: ["text"],
  anthropic: ["output_config"],
  gemini: ["responseSchema", "responseMimeType"],
  bedrock: ["outputConfig"],
};

/** Models that accept these as long as they do not think. */
const SAMPLING_PARAMETERS = ["temperature", "top_p"];

/** The parameters that the model is known to reject. */
function listKnownRefusals({ capabilities, dialect }: ModelSettings, effort: Effort | undefined): string[] {
  if (capabilities === null) return [];
  const { refused, structuredOutput, maker } = capabilities;
  const takesSampling = effort === "none" && maker === "openai";
  return [
    ...refused.filter((name) => !takesSampling || !SAMPLING_PARAMETERS.includes(name)),
    ...(structuredOutput === false ? STRUCTURED_PARAMETERS[dialect.name] : []),
  ];
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

function buildDefaultHeaders({ streamType = "text/event-stream" }: Dialect, stream: boolean): Record<string, string> {
  const accept = stream ? `${streamType}, application/json` : "application/json";
  return { "content-type": "application/json", accept, "user-agent": `assay/${VERSION}` };
}

/** An access key of AWS signs each request instead. */
function buildKeyHeaders(
  dialect: Dialect,
  { value, aws }: ApiKey,
  name: ModelOptions["keyHeader"],
): Record<string, string> {
  const key = aws === undefined ? value : null;
  if (name === undefined || key === null) return dialect.headers(key);
  return { ...dialect.headers(null), [name]: name === "authorization" ? `Bearer ${key}` : key };
}

/** Vertex AI serves Anthropic's models below their own publisher. */
function selectPublisherDialect(dialect: Dialect, { baseUrl, model = "" }: ModelOptions): Dialect {
  const path = URL.canParse(baseUrl) ? new URL(baseUrl).pathname : "";
  if (dialect.name !== "anthropic" || !/\/publishers\/anthropic\/?$/.test(path)) return dialect;
  if (model === "") throw new UsageError("Vertex AI needs a model, which is part of its URL. Name one.");
  return vertexAnthropic;
}

function requireModelDialect(name: string, model: string): Dialect {
  const dialect = getOwn<Dialect>(dialects, name);
  if (dialect === undefined) {
    throw new UsageError(`Unknown dialect ${describeValue(name)}. Use one of: ${DIALECT_NAMES.join(", ")}.`);
  }
  if (name === "gemini" && model === "")
    throw new UsageError("Gemini needs a model, which is part of its URL. Name one.");
  if (name === "bedrock" && model === "")
    throw new UsageError("Amazon Bedrock needs a model, which is part of its URL. Name one.");
  return dialect;
}

function requireServiceTier({ name, serviceTiers }: Dialect, { serviceTier: service, batches }: ModelOptions): void {
  if (service === undefined) return;
  if (batches !== undefined)
    throw new UsageError(
      `The service tier ${service} cannot be used in batches, which are a tier of their own. Remove one.`,
    );
  if (serviceTiers.includes(service)) return;
  throw new UsageError(
    `The API format ${name} has no service tier ${JSON.stringify(service)}. Use ${serviceTiers.join(" or ")}, or leave it out.`,
  );
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

/**
 * The URL of a call. OpenAI's base URLs end with a version, most others do not, and users give them either way: a base
 * without a path gets `/v1`, a version in both is not repeated, and a base that is already the full URL stays unchanged.
 * @example
 * buildCallUrl(new URL("http://127.0.0.1:8080"), "/chat/completions"); // "http://127.0.0.1:8080/v1/chat/completions"
 */
export function buildCallUrl(base: URL, path: string, isRooted = false): string {
  const [route = "", query = ""] = path.split("?");
  const url = new URL(base);
  const basePath = base.pathname.replace(/\/+$/, "");
  url.pathname = isRooted ? basePath + route : joinUrlPath(basePath, route);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  url.hash = "";
  return url.href;
}

function joinUrlPath(base: string, route: string): string {
  if (base.endsWith(route)) return base;
  const version = /^\/v\d[a-z\d]*(?=\/)/.exec(route)?.[0];
  // Vertex AI has its version before the project.
  if (version !== undefined && /\/publishers\/[^/]+$/.test(base)) return base + route.slice(version.length);
  if (version !== undefined) return base.endsWith(version) ? base + route.slice(version.length) : base + route;
  return (base === "" ? "/v1" : base) + route;
}
