import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { getErrorMessage, isTrialError, TrialError } from "../../core/index.js";
import { ConcurrencyLimit } from "../../utils/index.js";
import type { JsonFields } from "../dialects/answer-base.js";
import type { HttpClient, HttpRequest } from "../http/client.js";
import type { HttpResponse } from "../http/response.js";
import { type BatchApi, BatchCallError, type BatchResult, type BatchStatus } from "./batch-api.js";
import type { BatchEntry, BatchLog } from "./batch-log.js";
import { BatchClaim, BatchResponse, type BatchSlot, TrackedBatch } from "./tracked-batch.js";

/** How batches are made and awaited. */
export interface BatchTiming {
  /** A batch is sent when no request has come for this long. Default: 1 s. */
  readonly gatherMs: number;
  /** The wait before the first look at a batch; later ones are longer. Default: 1 s. */
  readonly firstPollMs: number;
  /** Default: 1 minute. */
  readonly maxPollMs: number;
  /** How long a batch may take. Default: as long as the provider allows. */
  readonly deadlineMs: number | null;
}

export const DEFAULT_BATCH_TIMING: BatchTiming = {
  gatherMs: 1000,
  firstPollMs: 1000,
  maxPollMs: 60_000,
  deadlineMs: null,
};

const POLL_GROWTH = 1.5;
/** Creating a batch is tried this often. */
const MAX_CREATE_TRIES = 5;
/** A batch that is created while we look for it appears within this many looks. */
const FIND_TRIES = 3;
/** Requests that are sent one by one run this many at a time. */
const MAX_LIVE = 8;
const MAX_BODY_BYTES = 64 * 1024 * 1024;

export interface BatchClientOptions {
  readonly api: BatchApi;
  /** Sends requests one by one after the deadline. */
  readonly live: HttpClient;
  /** The system or judge, as recorded. */
  readonly model: string;
  readonly timing: BatchTiming;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called when a batch is older than the deadline. Returns true if its requests are to be sent one by one. */
  readonly onLate: () => boolean;
  /** Called whenever the counts may have changed. */
  readonly onChange: () => void;
}

/** Requests by what they wait for. */
export interface BatchCounts {
  /** Not sent yet. */
  readonly gathered: number;
  /** In batches that have not ended. */
  readonly submitted: number;
  /** Of those, how many the provider has done. */
  readonly done: number;
  /** When the oldest of these batches was created; null if there is none. */
  readonly since: number | null;
  /** Batches that have not been looked at since this process started. */
  readonly unread: number;
  /** The last failure to reach the API; null after a success. */
  readonly problem: string | null;
}

/**
 * An HTTP client that sends requests in batches: a request resolves when the result of its batch is there. A request that
 * an earlier start of the run has sent waits for that batch and is not sent again.
 */
export class BatchClient implements HttpClient {
  readonly #options: BatchClientOptions;
  readonly #stop = new AbortController();
  readonly #liveLimit = new ConcurrencyLimit(MAX_LIVE);
  #log: BatchLog | null = null;
  /** All batches of this client, of this process and of earlier ones. */
  readonly #batches: TrackedBatch[] = [];
  /** Requests in batches that no caller has taken yet, by id. */
  readonly #unclaimed = new Map<string, BatchSlot[]>();
  /** Requests whose batch took too long. */
  readonly #late = new Set<string>();
  #gathered: BatchClaim[] = [];
  #gatheredBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #problem: string | null = null;

  constructor(options: BatchClientOptions) {
    this.#options = options;
  }

  /** Fails if the endpoint has no batch API. */
  check(signal: AbortSignal): Promise<void> {
    return this.#options.api.check(signal);
  }

  /** Reads what earlier starts of the run have sent. Call it before the first request. */
  attach(log: BatchLog): void {
    this.#log = log;
    for (const entry of log.entries) this.#restore(entry);
    for (const batch of this.#batches) {
      if (batch.isDropped) continue;
      for (const [index, { id }] of batch.requests.entries())
        if (!batch.failed.has(index)) this.#addSlot(id, { batch, index });
    }
  }

  async post(request: HttpRequest): Promise<HttpResponse> {
    const { signal } = request;
    signal.throwIfAborted();
    return new Promise<HttpResponse>((resolve, reject) => {
      const claim = new BatchClaim(request, resolve, reject);
      signal.addEventListener("abort", () => this.#abandon(claim), { once: true });
      this.#place(claim);
    });
  }

  get(request: Omit<HttpRequest, "body">): Promise<HttpResponse> {
    return this.#options.live.get(request);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stop.abort(new Error("The batch client was closed."));
  }

  get counts(): BatchCounts {
    const waiting = this.#batches.filter(({ claims, isEnded }) => claims.size > 0 && !isEnded);
    const open = waiting.filter(({ id }) => id !== null);
    const unsent = waiting.reduce((sum, { id, claims }) => sum + (id === null ? claims.size : 0), 0);
    const times = open.map(({ createdAt }) => createdAt);
    return {
      gathered: this.#gathered.length + unsent,
      submitted: open.reduce((sum, { claims }) => sum + claims.size, 0),
      done: open.reduce((sum, { done, claims }) => sum + Math.min(claims.size, done ?? 0), 0),
      since: times.length === 0 ? null : Math.min(...times),
      unread: open.filter(({ wasRead }) => !wasRead).length,
      problem: this.#problem,
    };
  }

  #restore(entry: BatchEntry): void {
    if (entry.kind === "open" || entry.kind === "live") return;
    if (entry.kind === "prepare") {
      if (entry.model !== this.#options.model) return;
      this.#batches.push(new TrackedBatch(entry.batch, entry.requests, Date.parse(entry.at)));
      return;
    }
    const batch = this.#batches.find(({ name }) => name === entry.batch);
    if (batch === undefined) return;
    if (entry.kind === "create") batch.setCreated(entry.id, Date.parse(entry.at), entry.isGuess === true);
    if (entry.kind === "drop") batch.isDropped = true;
    if (entry.kind === "cancel") this.#markLate(batch);
    if (entry.kind === "end") batch.failed = new Set(entry.failed);
  }

  #addSlot(id: string, slot: BatchSlot): void {
    const slots = this.#unclaimed.get(id);
    if (slots === undefined) this.#unclaimed.set(id, [slot]);
    else slots.push(slot);
  }

  /** Waits for the batch that the request is in, or sends it with the next one. */
  #place(claim: BatchClaim): void {
    const slot = this.#unclaimed.get(claim.logged.id)?.shift();
    if (slot !== undefined) this.#claimSlot(claim, slot);
    else if (this.#late.has(claim.logged.id)) void this.#sendLive(claim);
    else this.#gather(claim);
    this.#options.onChange();
  }

  #claimSlot(claim: BatchClaim, { batch, index }: BatchSlot): void {
    const result = batch.results?.get(index);
    if (result !== undefined) {
      batch.results?.delete(index);
      this.#deliver(claim, result);
      return;
    }
    batch.claims.set(index, claim);
    if (!batch.isWatched) void this.#watch(batch);
  }

  #gather(claim: BatchClaim): void {
    const { api, timing } = this.#options;
    const isFull = this.#gathered.length >= api.maxRequests || this.#gatheredBytes + claim.bytes > api.maxBytes * 0.9;
    if (isFull) this.#submit();
    this.#gathered.push(claim);
    this.#gatheredBytes += claim.bytes;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#submit(), timing.gatherMs);
  }

  #submit(): void {
    clearTimeout(this.#timer);
    const claims = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (claims.length === 0 || this.#stop.signal.aborted) return;
    const requests = claims.map(({ logged }) => logged);
    const batch = new TrackedBatch(randomBytes(8).toString("hex"), requests, this.#options.now());
    for (const [index, claim] of claims.entries()) batch.claims.set(index, claim);
    this.#batches.push(batch);
    const { api, model } = this.#options;
    try {
      this.#append({ kind: "prepare", batch: batch.name, api: api.name, model, at: this.#date(), requests });
    } catch (error) {
      this.#fail(batch, error);
      return;
    }
    batch.isNew = true;
    void this.#watch(batch);
    this.#options.onChange();
  }

  /** Creates the batch or finds it, waits for its end, and delivers its results. */
  async #watch(batch: TrackedBatch): Promise<void> {
    batch.isWatched = true;
    try {
      if (batch.id === null && !(await this.#ensureCreated(batch))) return;
      this.#options.onChange();
      const status = await this.#waitForEnd(batch);
      await this.#collect(batch, status);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(batch, error);
    } finally {
      batch.isWatched = false;
      this.#options.onChange();
    }
  }

  /** False if the batch does not exist; its requests are then placed again. */
  async #ensureCreated(batch: TrackedBatch): Promise<boolean> {
    if (!batch.isNew) {
      const found = await this.#find(batch);
      if (found === null) this.#drop(batch, "it was not created before the run was stopped");
      return found !== null;
    }
    const { api } = this.#options;
    for (let tries = 1; ; tries++) {
      try {
        this.#setCreated(batch, await api.create(batch.toNewBatch(), this.#stop.signal), false);
        return true;
      } catch (error) {
        if (this.#stop.signal.aborted || !isTrialError(error)) throw error;
        this.#problem = error.message;
        this.#options.onChange();
        if (error instanceof BatchCallError && error.isFinal) {
          this.#append({ kind: "drop", batch: batch.name, at: this.#date(), why: error.message });
          batch.isDropped = true;
          throw toRefusal(error);
        }
        // The call may have arrived: a second one would create a second batch.
        if ((await this.#find(batch)) !== null) return true;
        if (tries >= MAX_CREATE_TRIES) {
          this.#append({ kind: "drop", batch: batch.name, at: this.#date(), why: error.message });
          batch.isDropped = true;
          throw new TrialError(error.category, error.message);
        }
        await sleep(this.#options.timing.firstPollMs * 2 ** tries, undefined, { signal: this.#stop.signal });
      }
    }
  }

  /** Looks several times, because the provider may still be creating it. */
  async #find(batch: TrackedBatch): Promise<string | null> {
    const { api, timing } = this.#options;
    for (let look = 1; ; look++) {
      const others = new Set(this.#batches.flatMap(({ id, rejected }) => [...(id === null ? [] : [id]), ...rejected]));
      const lost = { name: batch.name, size: batch.requests.length, since: batch.preparedAt, others };
      const found = await this.#persist(() => api.find(lost, this.#stop.signal));
      if (found !== null) this.#setCreated(batch, found, !api.isFindExact);
      if (found !== null || look >= FIND_TRIES) return found;
      await sleep(timing.firstPollMs, undefined, { signal: this.#stop.signal });
    }
  }

  #setCreated(batch: TrackedBatch, id: string, isGuess: boolean): void {
    batch.setCreated(id, this.#options.now(), isGuess);
    this.#problem = null;
    this.#append({ kind: "create", batch: batch.name, id, at: this.#date(), ...(isGuess && { isGuess }) });
  }

  async #waitForEnd(batch: TrackedBatch): Promise<BatchStatus> {
    const { api, timing } = this.#options;
    let pollMs = timing.firstPollMs;
    let state = "";
    // A batch of an earlier start may have ended long ago.
    let isFirst = !batch.isNew;
    for (;;) {
      if (!isFirst) await sleep(this.#limitPoll(batch, pollMs), undefined, { signal: this.#stop.signal });
      if (!isFirst) pollMs = Math.min(timing.maxPollMs, pollMs * POLL_GROWTH);
      isFirst = false;
      const status = await this.#persist(() => api.read(batch.id ?? "", this.#stop.signal));
      if (status.state !== state && !status.isEnded)
        this.#append({ kind: "state", batch: batch.name, state: status.state, at: this.#date() });
      ({ state } = status);
      batch.done = status.done;
      batch.wasRead = true;
      this.#options.onChange();
      if (status.isEnded) return status;
      const isDue = batch.isLate || (this.#isOverdue(batch) && this.#options.onLate());
      if (!isDue || batch.wasCanceled) continue;
      await this.#cancel(batch);
      pollMs = timing.firstPollMs;
    }
  }

  /** The deadline may come before the next look. */
  #limitPoll(batch: TrackedBatch, pollMs: number): number {
    const { timing, now } = this.#options;
    if (timing.deadlineMs === null || batch.isLate) return pollMs;
    return Math.min(pollMs, Math.max(1, batch.createdAt + timing.deadlineMs - now()));
  }

  #isOverdue(batch: TrackedBatch): boolean {
    const { timing, now } = this.#options;
    return timing.deadlineMs !== null && now() >= batch.createdAt + timing.deadlineMs;
  }

  async #cancel(batch: TrackedBatch): Promise<void> {
    // Recorded first: after a kill it is canceled again.
    if (!batch.isLate) this.#append({ kind: "cancel", batch: batch.name, at: this.#date() });
    this.#markLate(batch);
    batch.wasCanceled = true;
    try {
      await this.#persist(() => this.#options.api.cancel(batch.id ?? "", this.#stop.signal));
    } catch (error) {
      // It may just have ended.
      if (!isTrialError(error)) throw error;
    }
  }

  #markLate(batch: TrackedBatch): void {
    batch.isLate = true;
    for (const { id } of batch.requests) this.#late.add(id);
  }

  async #collect(batch: TrackedBatch, status: BatchStatus): Promise<void> {
    const { api } = this.#options;
    const results = new Map<number, BatchResult>();
    const take = (result: BatchResult) => {
      const index = batch.findIndex(result.customId);
      if (index !== null) results.set(index, result);
    };
    if (status.failure === null)
      await this.#persist(() => api.readResults(batch.id ?? "", status, take, this.#stop.signal));
    if (batch.isGuess && results.size === 0) {
      await this.#reject(batch);
      return;
    }
    const { failure } = status;
    const isFailed = (index: number) => {
      const result = results.get(index);
      return result?.kind !== "answered" || result.status >= 400;
    };
    const failed = [...batch.requests.keys()].filter(isFailed);
    this.#append({ kind: "end", batch: batch.name, state: status.state, at: this.#date(), failed });
    batch.isEnded = true;
    batch.failed = new Set(failed);
    batch.results = results;
    for (const [index, claim] of batch.claims) {
      const result = results.get(index);
      results.delete(index);
      if (failure !== null) claim.fail(new TrialError("api_error", `The batch failed: ${failure}`));
      else this.#deliver(claim, result ?? { customId: "", kind: batch.isLate ? "canceled" : "expired" });
    }
    batch.claims.clear();
    // Failures are not kept: whoever asks later sends the request again.
    for (const index of failed) {
      results.delete(index);
      this.#removeSlot(batch, index);
    }
  }

  #removeSlot(batch: TrackedBatch, index: number): void {
    const id = batch.requests[index]?.id ?? "";
    const left = this.#unclaimed.get(id)?.filter((slot) => slot.batch !== batch || slot.index !== index);
    if (left !== undefined) this.#unclaimed.set(id, left);
  }

  /** Another batch was taken for this one: looks for it again. */
  async #reject(batch: TrackedBatch): Promise<void> {
    batch.rejected.add(batch.id ?? "");
    batch.id = null;
    if ((await this.#find(batch)) === null) this.#drop(batch, "it was not created before the run was stopped");
    else await this.#collect(batch, await this.#waitForEnd(batch));
  }

  /** The batch does not exist: its requests are sent with the next one. */
  #drop(batch: TrackedBatch, why: string): void {
    this.#append({ kind: "drop", batch: batch.name, at: this.#date(), why });
    batch.isDropped = true;
    for (const index of batch.requests.keys()) this.#removeSlot(batch, index);
    const claims = [...batch.claims.values()];
    batch.claims.clear();
    for (const claim of claims) this.#place(claim);
  }

  #deliver(claim: BatchClaim, result: BatchResult): void {
    const { api } = this.#options;
    if (result.kind === "answered") {
      claim.succeed(new BatchResponse(result.status, api.markService(result.body, "batch")));
    } else if (this.#late.has(claim.logged.id)) void this.#sendLive(claim);
    else {
      const why = result.kind === "expired" ? "expired before the request was run" : "was canceled";
      claim.fail(new TrialError("timeout", `The batch ${why}.`, { retry: { afterMs: null } }));
    }
  }

  async #sendLive(claim: BatchClaim): Promise<void> {
    const { live, api } = this.#options;
    try {
      this.#append({ kind: "live", at: this.#date(), requests: [claim.logged] });
      const response = await this.#liveLimit.run(() => live.post(claim.request), claim.request.signal);
      if (response.status >= 400) {
        claim.succeed(response);
        return;
      }
      const body = JSON.parse(await response.text(MAX_BODY_BYTES)) as JsonFields;
      claim.succeed(new BatchResponse(response.status, api.markService(body, "default")));
    } catch (error) {
      claim.fail(error);
    }
  }

  /** The batch stays as it is: the next start of the run waits for it again. */
  #fail(batch: TrackedBatch, error: unknown): void {
    this.#problem = getErrorMessage(error);
    const claims = [...batch.claims.values()];
    batch.claims.clear();
    for (const claim of claims) claim.fail(error);
  }

  /** Repeats a call that changes nothing until it succeeds or is rejected for good. */
  async #persist<T>(call: () => Promise<T>): Promise<T> {
    const { timing } = this.#options;
    for (let waitMs = timing.firstPollMs; ; waitMs = Math.min(timing.maxPollMs, waitMs * 2)) {
      try {
        const result = await call();
        this.#problem = null;
        return result;
      } catch (error) {
        if (this.#stop.signal.aborted || !isTrialError(error) || error.retry === undefined) throw error;
        this.#problem = error.message;
        this.#options.onChange();
        await sleep(waitMs, undefined, { signal: this.#stop.signal });
      }
    }
  }

  /** The caller no longer waits. What was sent stays where it is. */
  #abandon(claim: BatchClaim): void {
    const place = this.#gathered.indexOf(claim);
    if (place !== -1) {
      this.#gathered.splice(place, 1);
      this.#gatheredBytes -= claim.bytes;
    }
    claim.fail(claim.request.signal.reason);
    this.#options.onChange();
  }

  #append(entry: BatchEntry): void {
    if (this.#log === null) throw new Error("The batches of this run have no log.");
    this.#log.append(entry);
  }

  #date(): string {
    return new Date(this.#options.now()).toISOString();
  }
}

/** Tells the runner whether other requests would be refused, too. */
function toRefusal({ category, message, status }: BatchCallError): TrialError {
  return new TrialError(category, message, { outlook: [401, 403, 404].includes(status) ? "refused" : "rejected" });
}
