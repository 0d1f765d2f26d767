import { setMaxListeners } from "node:events";
import type { StopReason, Tokenizer, TrialBudget, Usage } from "../core/index.js";
import { countPromptTokens, type InfrastructureCategory, type Outlook, type Retry, TrialError } from "../core/index.js";
import {
  type AnswerDelta,
  classifyHttpStatus,
  type Dialect,
  EVENT_STREAM_TYPE,
  EventStreamReader,
  explainMissingModel,
  findRefusedParameter,
  type HttpClient,
  type HttpHeaders,
  type HttpRequest,
  type HttpResponse,
  type ProviderError,
  parseRetryAfter,
  readHeader,
  SseReader,
} from "../models/index.js";
import type { ModelReply } from "./model-conversation.js";

/** Maximum size of an error body. */
const MAX_ERROR_BYTES = 64 * 1024;

/** Maximum size of an answer that is not streamed. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Where Gemini reports the service tier of an answer. */
const GEMINI_TIER_HEADER = "x-gemini-service-tier";

/** How much of a body is kept for error messages. */
const HEAD_BYTES = 200;

export interface ModelCallOptions {
  readonly client: HttpClient;
  readonly request: HttpRequest;
  readonly dialect: Dialect;
  readonly site: CallSite;
  readonly sent: Readonly<Record<string, unknown>>;
  /** Whether a stream was requested; the content type shows what was sent. */
  readonly stream: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes one call and reads the answer into the reply. Throws a `TrialError` whose `retry` says whether the call may be
 * retried, or the abort reason of the signal.
 */
export async function callModel(options: ModelCallOptions, reply: ModelReply): Promise<void> {
  const answer = await options.client.post(options.request);
  if (answer.status >= 400) throw await createCallError(options, answer);
  reply.reader.readServiceTier(readHeader(answer.headers[GEMINI_TIER_HEADER]));
  reply.billUrl = readBillUrl(options.request.url, answer.headers);
  await readAnswer(options, answer, reply);
  const { error, finish, isComplete } = reply.reader;
  if (error !== null) throw createAnswerError(options.site.host, error);
  if (isComplete && finish === null && !reply.hasText) {
    throw createBrokenAnswerError(`${options.site.host} answered with no choices: the answer is empty.`);
  }
}

async function createCallError(
  { dialect, site, sent, now }: ModelCallOptions,
  answer: HttpResponse,
): Promise<TrialError> {
  const body = await readBeginning(answer);
  const error = createStatusError(site, {
    status: answer.status,
    headers: answer.headers,
    said: nameAwsError(answer.headers, extractErrorMessage(dialect, body)),
    now: now(),
  });
  const refused = REQUEST_ERROR_STATUSES.has(answer.status) ? findRefusedParameter(tryParseEvent(body), sent) : null;
  return refused === null ? error : new RefusedParameterError(refused, error.message);
}

/** AWS names the kind of an error in a header, such as `ThrottlingException:http://…`. */
function nameAwsError(headers: HttpHeaders, message: string): string {
  const [name = ""] = readHeader(headers["x-amzn-errortype"]).split(":");
  if (name === "") return message;
  return message === "" ? name : `${name}: ${message}`;
}

/** Statuses about the request itself. */
const REQUEST_ERROR_STATUSES = new Set([400, 422]);

function extractErrorMessage(dialect: Dialect, body: string): string {
  if (isHtml(body)) return "an HTML page";
  const parsed = tryParseEvent(body);
  const error = parsed === undefined ? null : dialect.errorIn(parsed);
  return shortenLine(error?.message ?? body, 500);
}

/** An error body may be long or truncated: the part that arrived is enough. */
async function readBeginning(answer: HttpResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    await answer.read((chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size < MAX_ERROR_BYTES;
    });
  } catch (error) {
    if (!(error instanceof TrialError)) throw error;
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readAnswer(options: ModelCallOptions, answer: HttpResponse, reply: ModelReply): Promise<void> {
  const type = readHeader(answer.headers["content-type"]);
  if (/html/i.test(type)) {
    answer.discard();
    throw createUnexpectedAnswerError(options.site, "<html");
  }
  const isWhole = type === "" ? !options.stream : /json(?!l)/i.test(type) && !/ndjson|stream/i.test(type);
  await (isWhole ? readWhole(options, answer, reply) : readStream(options, answer, reply));
}

async function readWhole({ site }: ModelCallOptions, answer: HttpResponse, reply: ModelReply): Promise<void> {
  const text = await answer.text(MAX_ANSWER_BYTES);
  if (isHtml(text)) throw createUnexpectedAnswerError(site, text);
  const body = tryParseEvent(text);
  if (body === undefined)
    throw createBrokenAnswerError(`${site.host} answered with malformed JSON: ${shortenLine(text, 80)}`);
  reply.takeWhole(body);
  if (reply.reader.unknownEvents > 0 && !reply.hasBegun) throw createUnexpectedAnswerError(site, text);
}

async function readStream({ site }: ModelCallOptions, answer: HttpResponse, reply: ModelReply): Promise<void> {
  const stream = new StreamConsumer(site, reply);
  const isCutShort = await stream.read(answer);
  if (isCutShort || reply.reader.isComplete || reply.reader.error !== null) return;
  if (!reply.hasBegun && stream.isForeign) throw createUnexpectedAnswerError(site, stream.head);
  const where = reply.hasText ? "in the middle of the answer" : "without an answer";
  throw createBrokenAnswerError(`${site.host} ended its stream ${where}.`);
}

/** Reads the events of a stream into a reply. */
class StreamConsumer {
  /** The first bytes, for messages. */
  head = "";
  readonly #site: CallSite;
  readonly #reply: ModelReply;
  #events = 0;
  #isStopped = false;
  #isAtEnd = false;

  constructor(site: CallSite, reply: ModelReply) {
    this.#site = site;
    this.#reply = reply;
  }

  /** Reads to the end, or until reading on is useless; returns true in that case. */
  async read(answer: HttpResponse): Promise<boolean> {
    const events = this.#openReader(readHeader(answer.headers["content-type"]));
    await answer.read((chunk) => {
      if (this.head.length < HEAD_BYTES) this.head += chunk.toString("latin1", 0, HEAD_BYTES);
      return events.push(chunk);
    });
    this.#isAtEnd = true;
    events.end?.();
    return this.#isStopped;
  }

  /** True if the content is not in this dialect. */
  get isForeign(): boolean {
    const { unknownEvents } = this.#reply.reader;
    return this.#events === 0 ? this.head.trim() !== "" : unknownEvents === this.#events;
  }

  #openReader(contentType: string): EventReader {
    const source = this.#site.host;
    if (contentType.startsWith(EVENT_STREAM_TYPE))
      return new EventStreamReader({ onEvent: (event) => this.#takeEvent(event), source });
    return new SseReader({ onData: (data) => this.#takeData(data), source });
  }

  #takeData(data: string): boolean {
    const event = data === "[DONE]" ? data : tryParseEvent(data);
    // An incomplete last event means that the stream was cut off, which is reported elsewhere.
    if (event === undefined && this.#isAtEnd) return false;
    if (event === undefined)
      throw createBrokenAnswerError(`${this.#site.host} sent malformed JSON: ${shortenLine(data, 80)}`);
    return this.#takeEvent(event);
  }

  #takeEvent(event: unknown): boolean {
    this.#events += 1;
    this.#isStopped = !this.#reply.takeEvent(event);
    return !this.#isStopped;
  }
}

/** Reads events from the chunks of a body; `push` returns false when reading on is useless. */
interface EventReader {
  push(chunk: Buffer): boolean;
  end?(): void;
}

/** Returns undefined for malformed JSON: it is not a JSON value. */
function tryParseEvent(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Characters between two counts: counting more often costs more than it helps. */
const COUNT_EVERY = 64;

const NO_USAGE: Usage = Object.freeze({ input: 0, output: 0 });

/** Keeps the budget of a trial up to date while answers stream in: with the provider's usage, and until then with estimates. */
export class ModelMeter {
  readonly #budget: TrialBudget | null;
  readonly #tokenizer: () => Tokenizer;
  /** Tokens of earlier calls without reported usage. */
  #unreportedOutput = 0;
  #unreportedInput = 0;
  #prompt: () => string = () => "";
  #fileTokens = 0;
  /** Tokens of this call's prompt, counted on demand. */
  #promptTokens: number | null = null;
  #added = NO_USAGE;
  #streamed = 0;
  #uncounted = "";

  constructor(budget: TrialBudget | null, tokenizer: () => Tokenizer) {
    this.#budget = budget;
    this.#tokenizer = tokenizer;
  }

  get isExceeded(): boolean {
    return this.#budget?.bill.exceeded ?? false;
  }

  /** Output tokens counted in the text of this call; null without a budget. */
  get streamedTokens(): number | null {
    return this.#budget === null ? null : this.#streamed;
  }

  /** Starts a call. Its prompt is counted only if no usage is reported. */
  beginCall(prompt: () => string, fileTokens = 0): void {
    this.#prompt = prompt;
    this.#fileTokens = fileTokens;
    this.#promptTokens = null;
  }

  addText({ text, hidden }: AnswerDelta): void {
    if (this.#budget === null) return;
    this.#uncounted += text + hidden;
    if (this.#uncounted.length < COUNT_EVERY) return;
    this.#count();
    this.#estimate(
      this.#unreportedOutput + this.#beyondReported(),
      this.#unreportedInput + this.#promptBeyondReported(),
    );
  }

  /** Adds the usage that the provider has reported for this call so far. */
  addUsage(usage: Usage | null, service: string | null): void {
    if (this.#budget === null || usage === null || usage === this.#added) return;
    this.#budget.add(subtractUsage(usage, this.#added), countPromptTokens(usage), service);
    this.#added = usage;
    this.#estimate(this.#unreportedOutput, this.#unreportedInput);
  }

  /** Ends a call. Streamed text without reported usage stays an estimate. */
  endCall(isReported: boolean): void {
    if (this.#budget !== null && !isReported) {
      this.#count();
      // A rejected call costs nothing; once an answer has begun, the prompt has been read.
      if (this.#streamed > 0) this.#unreportedInput += this.#promptBeyondReported();
      this.#unreportedOutput += this.#beyondReported();
      this.#estimate(this.#unreportedOutput, this.#unreportedInput);
    }
    this.#added = NO_USAGE;
    this.#uncounted = "";
    this.#streamed = 0;
  }

  #estimate(output: number, input: number): void {
    if (output + input > 0) this.#budget?.estimate(output, input);
  }

  #count(): void {
    if (this.#uncounted !== "") this.#streamed += this.#tokenizer().count(this.#uncounted);
    this.#uncounted = "";
  }

  #beyondReported(): number {
    return Math.max(0, this.#streamed - this.#added.output);
  }

  #promptBeyondReported(): number {
    if (countPromptTokens(this.#added) > 0) return 0;
    this.#promptTokens ??= this.#tokenizer().count(this.#prompt()) + this.#fileTokens;
    return this.#promptTokens;
  }
}

/** Never negative, because a reader's counts never decrease. */
function subtractUsage(usage: Usage, before: Usage): Usage {
  const cacheWrite = (usage.cacheWrite ?? 0) - (before.cacheWrite ?? 0);
  return {
    input: usage.input - before.input,
    output: usage.output - before.output,
    cacheRead: (usage.cacheRead ?? 0) - (before.cacheRead ?? 0),
    cacheWrite,
    // Reported after the total it is part of, it can no longer be billed separately.
    cacheWrite1h: Math.min(cacheWrite, (usage.cacheWrite1h ?? 0) - (before.cacheWrite1h ?? 0)),
    reasoning: (usage.reasoning ?? 0) - (before.reasoning ?? 0),
  };
}

/** Header of our gateway with the path of the call's bill. */
const CALL_HEADER = "assay-call";

/** Short, because the gateway runs on this machine. */
const BILL_TIMEOUT_MS = 1500;

const MAX_BILL_BYTES = 10_000;

/** A call's usage as metered by a gateway. */
export interface GatewayBill {
  readonly usage: Usage;
  readonly isEstimated: boolean;
}

/** The URL of a call's bill, always on the host of the call; null if the endpoint sent none. */
function readBillUrl(url: string, headers: Readonly<Record<string, unknown>>): string | null {
  const path = headers[CALL_HEADER];
  return typeof path === "string" && /^\/[\w/-]+$/.test(path) ? new URL(path, new URL(url).origin).href : null;
}

/**
 * Asks a gateway for the usage of a call that was aborted before the provider reported it. Null if the gateway does not
 * answer; then the usage is estimated.
 */
export async function fetchBill(client: HttpClient, url: string): Promise<GatewayBill | null> {
  try {
    const answer = await client.post({ url, headers: {}, body: "", signal: AbortSignal.timeout(BILL_TIMEOUT_MS) });
    const bill = JSON.parse(await answer.text(MAX_BILL_BYTES)) as GatewayBill | null;
    return answer.status === 200 && isBilledUsage(bill?.usage) ? bill : null;
  } catch {
    return null;
  }
}

function isBilledUsage(usage: Usage | undefined): boolean {
  return Number.isSafeInteger(usage?.input) && Object.values(usage ?? {}).every((count) => Number.isSafeInteger(count));
}

/** The signal of one call: aborted with the trial, or after a timeout. */
export class CallSignal {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(outer: AbortSignal, timeoutMs: number, host: string) {
    this.#outer = outer;
    // One signal may serve a whole run with hundreds of concurrent calls: this is not a leak.
    setMaxListeners(0, outer);
    outer.addEventListener("abort", this.#onAbort);
    if (outer.aborted) this.#onAbort();
    const late = () =>
      new TrialError("timeout", `${host} took longer than ${timeoutMs} ms.`, { retry: { afterMs: null } });
    this.#timer = setTimeout(() => this.#controller.abort(late()), timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  release(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#controller.abort(this.#outer.reason);
}

/** Which of its own limits stopped a trial; null if it was stopped for another reason, or not at all. */
export function readStopReason({ aborted, reason }: AbortSignal): StopReason | null {
  const { code } = (aborted ? (reason ?? {}) : {}) as { code?: unknown };
  if (code === "TIME_KILLED") return "time_killed";
  return code === "COST_KILLED" ? "cost_killed" : null;
}

/** Details of the call for error messages. */
interface CallSite {
  readonly url: string;
  /** Host and port. */
  readonly host: string;
  readonly model: string;
  /** Null if unknown. */
  readonly provider: string | null;
  readonly keyLabel: string;
}

/** An answer with an error status. */
interface FailedAnswer {
  readonly status: number;
  readonly headers: HttpHeaders;
  /** A short excerpt of the body's message; "" if there is none. */
  readonly said: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A request was rejected because of one parameter, and may be sent without it. */
export class RefusedParameterError extends TrialError {
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super("api_error", message, { outlook: "rejected" });
    this.parameter = parameter;
  }
}

/** Converts an error status to an error that says whether the call may be retried. */
function createStatusError(site: CallSite, { status, headers, said, now }: FailedAnswer): TrialError {
  const category = classifyHttpStatus(status);
  const isPassing = category !== "api_error" || isServerFault(status);
  const retry = { afterMs: parseRetryAfter(headers, now) };
  const outlook = classifyOutlook(status, said);
  return new TrialError(category, explainStatus(site, { status, said, now }), {
    ...(isPassing && { retry }),
    ...(outlook !== null && { outlook }),
  });
}

/** A request rejected for its content says nothing about other requests. */
const CONTENT_FILTER = /content.?(?:filter|policy|management)|flagged|moderat|safety/i;

function classifyOutlook(status: number, said: string): Outlook | null {
  if (classifyHttpStatus(status) !== "api_error" || CONTENT_FILTER.test(said)) return null;
  if (isServerFault(status)) return "down";
  return [401, 403, 404].includes(status) ? "refused" : "rejected";
}

/** 424 is Bedrock's status for a model that failed. */
function isServerFault(status: number): boolean {
  return status >= 500 || status === 424;
}

function explainStatus(
  { host, url, model, provider, keyLabel }: CallSite,
  { status, said, now }: Pick<FailedAnswer, "status" | "said" | "now">,
): string {
  const words = said === "" ? "." : `: ${said}`;
  const named = model === "" ? "" : ` for the model "${model}"`;
  if (status === 401 || status === 403) {
    const refused = keyLabel === "no key" ? "it requires a key, but none was given" : `${keyLabel} was rejected`;
    return `${host} answered ${status}: ${refused}${said === "" ? "." : ` (${said}).`}`;
  }
  if (status === 404) {
    const known = model === "" ? null : explainMissingModel({ model, provider }, new Date(now));
    const hint = known === null ? "" : ` ${known}`;
    return `${host} answered 404${named} at ${url}.${hint} Check the base URL and the model's name${words}`;
  }
  return `${host} answered ${status}${named}${words}`;
}

/** An error inside an answer. Overloaded providers report it there, too. */
function createAnswerError(host: string, { message, type }: ProviderError): TrialError {
  const isLimit = /rate.?limit|overloaded|throttling|resource_exhausted|^429$|^529$/i.test(type ?? "");
  const kind = type === null ? "" : ` (${type})`;
  const text = `${host} aborted its answer with an error${kind}: ${message}`;
  // Bedrock's word for a request that is wrong, which it is again when repeated.
  if (type === "validationException") return new TrialError("api_error", text, { outlook: "rejected" });
  return createRetryableError(isLimit ? "rate_limit" : "api_error", text);
}

/** A broken answer; a retry may succeed. */
function createBrokenAnswerError(message: string): TrialError {
  return createRetryableError("api_error", message);
}

/** An answer in another format; a retry would not help. */
function createUnexpectedAnswerError(site: CallSite, head: string): TrialError {
  const advice = `Check the base URL and the dialect (${site.url}).`;
  if (isHtml(head)) {
    return new TrialError(
      "api_error",
      `${site.host} answered with HTML (a login page or a wrong base URL?). ${advice}`,
    );
  }
  const shown = head.trim() === "" ? "nothing" : JSON.stringify(shortenLine(head, 80));
  return new TrialError("api_error", `${site.host} returned an unexpected answer: ${shown}. ${advice}`);
}

function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml|!--)/i.test(text);
}

function shortenLine(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}

function createRetryableError(category: InfrastructureCategory, message: string): TrialError {
  const retry: Retry = { afterMs: null };
  return new TrialError(category, message, { retry });
}
