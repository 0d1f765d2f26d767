import {
  CHARS_PER_TOKEN,
  estimateTokens,
  type MockAnswer,
  omitZeroUsage,
  splitIntoChunks,
  startsWithText,
} from "./answer.js";
import { chooseLatency, type LiveBehavior } from "./behavior.js";
import { composeAnswer, emptyAnswer, type MockQuestion } from "./compose.js";
import type { MockExchange } from "./exchange.js";
import type { ChosenFault } from "./faults.js";
import type { MockProtocol, PiecePosition, StreamData } from "./protocols/protocol.js";
import type { ParameterRefusal } from "./refusals.js";
import { formatLabel } from "./request-log.js";
import { type FaultKind, STATUS_FAULTS } from "./script.js";

const DEFAULT_CHUNK_TOKENS = 4;
const HTML = "<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>";
const STATUS_KINDS = new Set<string>(STATUS_FAULTS);

export function respondToQuestion(exchange: MockExchange, live: LiveBehavior, question: MockQuestion): void {
  const { prompt, known, wire, at } = question;
  const { model, stream } = prompt;
  const task = known?.question ?? prompt.userText;
  Object.assign(exchange.entry, { model, stream, task: formatLabel(task) });
  const refusal = live.admission.enter();
  if (refusal !== null) {
    exchange.entry.fault = refusal.by;
    sendFailure(exchange, wire, { status: 429, retryAfter: refusal.retryAfter, at });
    return;
  }
  exchange.onDone(() => live.admission.release());
  const subject = { model, task, arrival: live.arrivals?.next(model, task) ?? 0 };
  const fault = live.faults.choose(subject);
  exchange.entry.fault = fault?.kind ?? null;
  const step = live.plans.findStep(prompt);
  exchange.schedule(chooseLatency(live.script, subject, step), () => performFault({ exchange, live, question, fault }));
}

interface ResponseTask {
  readonly exchange: MockExchange;
  readonly live: LiveBehavior;
  readonly question: MockQuestion;
  readonly fault: ChosenFault | null;
}

/** Faults that replace the answer are sent here; all others affect the answer. */
function performFault({ exchange, live, question, fault }: ResponseTask): void {
  if (fault === null) sendAnswer({ exchange, live, question, fault });
  else if (fault.kind === "disconnect") exchange.destroy();
  else if (fault.kind === "html") exchange.send(200, { "content-type": "text/html; charset=utf-8" }, HTML);
  else if (STATUS_KINDS.has(fault.kind)) {
    const { retryAfter = null } = fault;
    sendFailure(exchange, question.wire, { status: Number(fault.kind), retryAfter, at: question.at });
  } else if (fault.kind !== "hang" || fault.afterTokens !== undefined) sendAnswer({ exchange, live, question, fault });
}

function sendAnswer({ exchange, live, question, fault }: ResponseTask): void {
  const { wire, prompt } = question;
  const { chunkTokens = DEFAULT_CHUNK_TOKENS, tokensPerSec = null } = live.script;
  const full = composeAnswer(live, question);
  const sending = { answer: fault?.kind === "empty" ? emptyAnswer(full) : full, wire, chunkTokens };
  const { used } = sending.answer;
  exchange.entry.usage = omitZeroUsage(used, used.output);
  if (tokensPerSec === null && (fault === null || fault.kind === "empty")) {
    sendAtOnce(exchange, sending, prompt.stream);
    return;
  }
  const hidden = live.script.usage?.reasoning ?? 0;
  sendDelivery(exchange, prompt.stream ? createStreamDelivery(sending, fault) : createWholeDelivery(sending, fault), {
    tokensPerSec,
    dripMs: fault?.kind === "slow-loris" ? (fault.intervalMs ?? 100) : null,
    onSent: (tokens) => {
      if (prompt.stream) exchange.entry.usage = omitZeroUsage(used, tokens + hidden);
    },
  });
}

function sendAtOnce(exchange: MockExchange, sending: AnswerToSend, stream: boolean): void {
  const { answer, wire } = sending;
  if (!stream) {
    exchange.send(200, { "content-type": JSON_TYPE }, JSON.stringify(wire.whole(answer)));
    return;
  }
  exchange.writeHead(200, {
    "content-type": getStreamType(sending),
    "cache-control": "no-cache",
    "transfer-encoding": "chunked",
  });
  exchange.end(renderStream(sending));
}

const DEFAULT_MESSAGES: Readonly<Record<number, string>> = {
  401: "The key is missing or not valid",
  404: "There is no such model",
  405: "Only POST is known here",
  429: "Too many requests",
  500: "The model failed",
  503: "The model is not available",
  529: "The model is overloaded",
};

export interface MockFailure {
  readonly status: number;
  readonly message?: string;
  readonly retryAfter?: number | "http-date" | null;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly refusal?: ParameterRefusal;
}

/** Sends an error in the provider's format. */
export function sendFailure(exchange: MockExchange, wire: MockProtocol, failure: MockFailure): void {
  const { status, message, retryAfter = null, at, refusal } = failure;
  const seconds = retryAfter === "http-date" ? DATE_AHEAD_SECS : retryAfter;
  const text = message ?? `${DEFAULT_MESSAGES[status] ?? "It failed"} (scripted by assay mock).`;
  const after = retryAfter === "http-date" ? new Date(at + DATE_AHEAD_SECS * 1000).toUTCString() : retryAfter;
  const error = { status, message: text, retryAfter: seconds, ...(refusal !== undefined && { refusal }) };
  const headers = {
    "content-type": JSON_TYPE,
    ...(after !== null && { "retry-after": String(after) }),
    ...wire.errorHeaders?.(error),
  };
  exchange.send(status, headers, JSON.stringify(wire.error(error)));
}

/** Dates have no fractions of a second: one second ahead could be over before it is read. */
const DATE_AHEAD_SECS = 2;

/** Nothing is sent after these faults. */
const ENDING_FAULTS: ReadonlySet<FaultKind> = new Set(["cut", "hang", "early-end", "error-event"]);
/** Faults that occur within a stream. */
const STREAM_FAULTS: ReadonlySet<FaultKind> = new Set([...ENDING_FAULTS, "malformed", "invalid-utf8", "huge-line"]);

/** Position after the last piece, for faults that have not occurred yet. */
const STREAM_END: unique symbol = Symbol("end");

function createStreamDelivery(sending: AnswerToSend, fault: ChosenFault | null): Delivery {
  const inside = fault !== null && STREAM_FAULTS.has(fault.kind) ? fault : null;
  return {
    contentType: getStreamType(sending),
    parts: generateParts(sending, inside),
    ending: chooseEnding(inside),
  };
}

function chooseEnding(fault: ChosenFault | null): Delivery["ending"] {
  if (fault?.kind === "cut") return "destroy";
  return fault?.kind === "hang" ? "hang" : "end";
}

function* generateParts(sending: AnswerToSend, fault: ChosenFault | null): Generator<DeliveryPart> {
  const { answer, wire } = sending;
  const half = estimateTokens(answer.preface + answer.text) >> 1;
  const strikesAt = fault === null ? Number.POSITIVE_INFINITY : (fault.afterTokens ?? half);
  let pending = fault;
  let chars = 0;
  let index = 0;
  let inCall = !startsWithText(answer);
  const tokens = () => Math.ceil(chars / CHARS_PER_TOKEN);
  yield { data: wire.open(answer), before: 0, sent: 0 };
  for (const piece of [...splitIntoPieces(sending), STREAM_END] as const) {
    const before = tokens();
    if (pending !== null && (piece === STREAM_END || before >= strikesAt)) {
      yield* generateFaultParts(sending, pending, { index, sent: before, inCall });
      if (ENDING_FAULTS.has(pending.kind)) return;
      pending = null;
      index += 1;
    }
    if (piece === STREAM_END) break;
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

function* generateFaultParts(
  { answer, wire }: AnswerToSend,
  fault: ChosenFault,
  place: PiecePosition,
): Generator<DeliveryPart> {
  const part = (data: StreamData): DeliveryPart => ({ data, before: place.sent, sent: place.sent });
  if (fault.kind === "error-event") yield part(wire.errorEvent(answer, STREAM_ERROR_MESSAGE, place));
  if (fault.kind === "malformed") yield part(spoilPiece(wire.piece(answer, "spoiled", place)));
  if (fault.kind === "invalid-utf8" || fault.kind === "huge-line")
    for (const data of corruptAnswer(answer, fault, (instead) => wire.piece(instead, instead.text, place)))
      yield part(data);
}

/** Malformed JSON, or a checksum that does not match. */
function spoilPiece(data: StreamData): StreamData {
  if (typeof data === "string") return data.replace(/\}(\s*)$/, ",,$1");
  const spoiled = Buffer.from(data);
  spoiled[spoiled.length - 1] = (spoiled.at(-1) ?? 0) ^ 1;
  return spoiled;
}

interface DeliveryPace {
  /** Null for all at once. */
  readonly tokensPerSec: number | null;
  /** Sends byte by byte with this pause. */
  readonly dripMs: number | null;
  /** Called with the number of tokens sent so far. */
  readonly onSent: (tokens: number) => void;
}

/** Sends each part when a model of this speed would have it ready. */
function sendDelivery(exchange: MockExchange, delivery: Delivery, pace: DeliveryPace): void {
  const { contentType, contentLength } = delivery;
  exchange.writeHead(200, {
    "content-type": contentType,
    "cache-control": "no-cache",
    ...(contentLength !== undefined && { "content-length": contentLength }),
  });
  exchange.response.flushHeaders();
  new DeliverySender(exchange, delivery, pace).run();
}

class DeliverySender {
  readonly #exchange: MockExchange;
  readonly #parts: Iterator<DeliveryPart>;
  readonly #ending: Delivery["ending"];
  readonly #pace: DeliveryPace;
  readonly #start = performance.now();

  constructor(exchange: MockExchange, { parts, ending }: Delivery, pace: DeliveryPace) {
    this.#exchange = exchange;
    this.#parts = pace.dripMs === null ? parts[Symbol.iterator]() : splitIntoBytes(parts);
    this.#ending = ending;
    this.#pace = pace;
  }

  readonly run = (): void => {
    for (let next = this.#parts.next(); next.done !== true; next = this.#parts.next()) {
      const part = next.value;
      const wait = this.#waitMs(part);
      if (wait >= 1) {
        this.#exchange.schedule(wait, () => {
          if (this.#write(part)) this.run();
        });
        return;
      }
      if (!this.#write(part)) return;
    }
    if (this.#ending === "end") this.#exchange.end();
    if (this.#ending === "destroy") this.#exchange.destroy();
  };

  /** Measured from the start, so that late timers do not add up. */
  #waitMs({ before }: DeliveryPart): number {
    const { tokensPerSec, dripMs } = this.#pace;
    if (dripMs !== null) return dripMs;
    return tokensPerSec === null ? 0 : (before * 1000) / tokensPerSec - (performance.now() - this.#start);
  }

  /** False if the client reads too slowly: the rest follows on "drain". */
  #write({ data, sent }: DeliveryPart): boolean {
    this.#pace.onSent(sent);
    if (data.length === 0 || this.#exchange.response.write(data)) return true;
    this.#exchange.response.once("drain", this.run);
    return false;
  }
}

function* splitIntoBytes(parts: Iterable<DeliveryPart>): Generator<DeliveryPart> {
  for (const { data, ...counts } of parts) {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    for (let at = 0; at < bytes.length; at++) yield { data: bytes.subarray(at, at + 1), ...counts };
  }
}

const STREAM_ERROR_MESSAGE = "The model failed while it was answering (scripted by assay mock).";

function createWholeDelivery(sending: AnswerToSend, fault: ChosenFault | null): Delivery {
  const { answer, wire } = sending;
  const kind = fault?.kind;
  if (fault !== null && (kind === "invalid-utf8" || kind === "huge-line"))
    return { contentType: JSON_TYPE, parts: generateCorruptParts(sending, fault), ending: "end" };
  if (kind === "error-event")
    return createSingleDelivery(
      sending,
      JSON.stringify(wire.error({ status: 500, message: STREAM_ERROR_MESSAGE, retryAfter: null })),
    );
  const body = JSON.stringify(wire.whole(answer));
  const half = createSingleDelivery(sending, body.slice(0, body.length >> 1));
  const contentLength = Buffer.byteLength(body);
  if (kind === "cut") return { ...half, contentLength, ending: "destroy" };
  if (kind === "hang") return { ...half, contentLength, ending: "hang" };
  if (kind === "early-end") return half;
  return createSingleDelivery(sending, kind === "malformed" ? `${body.slice(0, -1)},,` : body);
}

function createSingleDelivery({ answer }: AnswerToSend, data: string): Delivery {
  const tokens = answer.used.output;
  return { contentType: JSON_TYPE, parts: [{ data, before: tokens, sent: tokens }], ending: "end" };
}

function* generateCorruptParts({ answer, wire }: AnswerToSend, fault: ChosenFault): Generator<DeliveryPart> {
  const tokens = answer.used.output;
  for (const data of corruptAnswer(answer, fault, (spoiledAnswer) => JSON.stringify(wire.whole(spoiledAnswer))))
    yield { data, before: tokens, sent: tokens };
}

interface DeliveryPart {
  readonly data: StreamData;
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
  readonly parts: Iterable<DeliveryPart>;
  readonly ending: "end" | "destroy" | "hang";
}

interface AnswerToSend {
  readonly answer: MockAnswer;
  readonly wire: MockProtocol;
  readonly chunkTokens: number;
}

const JSON_TYPE = "application/json";

/** Gemini can also stream one JSON array. */
function getStreamType({ answer, wire }: AnswerToSend): string {
  return wire.streamType ?? (answer.sse ? "text/event-stream; charset=utf-8" : JSON_TYPE);
}

/** Some text, or part of the following call. Null marks the transition between them. */
type AnswerPiece = { readonly text: string; readonly inCall: boolean } | null;

function splitIntoPieces(sending: AnswerToSend): AnswerPiece[] {
  const { answer, chunkTokens } = sending;
  const { call, text, preface } = answer;
  const said = splitIntoChunks(call === null ? text : preface, chunkTokens).map((chunk) => ({
    text: chunk,
    inCall: false,
  }));
  if (call === null) return said;
  return [...said, ...(said.length > 0 ? [null] : []), ...splitCallIntoPieces(sending)];
}

function splitCallIntoPieces({ answer: { call, text }, wire, chunkTokens }: AnswerToSend): AnswerPiece[] {
  if (call?.isLocalShell === true) return [];
  return (wire.wholeCalls ? [text] : splitIntoChunks(text, chunkTokens)).map((chunk) => ({
    text: chunk,
    inCall: true,
  }));
}

/** A whole stream at once, if nothing delays or breaks it. */
function renderStream(sending: AnswerToSend): StreamData {
  const { answer, wire } = sending;
  const stream = [wire.open(answer)];
  let chars = 0;
  let index = 0;
  for (const piece of splitIntoPieces(sending)) {
    chars += piece?.text.length ?? 0;
    const place = { index, sent: Math.ceil(chars / CHARS_PER_TOKEN), inCall: piece?.inCall ?? false };
    stream.push(piece === null ? wire.turn(answer, place) : wire.piece(answer, piece.text, place));
    if (piece !== null) index += 1;
  }
  const end = { index, sent: Math.ceil(chars / CHARS_PER_TOKEN), inCall: answer.call !== null };
  return joinParts([...stream, wire.close(answer, end)]);
}

function joinParts(parts: readonly StreamData[]): StreamData {
  const texts = parts.filter((part) => typeof part === "string");
  if (texts.length === parts.length) return texts.join("");
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

const CORRUPTION_MARK = "[spoiled here]";
/** Bytes that are invalid in UTF-8. */
const NOT_UTF8 = Buffer.from([0xff, 0xfe, 0xc3]);
const HUGE_BYTES = 50_000_000;
const BLOCK = Buffer.alloc(1 << 16, "x");

/** An answer whose text contains something invalid. */
function* corruptAnswer(
  answer: MockAnswer,
  fault: ChosenFault,
  write: (spoiled: MockAnswer) => StreamData,
): Generator<StreamData> {
  const bytes = Buffer.from(write({ ...answer, preface: "", text: CORRUPTION_MARK, call: null }));
  const at = bytes.indexOf(CORRUPTION_MARK);
  yield bytes.subarray(0, at);
  if (fault.kind === "huge-line") yield* generateBlocks(fault.bytes ?? HUGE_BYTES);
  else yield NOT_UTF8;
  yield bytes.subarray(at + CORRUPTION_MARK.length);
}

/** Generates the bytes without holding them all. */
function* generateBlocks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= BLOCK.length) yield left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK;
}
