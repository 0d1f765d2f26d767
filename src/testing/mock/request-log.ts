import type { IncomingMessage } from "node:http";
import type { Usage } from "../../core/index.js";
import type { FaultKind, MockDialect } from "./script.js";

/** Why a request was not answered normally: a fault, or the setting that rejected it. */
type MockTrouble = FaultKind | "rateLimit" | "maxConcurrent" | "requireKey" | "refuses";

/** A request that the mock received. */
export interface MockRequest {
  /** Counted from 0. */
  readonly index: number;
  readonly method: string;
  /** Without the query, which may hold a key. */
  readonly path: string;
  /** Null for an unknown path. */
  readonly dialect: MockDialect | null;
  readonly model: string;
  readonly stream: boolean;
  /** The known question it contains, else the beginning of the last user text. */
  readonly task: string;
  /** The batch it was part of; null if it was sent on its own. */
  readonly batch: string | null;
  /** Null until a status is sent. */
  readonly status: number | null;
  readonly fault: MockTrouble | null;
  /** Usage of the answer, or of the part that was sent. */
  readonly usage: Usage | null;
  /** True if the client disconnected before the end. */
  readonly aborted: boolean;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
  /** Values that may be secrets are hidden. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed body, if `keepBodies` is set. */
  readonly body?: unknown;
}

/** Numbers of requests. */
export interface MockCounts {
  readonly requests: number;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly byFault: Readonly<Record<string, number>>;
  /** Currently open. */
  readonly open: number;
  readonly maxOpen: number;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

export type OpenRequest = Writable<MockRequest>;

type RequestHead = Pick<IncomingMessage, "method" | "url" | "rawHeaders">;

const SECRET = /authorization|cookie|api-key|token|secret/i;

/** Keeps the latest requests and counts all. */
export class RequestLog {
  readonly #keep: number;
  readonly #byStatus: Record<string, number> = {};
  readonly #byFault: Record<string, number> = {};
  #entries: OpenRequest[] = [];
  #total = 0;
  #open = 0;
  #maxOpen = 0;

  constructor(keep: number) {
    this.#keep = keep;
  }

  begin(request: RequestHead, startedAt: number): OpenRequest {
    const entry = createEntry(request, this.#total, startedAt);
    this.#total += 1;
    this.#open += 1;
    this.#maxOpen = Math.max(this.#maxOpen, this.#open);
    this.#entries.push(entry);
    // Trimmed only now and then: removing the first element each time would be slow.
    if (this.#entries.length > 2 * this.#keep + 64) this.#entries = this.latest();
    return entry;
  }

  end(entry: OpenRequest, endedAt: number): void {
    entry.endedAt = endedAt;
    this.#open -= 1;
    if (entry.status !== null) incrementCount(this.#byStatus, String(entry.status));
    if (entry.fault !== null) incrementCount(this.#byFault, entry.fault);
  }

  latest(): OpenRequest[] {
    return this.#keep === 0 ? [] : this.#entries.slice(-this.#keep);
  }

  counts(): MockCounts {
    return {
      requests: this.#total,
      byStatus: { ...this.#byStatus },
      byFault: { ...this.#byFault },
      open: this.#open,
      maxOpen: this.#maxOpen,
    };
  }
}

function createEntry(
  { method = "", url = "", rawHeaders }: RequestHead,
  index: number,
  startedAt: number,
): OpenRequest {
  return {
    index,
    method,
    path: url.split("?", 1)[0] ?? "",
    dialect: null,
    model: "",
    stream: false,
    task: "",
    batch: null,
    status: null,
    fault: null,
    usage: null,
    aborted: false,
    startedAt,
    endedAt: null,
    headers: omitSecrets(rawHeaders),
  };
}

function omitSecrets(rawHeaders: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] ?? "").toLowerCase();
    headers[name] = SECRET.test(name) ? "(hidden)" : (rawHeaders[at + 1] ?? "");
  }
  return headers;
}

function incrementCount(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

const MAX_LABEL_LENGTH = 120;

/** Returns a copy: a slice would keep the whole prompt in memory. */
export function formatLabel(text: string): string {
  return text.length <= MAX_LABEL_LENGTH ? text : Buffer.from(`${text.slice(0, MAX_LABEL_LENGTH)}…`).toString();
}
