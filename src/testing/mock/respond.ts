import { type LiveBehaviour, latencyOf } from "./behaviour.js";
import { compose, emptied, type Question } from "./compose.js";
import { deliver } from "./deliver.js";
import { JSON_TYPE, type Sending, streamText, streamType } from "./delivery.js";
import type { Exchange } from "./exchange.js";
import type { ChosenFault } from "./faults.js";
import type { ParameterRefusal } from "./refusals.js";
import { labelOf } from "./request-log.js";
import { STATUS_FAULTS } from "./script.js";
import { streamDelivery } from "./stream-delivery.js";
import { compactUsage } from "./usage.js";
import { wholeDelivery } from "./whole-delivery.js";
import type { Wire } from "./wires/wire.js";

const DEFAULT_CHUNK_TOKENS = 4;
const HTML = "<!doctype html><html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>";
const STATUSES = new Set<string>(STATUS_FAULTS);

/** Answers a prompt as its model's behaviour says. */
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

/** Does what the fault says when it says all, else answers. */
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

/** Answers with an error as the provider words it. */
export function fail(exchange: Exchange, wire: Wire, failure: Failure): void {
  const { status, message, retryAfter = null, at, refusal } = failure;
  const seconds = retryAfter === "http-date" ? DATE_AHEAD_SECS : retryAfter;
  const text = message ?? `${REASONS[status] ?? "It failed"} (scripted by assay mock).`;
  const after = retryAfter === "http-date" ? new Date(at + DATE_AHEAD_SECS * 1000).toUTCString() : retryAfter;
  const headers = { "content-type": JSON_TYPE, ...(after !== null && { "retry-after": String(after) }) };
  const error = { status, message: text, retryAfter: seconds, ...(refusal !== undefined && { refusal }) };
  exchange.send(status, headers, JSON.stringify(wire.error(error)));
}

/** Dates have no fractions of a second: with less than two the wait could be over before it is read. */
const DATE_AHEAD_SECS = 2;
