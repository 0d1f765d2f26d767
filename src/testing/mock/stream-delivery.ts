import { beginsWithText } from "./answer.js";
import { type Delivery, type Part, piecesOf, type Sending, streamType } from "./delivery.js";
import type { ChosenFault } from "./faults.js";
import type { FaultKind } from "./script.js";
import { spoiled } from "./spoiled-text.js";
import { CHARS_PER_TOKEN, tokensIn } from "./usage.js";
import { FAILED } from "./whole-delivery.js";
import type { Place } from "./wires/wire.js";

/** The faults after which nothing more is sent. */
const LAST: ReadonlySet<FaultKind> = new Set(["cut", "hang", "early-end", "error-event"]);
/** The faults that happen inside a stream. */
const INSIDE: ReadonlySet<FaultKind> = new Set([...LAST, "malformed", "invalid-utf8", "huge-line"]);

/** After the last piece: a fault that has not come yet comes here. */
const END: unique symbol = Symbol("end");

/** Sends an answer as a stream, with the fault that happens to it. */
export function streamDelivery(sending: Sending, fault: ChosenFault | null): Delivery {
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

/** What a fault puts into the stream. */
function* struck({ answer, wire }: Sending, fault: ChosenFault, place: Place): Generator<Part> {
  const part = (data: string | Buffer): Part => ({ data, before: place.sent, sent: place.sent });
  if (fault.kind === "error-event") yield part(wire.errorEvent(answer, FAILED, place));
  if (fault.kind === "malformed") yield part(wire.piece(answer, "spoiled", place).replace(/\}(\s*)$/, ",,$1"));
  if (fault.kind === "invalid-utf8" || fault.kind === "huge-line")
    for (const data of spoiled(answer, fault, (instead) => wire.piece(instead, instead.text, place))) yield part(data);
}
