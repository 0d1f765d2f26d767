import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { FaultStage, HubFault } from "./scripted-faults.js";
import type { HubReply } from "./scripted-routes.js";

const CHUNK_BYTES = 64 * 1024;
const CUT_DELAY_MS = 50;

interface DeliveryOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly reply: () => HubReply;
  /** The fault for this request, if any. */
  readonly fault: (stage: FaultStage) => HubFault | null;
  /** Called before anything is sent, so that a client with the answer finds it in the log. */
  readonly log: (status: number, bytes: number) => { bytes: number };
}

/** Sends a reply, altered by faults. */
export async function sendReply({ request, response, reply, fault, log }: DeliveryOptions): Promise<void> {
  const early = fault("request");
  if (early?.kind === "reset") {
    log(0, 0);
    request.socket.destroy();
    return;
  }
  const made = createFaultReply(early) ?? reply();
  const late = made.isContent === true ? fault("content") : null;
  const tagged = late?.kind === "etag" ? { ...made, headers: { ...made.headers, etag: late.etag } } : made;
  const ranged = late?.kind === "no-ranges" ? tagged : selectRange(request, tagged);
  const body = late?.kind === "wrong" ? corruptByte(ranged.body) : ranged.body;
  const entry = log(ranged.status, request.method === "HEAD" ? 0 : body.length);
  response.writeHead(ranged.status, { ...ranged.headers, "content-length": String(body.length) });
  if (request.method === "HEAD") response.end();
  else entry.bytes = await sendBody(response, { body, fault: late });
}

function createFaultReply(fault: HubFault | null): HubReply | null {
  if (fault?.kind === "status") {
    return { status: fault.status, headers: fault.headers ?? {}, body: Buffer.from("It went wrong.") };
  }
  if (fault?.kind !== "text") return null;
  return { status: 200, headers: { "content-type": "text/html" }, body: Buffer.from(fault.text) };
}

/** The requested range, unless the client has another version of the file. */
function selectRange({ headers }: IncomingMessage, reply: HubReply): HubReply {
  const match = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? "");
  const isOther = headers["if-range"] !== undefined && headers["if-range"] !== reply.headers.etag;
  if (reply.isContent !== true || match === null || isOther) return reply;
  const size = reply.body.length;
  const [, from = "", to = ""] = match;
  const start = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === "" || to === "" ? size : Math.min(size, Number(to) + 1);
  if (start >= end) {
    return { status: 416, headers: { ...reply.headers, "content-range": `bytes */${size}` }, body: new Uint8Array() };
  }
  const range = { "content-range": `bytes ${start}-${end - 1}/${size}` };
  return { ...reply, status: 206, headers: { ...reply.headers, ...range }, body: reply.body.subarray(start, end) };
}

function corruptByte(bytes: Uint8Array): Uint8Array {
  const wrong = Buffer.from(bytes);
  const middle = Math.floor(wrong.length / 2);
  if (wrong.length > 0) wrong[middle] = (wrong[middle] ?? 0) ^ 0xff;
  return wrong;
}

async function sendBody(
  response: ServerResponse,
  { body, fault }: { body: Uint8Array; fault: HubFault | null },
): Promise<number> {
  if (fault?.kind === "slow") return sendSlowly(response, { body, fault });
  if (fault?.kind !== "cut" && fault?.kind !== "stall") return sendAll(response, body);
  const part = body.subarray(0, fault.after);
  await new Promise<void>((resolve) => response.write(part, () => resolve()));
  if (fault.kind === "cut") {
    // A client drops unread data when the connection ends.
    await sleep(CUT_DELAY_MS);
    response.socket?.destroy();
  } else if (fault.until !== undefined) {
    await fault.until;
    return part.length + (await sendAll(response, body.subarray(fault.after)));
  }
  return part.length;
}

function sendAll(response: ServerResponse, body: Uint8Array): Promise<number> {
  return new Promise((resolve) => {
    let taken = 0;
    // In chunks, to know how much a disconnected client has received.
    const next = (): void => {
      if (taken >= body.length) return void response.end();
      const piece = body.subarray(taken, taken + CHUNK_BYTES);
      response.write(piece, (error) => {
        if (error) return;
        taken += piece.length;
        next();
      });
    };
    response.on("close", () => resolve(taken));
    next();
  });
}

async function sendSlowly(
  response: ServerResponse,
  { body, fault }: { body: Uint8Array; fault: Extract<HubFault, { kind: "slow" }> },
): Promise<number> {
  let sent = 0;
  while (sent < body.length && !response.destroyed) {
    await sleep(fault.pauseMs);
    const piece = body.subarray(sent, sent + fault.bytes);
    response.write(piece);
    sent += piece.length;
  }
  response.end();
  return sent;
}
