import { type Answer, beginsWithText, chunksOf } from "./answer.js";
import { type LiveBehaviour, latencyOf } from "./behaviour.js";
import { compose, emptied, type Question } from "./compose.js";
import type { Exchange } from "./exchange.js";
import type { ChosenFault } from "./faults.js";
import type { ParameterRefusal } from "./refusals.js";
import { labelOf } from "./request-log.js";
import { type FaultKind, STATUS_FAULTS } from "./script.js";
import { CHARS_PER_TOKEN, compactUsage, tokensIn } from "./usage.js";
import type { Place, Wire } from "./wires/wire.js";

const DEFAULT_CHUNK_TOKENS = 4;
const HTML = "<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>";
const STATUSES = new Set<string>(STATUS_FAULTS);

export function respond(exchange: Exchange, live: LiveBehaviour, question: Question): void {
  const { prompt, known, wire, at } = question;
  const { model, stream } = prompt;
  const task = known?.question ?? prompt.userText;
  Object.assign(exchange.entry, { model, stream, task: labelOf(task) });
  const refusal = live.admission.enter();
  if (refusal !== null) {
    exchange.entry.fault = refusal.by;
    fail(exchange, wire, { status: 429, retryAfter: refusal.retryAfter, at });
    return;
  }
  exchange.onDone(() => live.admission.release());
  const subject = { model, task, arrival: live.arrivals?.next(model, task) ?? 0 };
  const fault = live.faults.choose(subject);
  exchange.entry.fault = fault?.kind ?? null;
  const step = live.plans.stepFor(prompt);
  exchange.later(latencyOf(live.script, subject, step), () => act({ exchange, live, question, fault }));
}

interface Act {
  readonly exchange: Exchange;
  readonly live: LiveBehaviour;
  readonly question: Question;
  readonly fault: ChosenFault | null;
}

/** Faults that replace the answer are sent here; all others affect the answer. */
function act({ exchange, live, question, fault }: Act): void {
  if (fault === null) answer({ exchange, live, question, fault });
  else if (fault.kind === "disconnect") exchange.breakOff();
  else if (fault.kind === "html") exchange.send(200, { "content-type": "text/html; charset=utf-8" }, HTML);
  else if (STATUSES.has(fault.kind)) {
    const { retryAfter = null } = fault;
    fail(exchange, question.wire, { status: Number(fault.kind), retryAfter, at: question.at });
  } else if (fault.kind !== "hang" || fault.afterTokens !== undefined) answer({ exchange, live, question, fault });
}

function answer({ exchange, live, question, fault }: Act): void {
  const { wire, prompt } = question;
  const { chunkTokens = DEFAULT_CHUNK_TOKENS, tokensPerSec = null } = live.script;
  const full = compose(live, question);
  const sending = { answer: fault?.kind === "empty" ? emptied(full) : full, wire, chunkTokens };
  const { used } = sending.answer;
  exchange.entry.usage = compactUsage(used, used.output);
  if (tokensPerSec === null && (fault === null || fault.kind === "empty")) {
    sendAtOnce(exchange, sending, prompt.stream);
    return;
  }
  const hidden = live.script.usage?.reasoning ?? 0;
  deliver(exchange, prompt.stream ? streamDelivery(sending, fault) : wholeDelivery(sending, fault), {
    tokensPerSec,
    dripMs: fault?.kind === "slow-loris" ? (fault.intervalMs ?? 100) : null,
    onSent: (tokens) => {
      if (prompt.stream) exchange.entry.usage = compactUsage(used, tokens + hidden);
    },
  });
}

function sendAtOnce(exchange: Exchange, sending: Sending, stream: boolean): void {
  const { answer, wire } = sending;
  if (!stream) {
    exchange.send(200, { "content-type": JSON_TYPE }, JSON.stringify(wire.whole(answer)));
    return;
  }
  exchange.head(200, {
    "content-type": streamType(answer),
    "cache-control": "no-cache",
    "transfer-encoding": "chunked",
  });
  exchange.end(streamText(sending));
}

const REASONS: Readonly<Record<number, string>> = {
  401: "The key is missing or not valid",
  404: "There is no such model",
  405: "Only POST is known here",
  429: "Too many requests",
  500: "The model failed",
  503: "The model is not available",
  529: "The model is overloaded",
};

export interface Failure {
  readonly status: number;
  readonly message?: string;
  readonly retryAfter?: number | "http-date" | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly refusal?: ParameterRefusal;
}

/** Sends an error in the provider's format. */
export function fail(exchange: Exchange, wire: Wire, failure: Failure): void {
  const { status, message, retryAfter = null, at, refusal } = failure;
  const seconds = retryAfter === "http-date" ? DATE_AHEAD_SECS : retryAfter;
  const text = message ?? `${REASONS[status] ?? "It failed"} (scripted by assay mock).`;
  const after = retryAfter === "http-date" ? new Date(at + DATE_AHEAD_SECS * 1000).toUTCString() : retryAfter;
  const headers = { "content-type": JSON_TYPE, ...(after !== null && { "retry-after": String(after) }) };
  const error = { status, message: text, retryAfter: seconds, ...(refusal !== undefined && { refusal }) };
  exchange.send(status, headers, JSON.stringify(wire.error(error)));
}

/** Dates have no fractions of a second: one second ahead could be over before it is read. */
const DATE_AHEAD_SECS = 2;

/** Nothing is sent after these faults. */
const LAST: ReadonlySet<FaultKind> = new Set(["cut", "hang", "early-end", "error-event"]);
/** Faults that occur within a stream. */
const INSIDE: ReadonlySet<FaultKind> = new Set([...LAST, "malformed", "invalid-utf8", "huge-line"]);

/** Position after the last piece, for faults that have not occurred yet. */
const END: unique symbol = Symbol("end");

function streamDelivery(sending: Sending, fault: ChosenFault | null): Delivery {
  const inside = fault !== null && INSIDE.has(fault.kind) ? fault : null;
  return { contentType: streamType(sending.answer), parts: partsOf(sending, inside), ending: endingOf(inside) };
}

function endingOf(fault: ChosenFault | null): Delivery["ending"] {
  if (fault?.kind === "cut") return "destroy";
  return fault?.kind === "hang" ? "hang" : "end";
}

function* partsOf(sending: Sending, fault: ChosenFault | null): Generator<Part> {
  const { answer, wire } = sending;
  const half = tokensIn(answer.preface + answer.text) >> 1;
  const strikesAt = fault === null ? Number.POSITIVE_INFINITY : (fault.afterTokens ?? half);
  let pending = fault;
  let chars = 0;
  let index = 0;
  let inCall = !beginsWithText(answer);
  const tokens = () => Math.ceil(chars / CHARS_PER_TOKEN);
  yield { data: wire.open(answer), before: 0, sent: 0 };
  for (const piece of [...piecesOf(sending), END] as const) {
    const before = tokens();
    if (pending !== null && (piece === END || before >= strikesAt)) {
      yield* struck(sending, pending, { index, sent: before, inCall });
      if (LAST.has(pending.kind)) return;
      pending = null;
      index += 1;
    }
    if (piece === END) break;
    if (piece === null) {
      yield { data: wire.turn(answer, { index, sent: before, inCall }), before, sent: before };
      inCall = true;
      continue;
    }
    chars += piece.text.length;
    const sent = tokens();
    yield { data: wire.piece(answer, piece.text, { index, sent, inCall }), before, sent };
    index += 1;
  }
  yield { data: wire.close(answer, { index, sent: tokens(), inCall }), before: tokens(), sent: tokens() };
}

function* struck({ answer, wire }: Sending, fault: ChosenFault, place: Place): Generator<Part> {
  const part = (data: string | Buffer): Part => ({ data, before: place.sent, sent: place.sent });
  if (fault.kind === "error-event") yield part(wire.errorEvent(answer, FAILED, place));
  if (fault.kind === "malformed") yield part(wire.piece(answer, "spoiled", place).replace(/\}(\s*)$/, ",,$1"));
  if (fault.kind === "invalid-utf8" || fault.kind === "huge-line")
    for (const data of spoiled(answer, fault, (instead) => wire.piece(instead, instead.text, place))) yield part(data);
}

interface Pace {
  /** Null for all at once. */
  readonly tokensPerSec: number | null;
  /** Sends byte by byte with this pause. */
  readonly dripMs: number | null;
  /** Called with the number of tokens sent so far. */
  readonly onSent: (tokens: number) => void;
}

/** Sends each part when a model of this speed would have it ready. */
function deliver(exchange: Exchange, delivery: Delivery, pace: Pace): void {
  const { contentType, contentLength } = delivery;
  exchange.head(200, {
    "content-type": contentType,
    "cache-control": "no-cache",
    ...(contentLength !== undefined && { "content-length": contentLength }),
  });
  exchange.response.flushHeaders();
  new Courier(exchange, delivery, pace).run();
}

class Courier {
  readonly #exchange: Exchange;
  readonly #parts: Iterator<Part>;
  readonly #ending: Delivery["ending"];
  readonly #pace: Pace;
  readonly #start = performance.now();

  constructor(exchange: Exchange, { parts, ending }: Delivery, pace: Pace) {
    this.#exchange = exchange;
    this.#parts = pace.dripMs === null ? parts[Symbol.iterator]() : bytesOf(parts);
    this.#ending = ending;
    this.#pace = pace;
  }

  readonly run = (): void => {
    for (let next = this.#parts.next(); next.done !== true; next = this.#parts.next()) {
      const part = next.value;
      const wait = this.#waitMs(part);
      if (wait >= 1) {
        this.#exchange.later(wait, () => {
          if (this.#write(part)) this.run();
        });
        return;
      }
      if (!this.#write(part)) return;
    }
    if (this.#ending === "end") this.#exchange.end();
    if (this.#ending === "destroy") this.#exchange.breakOff();
  };

  /** Measured from the start, so that late timers do not add up. */
  #waitMs({ before }: Part): number {
    const { tokensPerSec, dripMs } = this.#pace;
    if (dripMs !== null) return dripMs;
    return tokensPerSec === null ? 0 : (before * 1000) / tokensPerSec - (performance.now() - this.#start);
  }

  /** False if the client reads too slowly: the rest follows on "drain". */
  #write({ data, sent }: Part): boolean {
    this.#pace.onSent(sent);
    if (data.length === 0 || this.#exchange.response.write(data)) return true;
    this.#exchange.response.once("drain", this.run);
    return false;
  }
}

function* bytesOf(parts: Iterable<Part>): Generator<Part> {
  for (const { data, ...counts } of parts) {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length; at++) yield { data: bytes.subarray(at, at + 1), ...counts };
  }
}

const FAILED = "The model failed while it was answering (scripted by assay mock).";

function wholeDelivery(sending: Sending, fault: ChosenFault | null): Delivery {
  const { answer, wire } = sending;
  const kind = fault?.kind;
  if (fault !== null && (kind === "invalid-utf8" || kind === "huge-line"))
    return { contentType: JSON_TYPE, parts: spoiledParts(sending, fault), ending: "end" };
  if (kind === "error-event")
    return inOne(sending, JSON.stringify(wire.error({ status: 500, message: FAILED, retryAfter: null })));
  const body = JSON.stringify(wire.whole(answer));
  const half = inOne(sending, body.slice(0, body.length >> 1));
  const contentLength = Buffer.byteLength(body);
  if (kind === "cut") return { ...half, contentLength, ending: "destroy" };
  if (kind === "hang") return { ...half, contentLength, ending: "hang" };
  if (kind === "early-end") return half;
  return inOne(sending, kind === "malformed" ? `${body.slice(0, -1)},,` : body);
}

function inOne({ answer }: Sending, data: string): Delivery {
  const tokens = answer.used.output;
  return { contentType: JSON_TYPE, parts: [{ data, before: tokens, sent: tokens }], ending: "end" };
}

function* spoiledParts({ answer, wire }: Sending, fault: ChosenFault): Generator<Part> {
  const tokens = answer.used.output;
  for (const data of spoiled(answer, fault, (spoiledAnswer) => JSON.stringify(wire.whole(spoiledAnswer))))
    yield { data, before: tokens, sent: tokens };
}

interface Part {
  readonly data: string | Buffer;
  /** Tokens to generate before this can be sent. */
  readonly before: number;
  /** Tokens sent including this part. */
  readonly sent: number;
}

/** A response with status 200, which ends properly, by a broken connection, or never. */
interface Delivery {
  readonly contentType: string;
  /** Only if it is more than what is sent. */
  readonly contentLength?: number;
  readonly parts: Iterable<Part>;
  readonly ending: "end" | "destroy" | "hang";
}

interface Sending {
  readonly answer: Answer;
  readonly wire: Wire;
  readonly chunkTokens: number;
}

const JSON_TYPE = "application/json";

/** Gemini can also stream one JSON array. */
function streamType({ sse }: Answer): string {
  return sse ? "text/event-stream; charset=utf-8" : JSON_TYPE;
}

/** Some text, or part of the following call. Null marks the transition between them. */
type Piece = { readonly text: string; readonly inCall: boolean } | null;

function piecesOf(sending: Sending): Piece[] {
  const { answer, chunkTokens } = sending;
  const { call, text, preface } = answer;
  const said = chunksOf(call === null ? text : preface, chunkTokens).map((chunk) => ({ text: chunk, inCall: false }));
  if (call === null) return said;
  return [...said, ...(said.length > 0 ? [null] : []), ...callPieces(sending)];
}

function callPieces({ answer: { call, text }, wire, chunkTokens }: Sending): Piece[] {
  if (call?.isLocalShell === true) return [];
  return (wire.wholeCalls ? [text] : chunksOf(text, chunkTokens)).map((chunk) => ({ text: chunk, inCall: true }));
}

/** A whole stream at once, if nothing delays or breaks it. */
function streamText(sending: Sending): string {
  const { answer, wire } = sending;
  let stream = wire.open(answer);
  let chars = 0;
  let index = 0;
  for (const piece of piecesOf(sending)) {
    chars += piece?.text.length ?? 0;
    const place = { index, sent: Math.ceil(chars / CHARS_PER_TOKEN), inCall: piece?.inCall ?? false };
    stream += piece === null ? wire.turn(answer, place) : wire.piece(answer, piece.text, place);
    if (piece !== null) index += 1;
  }
  return stream + wire.close(answer, { index, sent: Math.ceil(chars / CHARS_PER_TOKEN), inCall: answer.call !== null });
}

const MARK = "[spoiled here]";
/** Bytes that are invalid in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc3]);
const HUGE_BYTES = 50_000_000;
const BLOCK = Buffer.alloc(1 << 16, "x");

/** An answer whose text contains something invalid. */
function* spoiled(answer: Answer, fault: ChosenFault, write: (spoiled: Answer) => string): Generator<string | Buffer> {
  const [head = "", tail = ""] = write({ ...answer, preface: "", text: MARK, call: null }).split(MARK, 2);
  yield head;
  if (fault.kind === "huge-line") yield* blocks(fault.bytes ?? HUGE_BYTES);
  else yield NOT_UTF8;
  yield tail;
}

/** Generates the bytes without holding them all. */
function* blocks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
}
