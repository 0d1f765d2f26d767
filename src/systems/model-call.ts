import { TrialError } from "../core/errors.js";
import { type Dialect, refusedParameter } from "../models/dialects/index.js";
import { type HttpAnswer, type HttpClient, type HttpRequest, readHeader, SseReader } from "../models/http/index.js";
import { billUrl } from "./model-bill.js";
import {
  broken,
  type CallSite,
  errorInside,
  excerpt,
  isHtml,
  RefusedParameterError,
  statusError,
  wrongKind,
} from "./model-errors.js";
import type { ModelReply } from "./model-reply.js";

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
