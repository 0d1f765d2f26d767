import { omitZeroUsage } from "./answer.js";
import type { LiveBehavior } from "./behavior.js";
import { composeAnswer } from "./compose.js";
import { readEffort } from "./effort.js";
import { BadRequestError, type MockJson } from "./prompt.js";
import type { MockProtocol } from "./protocols/protocol.js";
import { findRefusal } from "./refusals.js";
import { formatLabel, type RequestLog } from "./request-log.js";
import type { BatchBehavior } from "./script.js";
import { drawRandom } from "./seeded-random.js";

/** A request of a batch as it arrives. */
export interface BatchItemInput {
  readonly customId: string;
  readonly body: MockJson;
  /** The model in the path, for API formats that have it there. */
  readonly model: string;
}

interface NewMockBatch {
  readonly wire: MockProtocol;
  readonly items: readonly BatchItemInput[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Whatever the API returns with the batch. */
  readonly about: MockJson;
}

/** The outcome of one request of a batch. */
export type BatchItemResult =
  | { readonly kind: "answered"; readonly status: number; readonly body: MockJson }
  | { readonly kind: "expired" | "canceled" };

interface BatchItem {
  readonly input: BatchItemInput;
  readonly doneAt: number;
  result: BatchItemResult | null;
}

export interface MockBatch {
  readonly id: string;
  readonly about: MockJson;
  readonly createdAt: number;
  readonly endsAt: number;
  /** In a seeded order: results of a batch come in any order. */
  readonly items: readonly BatchItem[];
  canceledAt: number | null;
  endedAt: number | null;
}

export interface BatchStoreOptions {
  readonly behaviours: (model: string, effort: string | null) => LiveBehavior;
  readonly log: RequestLog;
  readonly now: () => number;
  readonly keepBodies: boolean;
}

/** The batches and files of a mock. Requests are answered, and counted as paid, when their time has come. */
export class BatchStore {
  readonly files = new Map<string, string>();
  readonly #options: BatchStoreOptions;
  readonly #batches = new Map<string, MockBatch & { readonly run: NewMockBatch }>();
  #nextId = 0;

  constructor(options: BatchStoreOptions) {
    this.#options = options;
  }

  makeId(prefix: string): string {
    this.#nextId += 1;
    return `${prefix}${this.#nextId}`;
  }

  create(id: string, run: NewMockBatch): MockBatch {
    const createdAt = this.#options.now();
    const { delayMs, expiresAfterMs = Number.POSITIVE_INFINITY } = this.#getBehavior(run);
    const { length } = run.items;
    const items = run.items
      .map((input, index) => ({ input, order: drawRandom("order", id, index) }))
      .sort((a, b) => a.order - b.order)
      .map(({ input }, rank) => ({ input, doneAt: createdAt + (delayMs * (rank + 0.5)) / length, result: null }));
    const endsAt = createdAt + Math.min(delayMs, expiresAfterMs);
    const batch = { id, about: run.about, createdAt, endsAt, items, canceledAt: null, endedAt: null, run };
    this.#batches.set(id, batch);
    return batch;
  }

  find(id: string): MockBatch | null {
    this.advance();
    return this.#batches.get(id) ?? null;
  }

  /** The newest first. */
  list(): MockBatch[] {
    this.advance();
    return [...this.#batches.values()].reverse();
  }

  cancel(batch: MockBatch): void {
    this.advance();
    batch.canceledAt ??= this.#options.now();
    this.advance();
  }

  /** Answers the requests whose time has come. */
  advance(): void {
    const now = this.#options.now();
    for (const batch of this.#batches.values()) if (batch.endedAt === null) this.#advanceBatch(batch, now);
  }

  #advanceBatch(batch: MockBatch & { readonly run: NewMockBatch }, now: number): void {
    for (const item of batch.items) {
      if (item.result !== null) continue;
      if (item.doneAt <= Math.min(now, batch.endsAt)) item.result = this.#answer(batch, item.input);
      else if (batch.canceledAt !== null) item.result = { kind: "canceled" };
      else if (now >= batch.endsAt) item.result = { kind: "expired" };
    }
    if (batch.items.every(({ result }) => result !== null)) batch.endedAt = now;
  }

  /** Throws `BadRequestError` for a model that has no batches. */
  #getBehavior({ items, wire, headers }: NewMockBatch): BatchBehavior & { delayMs: number } {
    const [first] = items;
    const model = first === undefined ? "" : readModel(wire, first, headers);
    const { batch } = this.#options.behaviours(model, null).script;
    if (batch === false) throw new BadRequestError(`The model ${model} cannot be used in batches.`);
    return { delayMs: 0, ...batch };
  }

  #answer({ id, run }: { readonly id: string; readonly run: NewMockBatch }, input: BatchItemInput): BatchItemResult {
    const { log, now, keepBodies } = this.#options;
    const entry = log.begin({ method: "POST", url: `/batch/${id}`, rawHeaders: [] }, now());
    entry.batch = id;
    entry.dialect = run.wire.name;
    if (keepBodies) entry.body = input.body;
    const result = this.#compose(run, input, entry);
    entry.status = result.status;
    log.end(entry, now());
    return { kind: "answered", ...result };
  }

  #compose(
    { wire, headers }: NewMockBatch,
    { body, model }: BatchItemInput,
    entry: ReturnType<RequestLog["begin"]>,
  ): { status: number; body: MockJson } {
    const fail = (status: number, message: string) => ({
      status,
      body: wire.error({ status, message, retryAfter: null }),
    });
    try {
      const prompt = wire.read({ body, headers, model, streams: false, query: "" });
      const live = this.#options.behaviours(prompt.model, readEffort(body));
      const refusal = findRefusal(body, live.script.refuses ?? [], wire.name);
      if (refusal !== null)
        return { status: 400, body: wire.error({ status: 400, message: refusal.message, retryAfter: null, refusal }) };
      const known = live.replier.findKnownAnswer(prompt);
      const task = known?.question ?? prompt.userText;
      Object.assign(entry, { model: prompt.model, task: formatLabel(task) });
      if (this.#fails(live, prompt.model, task)) return fail(500, "The request failed (scripted by assay mock).");
      const answer = composeAnswer(live, { wire, prompt, known, index: entry.index, at: entry.startedAt });
      entry.usage = omitZeroUsage(answer.used, answer.used.output);
      return { status: 200, body: wire.whole(answer) };
    } catch (error) {
      if (!(error instanceof BadRequestError)) throw error;
      return fail(400, error.message);
    }
  }

  #fails({ script, arrivals }: LiveBehavior, model: string, task: string): boolean {
    const { errorRate = 0 } = script.batch === false ? {} : (script.batch ?? {});
    if (errorRate === 0) return false;
    return drawRandom(script.seed ?? 0, "batch", model, task, arrivals?.next(model, task) ?? 0) < errorRate;
  }
}

/** A request that cannot be read is rejected with its batch's other requests answered. */
function readModel(wire: MockProtocol, { body, model }: BatchItemInput, headers: NewMockBatch["headers"]): string {
  try {
    return wire.read({ body, headers, model, streams: false, query: "" }).model;
  } catch {
    return model;
  }
}

/** Numbers of requests by outcome. */
export function countResults({
  items,
}: MockBatch): Record<"open" | "passed" | "failed" | "expired" | "canceled", number> {
  const counts = { open: 0, passed: 0, failed: 0, expired: 0, canceled: 0 };
  for (const { result } of items) {
    if (result === null) counts.open += 1;
    else if (result.kind === "answered") counts[result.status === 200 ? "passed" : "failed"] += 1;
    else counts[result.kind] += 1;
  }
  return counts;
}
