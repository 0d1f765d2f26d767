import { setMaxListeners } from "node:events";
import { type InfrastructureCategory, type Outlook, type Retry, TrialError } from "../core/errors.js";
import type { StopReason, TrialBudget, Usage } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { promptOf } from "../core/usage.js";
import { type Delta, type Dialect, type ProviderError, refusedParameter } from "../models/dialects/index.js";
import {
  type Headers,
  type HttpAnswer,
  type HttpClient,
  type HttpRequest,
  readHeader,
  retryAfterMs,
  SseReader,
} from "../models/http/index.js";
import type { ModelReply } from "./model-conversation.js";

/** The most of an error's body that is read. */
const MOST_ERROR_BYTES = 64 * 1024;

/** The largest answer that is not streamed. */
const MOST_WHOLE_BYTES = 64 * 1024 * 1024;

/** How much of a body is kept to say what it was. */
const HEAD_BYTES = 200;

export interface CallOptions {
  readonly client: HttpClient;
  readonly request: HttpRequest;
  readonly dialect: Dialect;
  readonly site: CallSite;
  /** The body of the request. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** Whether a stream was asked for; what comes is told by its type. */
  readonly stream: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Makes one call and reads its answer into the reply. Throws a `TrialError` whose `retry` says whether the call itself
 * may be made again, or the reason of the signal.
 */
export async function callModel(options: CallOptions, reply: ModelReply): Promise<void> {
  const answer = await options.client.post(options.request);
  if (answer.status >= 400) throw await failed(options, answer);
  reply.billUrl = billUrl(options.request.url, answer.headers);
  await readAnswer(options, answer, reply);
  const { error, finish, isComplete } = reply.reader;
  if (error !== null) throw errorInside(options.site.host, error);
  if (isComplete && finish === null && !reply.hasText) {
    throw broken(`${options.site.host} answered with no choices, so with nothing.`);
  }
}

async function failed({ dialect, site, sent, now }: CallOptions, answer: HttpAnswer): Promise<TrialError> {
  const body = await beginningOf(answer);
  const error = statusError(site, {
    status: answer.status,
    headers: answer.headers,
    said: saidIn(dialect, body),
    now: now(),
  });
  const refused = REFUSING.has(answer.status) ? refusedParameter(parse(body), sent) : null;
  return refused === null ? error : new RefusedParameterError(refused, error.message);
}

/** What speaks of the request itself. */
const REFUSING = new Set([400, 422]);

function saidIn(dialect: Dialect, body: string): string {
  if (isHtml(body)) return "an HTML page";
  const parsed = parse(body);
  const error = parsed === undefined ? null : dialect.errorIn(parsed);
  return excerpt(error?.message ?? body, 500);
}

/** An error's body may be long, broken or cut: whatever came of it is enough. */
async function beginningOf(answer: HttpAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    await answer.read((chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      return size < MOST_ERROR_BYTES;
    });
  } catch (error) {
    if (!(error instanceof TrialError)) throw error;
  }
  return Buffer.concat(chunks).toString("utf8");
}

async function readAnswer(options: CallOptions, answer: HttpAnswer, reply: ModelReply): Promise<void> {
  const type = readHeader(answer.headers["content-type"]);
  if (/html/i.test(type)) {
    answer.discard();
    throw wrongKind(options.site, "<html");
  }
  const isWhole = type === "" ? !options.stream : /json(?!l)/i.test(type) && !/ndjson|stream/i.test(type);
  await (isWhole ? readWhole(options, answer, reply) : readStream(options, answer, reply));
}

async function readWhole({ site }: CallOptions, answer: HttpAnswer, reply: ModelReply): Promise<void> {
  const text = await answer.text(MOST_WHOLE_BYTES);
  if (isHtml(text)) throw wrongKind(site, text);
  const body = parse(text);
  if (body === undefined) throw broken(`${site.host} answered with malformed JSON: ${excerpt(text, 80)}`);
  reply.takeWhole(body);
  if (reply.reader.unknownEvents > 0 && !reply.hasBegun) throw wrongKind(site, text);
}

async function readStream({ site }: CallOptions, answer: HttpAnswer, reply: ModelReply): Promise<void> {
  const stream = new StreamIntake(site, reply);
  const isCutShort = await stream.read(answer);
  if (isCutShort || reply.reader.isComplete || reply.reader.error !== null) return;
  if (!reply.hasBegun && stream.isForeign) throw wrongKind(site, stream.head);
  const where = reply.hasText ? "in the middle of the answer" : "without an answer";
  throw broken(`${site.host} ended its stream ${where}.`);
}

/** Reads the events of a stream into a reply. */
class StreamIntake {
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

  /** Reads to the end, or until there is no use in it; true then. */
  async read(answer: HttpAnswer): Promise<boolean> {
    const events = new SseReader({ onData: (data) => this.#take(data), source: this.#site.host });
    await answer.read((chunk) => {
      if (this.head.length < HEAD_BYTES) this.head += chunk.toString("latin1", 0, HEAD_BYTES);
      return events.push(chunk);
    });
    this.#isAtEnd = true;
    events.end();
    return this.#isStopped;
  }

  /** True when something came that is no answer of this dialect. */
  get isForeign(): boolean {
    const { unknownEvents } = this.#reply.reader;
    return this.#events === 0 ? this.head.trim() !== "" : unknownEvents === this.#events;
  }

  #take(data: string): boolean {
    this.#events += 1;
    const event = data === "[DONE]" ? data : parse(data);
    // The last event may be torn: then the stream was cut, which is what there is to say.
    if (event === undefined && this.#isAtEnd) return false;
    if (event === undefined) throw broken(`${this.#site.host} sent malformed JSON: ${excerpt(data, 80)}`);
    this.#isStopped = !this.#reply.takeEvent(event);
    return !this.#isStopped;
  }
}

/** Undefined is no JSON, so it can stand for what is none. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Counting every few letters would cost more than it tells. */
const COUNT_EVERY = 64;

/** What a budget has been told of one call, when it has been told nothing. */
const NOTHING: Usage = Object.freeze({ input: 0, output: 0 });

/** Keeps the budget of a trial up to date while answers stream in: with what the provider says, and until then with an estimate. */
export class ModelMeter {
  readonly #budget: TrialBudget | null;
  readonly #tokenizer: () => Tokenizer;
  /** Tokens of earlier calls that the provider never spoke of. */
  #unreportedOutput = 0;
  #unreportedInput = 0;
  #prompt: () => string = () => "";
  /** Tokens of this call's prompt, once they are needed. */
  #promptTokens: number | null = null;
  #added = NOTHING;
  #streamed = 0;
  #uncounted = "";

  constructor(budget: TrialBudget | null, tokenizer: () => Tokenizer) {
    this.#budget = budget;
    this.#tokenizer = tokenizer;
  }

  get isExceeded(): boolean {
    return this.#budget?.bill.exceeded ?? false;
  }

  /** Output tokens counted in the text of this call; null when nobody asked for it. */
  get streamedTokens(): number | null {
    return this.#budget === null ? null : this.#streamed;
  }

  /** Starts a call with this prompt, which is counted when nothing better is known. */
  beginCall(prompt: () => string): void {
    this.#prompt = prompt;
    this.#promptTokens = null;
  }

  /** Takes in text of an answer. */
  addText({ text, hidden }: Delta): void {
    if (this.#budget === null) return;
    this.#uncounted += text + hidden;
    if (this.#uncounted.length < COUNT_EVERY) return;
    this.#count();
    this.#estimate(
      this.#unreportedOutput + this.#beyondReported(),
      this.#unreportedInput + this.#promptBeyondReported(),
    );
  }

  /** Takes in what the provider says this call has used so far. */
  addUsage(usage: Usage | null): void {
    if (this.#budget === null || usage === null || usage === this.#added) return;
    this.#budget.add(difference(usage, this.#added), promptOf(usage));
    this.#added = usage;
    this.#estimate(this.#unreportedOutput, this.#unreportedInput);
  }

  /** Ends a call. What was streamed and never reported stays an estimate. */
  endCall(isReported: boolean): void {
    if (this.#budget !== null && !isReported) {
      this.#count();
      // A call that was refused has cost nothing; one that has begun to answer has read its prompt.
      if (this.#streamed > 0) this.#unreportedInput += this.#promptBeyondReported();
      this.#unreportedOutput += this.#beyondReported();
      this.#estimate(this.#unreportedOutput, this.#unreportedInput);
    }
    this.#added = NOTHING;
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
    if (promptOf(this.#added) > 0) return 0;
    this.#promptTokens ??= this.#tokenizer().count(this.#prompt());
    return this.#promptTokens;
  }
}

/** Never negative, because a reader's classes never decrease. */
function difference(usage: Usage, before: Usage): Usage {
  const cacheWrite = (usage.cacheWrite ?? 0) - (before.cacheWrite ?? 0);
  return {
    input: usage.input - before.input,
    output: usage.output - before.output,
    cacheRead: (usage.cacheRead ?? 0) - (before.cacheRead ?? 0),
    cacheWrite,
    // Told later than the whole it is a part of, it cannot be billed apart any more.
    cacheWrite1h: Math.min(cacheWrite, (usage.cacheWrite1h ?? 0) - (before.cacheWrite1h ?? 0)),
    reasoning: (usage.reasoning ?? 0) - (before.reasoning ?? 0),
  };
}

/** The header by which our gateway says where the bill of a call can be asked for. */
const CALL_HEADER = "assay-call";

/** A gateway is on this machine, and knows. */
const PATIENCE_MS = 1500;

const MOST_BYTES = 10_000;

/** What a gateway has metered of a call. */
export interface Bill {
  readonly usage: Usage;
  readonly isEstimated: boolean;
}

/** Where the bill of a call can be asked for; null for endpoints that do not say. Never on another host than the call. */
function billUrl(url: string, headers: Readonly<Record<string, unknown>>): string | null {
  const path = headers[CALL_HEADER];
  return typeof path === "string" && /^\/[\w/-]+$/.test(path) ? new URL(path, new URL(url).origin).href : null;
}

/**
 * Asks a gateway what a call has used that was left before its end, when no provider tells any more. Null when it does
 * not say: then there is an estimate.
 */
export async function askForBill(client: HttpClient, url: string): Promise<Bill | null> {
  try {
    const answer = await client.post({ url, headers: {}, body: "", signal: AbortSignal.timeout(PATIENCE_MS) });
    const bill = JSON.parse(await answer.text(MOST_BYTES)) as Bill | null;
    return answer.status === 200 && isUsage(bill?.usage) ? bill : null;
  } catch {
    return null;
  }
}

function isUsage(usage: Usage | undefined): boolean {
  return Number.isSafeInteger(usage?.input) && Object.values(usage ?? {}).every((count) => Number.isSafeInteger(count));
}

/** The signal of one call: aborted with the trial, or when the call has taken too long. */
export class CallSignal {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(outer: AbortSignal, timeoutMs: number, host: string) {
    this.#outer = outer;
    // One signal may stand for a whole run, with hundreds of calls at a time listening: no leak, so no warning.
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

/** Why a trial was stopped by its own limits; null when it was stopped for another reason, or not at all. */
export function stopOf({ aborted, reason }: AbortSignal): StopReason | null {
  const { code } = (aborted ? (reason ?? {}) : {}) as { code?: unknown };
  if (code === "TIME_KILLED") return "time_killed";
  return code === "COST_KILLED" ? "cost_killed" : null;
}

/** What is known of the call that failed, for messages. */
interface CallSite {
  readonly url: string;
  /** Host and port. */
  readonly host: string;
  readonly model: string;
  readonly keyLabel: string;
}

/** An answer that says, by its status, that there is none. */
interface FailedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** What the body says, in a few words; "" when it says nothing. */
  readonly said: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A request that was refused for one of its parameters: it may be sent without it. */
export class RefusedParameterError extends TrialError {
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super("api_error", message, { outlook: "rejected" });
    this.parameter = parameter;
  }
}

/** What an error status means, and whether the call may be made again. */
function statusError(site: CallSite, { status, headers, said, now }: FailedAnswer): TrialError {
  const category = categoryOf(status);
  const isPassing = category !== "api_error" || status >= 500;
  const retry = { afterMs: retryAfterMs(headers, now) };
  const outlook = readOutlook(status, said);
  return new TrialError(category, explain(site, status, said), {
    ...(isPassing && { retry }),
    ...(outlook !== null && { outlook }),
  });
}

/** Rejected for what was said in it, a request says nothing of others. */
const OF_CONTENT = /content.?(?:filter|policy|management)|flagged|moderat|safety/i;

function readOutlook(status: number, said: string): Outlook | null {
  if (categoryOf(status) !== "api_error" || OF_CONTENT.test(said)) return null;
  if (status >= 500) return "down";
  return [401, 403, 404].includes(status) ? "refused" : "rejected";
}

function categoryOf(status: number): InfrastructureCategory {
  if (status === 429 || status === 529) return "rate_limit";
  // 524 is Cloudflare's word for a server that did not answer in time.
  return [408, 504, 524].includes(status) ? "timeout" : "api_error";
}

function explain({ host, url, model, keyLabel }: CallSite, status: number, said: string): string {
  const words = said === "" ? "." : `: ${said}`;
  const named = model === "" ? "" : ` for the model "${model}"`;
  if (status === 401 || status === 403) {
    const refused = keyLabel === "no key" ? "it asks for a key, and none was given" : `${keyLabel} was refused`;
    return `${host} answered ${status}: ${refused}${said === "" ? "." : ` (${said}).`}`;
  }
  if (status === 404) return `${host} answered 404${named} at ${url}. Check the base URL and the model's name${words}`;
  return `${host} answered ${status}${named}${words}`;
}

/** An error that came inside an answer. Providers that are overloaded say so there, too. */
function errorInside(host: string, { message, type }: ProviderError): TrialError {
  const isLimit = /rate.?limit|overloaded|resource_exhausted|^429$|^529$/i.test(type ?? "");
  const kind = type === null ? "" : ` (${type})`;
  return again(isLimit ? "rate_limit" : "api_error", `${host} broke off its answer with an error${kind}: ${message}`);
}

/** An answer that is broken, and may be whole the next time. */
function broken(message: string): TrialError {
  return again("api_error", message);
}

/** An answer of the wrong kind, which it will be the next time as well. */
function wrongKind(site: CallSite, head: string): TrialError {
  const advice = `Check the base URL and the dialect (${site.url}).`;
  if (isHtml(head)) {
    return new TrialError(
      "api_error",
      `${site.host} answered with HTML (a login page or a wrong base URL?). ${advice}`,
    );
  }
  const shown = head.trim() === "" ? "nothing" : JSON.stringify(excerpt(head, 80));
  return new TrialError("api_error", `${site.host} answered with something else than was asked: ${shown}. ${advice}`);
}

/** Whether a text begins like a page for a browser. */
function isHtml(text: string): boolean {
  return /^\s*<(?:!doctype|html|head|body|\?xml|!--)/i.test(text);
}

/** The beginning of a text, on one line. */
function excerpt(text: string, length: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length)}…`;
}

function again(category: InfrastructureCategory, message: string): TrialError {
  const retry: Retry = { afterMs: null };
  return new TrialError(category, message, { retry });
}
