import { createHash } from "node:crypto";
import type { JsonFields } from "../dialects/answer-base.js";
import type { HttpRequest } from "../http/client.js";
import type { HttpHeaders, HttpResponse } from "../http/response.js";
import type { BatchResult, NewBatch } from "./batch-api.js";
import type { LoggedRequest } from "./batch-log.js";

/** A request whose caller waits for the result. */
export class BatchClaim {
  readonly request: HttpRequest;
  readonly logged: LoggedRequest;
  readonly bytes: number;
  readonly succeed: (response: HttpResponse) => void;
  readonly fail: (reason: unknown) => void;

  constructor(request: HttpRequest, succeed: BatchClaim["succeed"], fail: BatchClaim["fail"]) {
    this.request = request;
    this.logged = describeRequest(request);
    this.bytes = Buffer.byteLength(request.body) + REQUEST_OVERHEAD_BYTES;
    this.succeed = succeed;
    this.fail = fail;
  }
}

/** The id and the path that each request of a batch has in addition to its body. */
const REQUEST_OVERHEAD_BYTES = 150;

function describeRequest({ url, body, trial }: HttpRequest): LoggedRequest {
  const id = createHash("sha256")
    .update(JSON.stringify([url, body, trial ?? null]))
    .digest("hex")
    .slice(0, 24);
  return { id, ...trial };
}

/** A batch of this process or of an earlier start of the run. */
export class TrackedBatch {
  readonly name: string;
  readonly requests: readonly LoggedRequest[];
  readonly preparedAt: number;
  /** As the provider names it; null until it is known. */
  id: string | null = null;
  createdAt: number;
  /** True if it is only likely that the batch with this id is this one. */
  isGuess = false;
  /** True if this process sends it. */
  isNew = false;
  isWatched = false;
  wasRead = false;
  /** True after its deadline. */
  isLate = false;
  wasCanceled = false;
  isEnded = false;
  /** True if it was never created. */
  isDropped = false;
  done: number | null = null;
  /** Positions of failed requests. */
  failed: ReadonlySet<number> = new Set();
  /** Results that nothing has asked for yet, by position; null before the end. */
  results: Map<number, BatchResult> | null = null;
  readonly claims = new Map<number, BatchClaim>();
  /** Batches that turned out to be others. */
  readonly rejected = new Set<string>();

  constructor(name: string, requests: readonly LoggedRequest[], preparedAt: number) {
    this.name = name;
    this.requests = requests;
    this.preparedAt = preparedAt;
    this.createdAt = preparedAt;
  }

  setCreated(id: string, at: number, isGuess: boolean): void {
    this.id = id;
    this.createdAt = at;
    this.isGuess = isGuess;
    this.wasRead ||= this.isNew;
  }

  /** The position of a result; null if it belongs to another batch. */
  findIndex(customId: string): number | null {
    const [name, index] = customId.split("-");
    const position = Number(index);
    return name === this.name && position < this.requests.length ? position : null;
  }

  /** The requests as they are sent. Only for a batch whose requests all have callers. */
  toNewBatch(): NewBatch {
    const requests = Array.from(this.claims, ([index, { request }]) => ({
      customId: `${this.name}-${index}`,
      body: JSON.parse(request.body) as JsonFields,
    }));
    return { name: this.name, requests };
  }
}

/** A request in a batch. */
export interface BatchSlot {
  readonly batch: TrackedBatch;
  readonly index: number;
}

/** The result of a request in the form of an HTTP response. */
export class BatchResponse implements HttpResponse {
  readonly status: number;
  readonly headers: HttpHeaders = { "content-type": "application/json" };
  readonly #text: string;

  constructor(status: number, body: JsonFields) {
    this.status = status;
    this.#text = JSON.stringify(body);
  }

  async read(onChunk: (chunk: Buffer) => unknown): Promise<void> {
    onChunk(Buffer.from(this.#text));
  }

  async text(): Promise<string> {
    return this.#text;
  }

  discard(): void {}
}
