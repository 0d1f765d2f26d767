import { type Delivery, JSON_TYPE, type Part, type Sending } from "./delivery.js";
import type { ChosenFault } from "./faults.js";
import { spoiled } from "./spoiled-text.js";

/** What an error inside an answer says. */
export const FAILED = "The model failed while it was answering (scripted by assay mock).";

/** Sends an answer in one body, with the fault that happens to it. */
export function wholeDelivery(sending: Sending, fault: ChosenFault | null): Delivery {
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
