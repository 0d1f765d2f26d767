import { type Answer, chunksOf } from "./answer.js";
import { CHARS_PER_TOKEN } from "./usage.js";
import type { Wire } from "./wires/wire.js";

/** A part of an answer on its way. */
export interface Part {
  readonly data: string | Buffer;
  /** The tokens that a model has to make before this can be sent. */
  readonly before: number;
  /** The tokens sent once this is sent. */
  readonly sent: number;
}

/** What is sent with status 200, and how it ends: properly, by breaking the connection, or never. */
export interface Delivery {
  readonly contentType: string;
  /** Said only where it is more than what is sent. */
  readonly contentLength?: number;
  readonly parts: Iterable<Part>;
  readonly ending: "end" | "destroy" | "hang";
}

/** An answer and how it is to be sent. */
export interface Sending {
  readonly answer: Answer;
  readonly wire: Wire;
  readonly chunkTokens: number;
}

export const JSON_TYPE = "application/json";

/** The content type of a stream; Gemini's can also be one JSON array. */
export function streamType({ sse }: Answer): string {
  return sse ? "text/event-stream; charset=utf-8" : JSON_TYPE;
}

/** A piece of a stream: some of its text, or of the call that follows. Null is the turn from one to the other. */
export type Piece = { readonly text: string; readonly inCall: boolean } | null;

/** The pieces that an answer is streamed in. */
export function piecesOf(sending: Sending): Piece[] {
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

/** A whole stream as one text, for when nothing slows it down or breaks it. */
export function streamText(sending: Sending): string {
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
