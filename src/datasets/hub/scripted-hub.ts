import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createHubReply, createStoreReply, type HubReply, type RepoPlan, ScriptedRepos } from "./scripted-repos.js";

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
async function sendReply({ request, response, reply, fault, log }: DeliveryOptions): Promise<void> {
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

type HubFault =
  /** An error status instead of an answer. */
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends before any answer. */
  | { readonly kind: "reset" }
  /** The connection ends after this many bytes of the body. */
  | { readonly kind: "cut"; readonly after: number }
  /** The body has one wrong byte. */
  | { readonly kind: "wrong" }
  /** The body comes in chunks of this many bytes, with a pause before each. */
  | { readonly kind: "slow"; readonly bytes: number; readonly pauseMs: number }
  /** The body stops after this many bytes with the connection open: forever, or until the promise resolves. */
  | { readonly kind: "stall"; readonly after: number; readonly until?: Promise<unknown> }
  /** Sends the whole file regardless of the requested range. */
  | { readonly kind: "no-ranges" }
  /** The file has a new version. */
  | { readonly kind: "etag"; readonly etag: string }
  /** This text instead of the body. */
  | { readonly kind: "text"; readonly text: string };

/** A fault, the requests it applies to, and how often. */
export type HubFaultPlan = HubFault & {
  /** Part of the decoded path. Default: any. */
  readonly path?: string;
  /** Number of requests it applies to. Default: 1. */
  readonly times?: number;
};

/** Whether a fault applies to any request, or to one for the content of a file. */
type FaultStage = "request" | "content";

const FAULT_STAGES: Readonly<Record<HubFault["kind"], FaultStage>> = {
  status: "request",
  reset: "request",
  text: "request",
  cut: "content",
  wrong: "content",
  slow: "content",
  stall: "content",
  "no-ranges": "content",
  etag: "content",
};

class FaultQueue {
  readonly plans: HubFaultPlan[];
  readonly #used = new Map<HubFaultPlan, number>();

  constructor(plans: readonly HubFaultPlan[]) {
    this.plans = [...plans];
  }

  /** Takes the first matching fault that is not used up. */
  take(path: string, stage: FaultStage): HubFault | null {
    const plan = this.plans.find((each) => this.#isMatch(each, path, stage));
    if (plan === undefined) return null;
    this.#used.set(plan, (this.#used.get(plan) ?? 0) + 1);
    return plan;
  }

  #isMatch(plan: HubFaultPlan, path: string, stage: FaultStage): boolean {
    const isLeft = (this.#used.get(plan) ?? 0) < (plan.times ?? 1);
    return isLeft && FAULT_STAGES[plan.kind] === stage && path.includes(plan.path ?? "");
  }
}

/** What a scripted hub serves, and its faults. */
export interface HubPlan {
  /** By `owner/name`. May be changed while the hub runs. */
  readonly repos: Record<string, RepoPlan>;
  /** Used up in this order by matching requests; more may be added to `faults` of the running hub. */
  readonly faults?: readonly HubFaultPlan[];
  /** Entries per page of a tree. */
  readonly pageSize?: number;
  /** Files that are redirected to the store. Default: Parquet and gzip files, and any of 64 KiB or more. */
  readonly isLarge?: (path: string, size: number) => boolean;
}

interface LoggedRequest {
  /** The hub itself, or the store of large files that it redirects to. */
  readonly server: "hub" | "store";
  readonly method: string;
  /** Decoded, with its query. */
  readonly path: string;
  readonly range: string | null;
  readonly authorization: string | null;
  readonly status: number;
  /** Bytes of the body to send; fewer once it is known that the client did not receive them all. */
  readonly bytes: number;
}

/** A running hub for tests. */
export interface ScriptedHub {
  readonly url: string;
  /** The store of large files, on a separate origin. */
  readonly storeUrl: string;
  /** Requests in the order in which they were answered. */
  readonly requests: LoggedRequest[];
  readonly faults: HubFaultPlan[];
  commit(repo: string, revision?: string): string;
  close(): Promise<void>;
}

/**
 * Starts a local server with the hub's URL layout on a free port, for tests.
 * @example
 * const hub = await startScriptedHub({ repos: { "me/toy": { revisions: { main: { files: { "test.jsonl": Buffer.from("{}\n") } } } } } });
 * const there = openHub({ endpoint: hub.url, cacheDir });
 */
export async function startScriptedHub(plan: HubPlan): Promise<ScriptedHub> {
  const faults = new FaultQueue(plan.faults ?? []);
  const repos = new ScriptedRepos(plan);
  const requests: LoggedRequest[] = [];
  let storeUrl = "";
  const serve = (server: "hub" | "store", replyTo: (request: IncomingMessage) => HubReply) =>
    listenLocally((request, response) => {
      const path = decodeURIComponent(request.url ?? "");
      const log = (status: number, bytes: number) => {
        const entry = { server, path, status, bytes, ...describeRequest(request) };
        requests.push(entry);
        return entry;
      };
      void sendReply({ request, response, log, fault: (on) => faults.take(path, on), reply: () => replyTo(request) });
    });
  const store = await serve("store", (request) => createStoreReply(request, repos));
  storeUrl = store.url;
  const hub = await serve("hub", (request) =>
    createHubReply(request, { repos, storeUrl, pageSize: plan.pageSize ?? 1000 }),
  );
  return {
    url: hub.url,
    storeUrl,
    requests,
    faults: faults.plans,
    commit: (repo, revision = "main") => repos.getCommit(repo, revision),
    close: async () => void (await Promise.all([hub.close(), store.close()])),
  };
}

function describeRequest({ method, headers }: IncomingMessage) {
  return { method: method ?? "", range: headers.range ?? null, authorization: headers.authorization ?? null };
}

async function listenLocally(onRequest: (request: IncomingMessage, response: ServerResponse) => void) {
  const server: Server = createServer(onRequest);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}
