import { isTrialError, UsageError } from "../../core/index.js";
import type { Dialect } from "../dialects/dialect.js";
import type { HttpClient } from "../http/client.js";
import { AnthropicBatchApi } from "./anthropic-batch.js";
import { type BatchApi, BatchCallError, type BatchEndpoint } from "./batch-api.js";
import { BatchClient, type BatchCounts, type BatchTiming, DEFAULT_BATCH_TIMING } from "./batch-client.js";
import { type BatchLog, createMemoryBatchLog } from "./batch-log.js";
import { GeminiBatchApi } from "./gemini-batch.js";
import { OpenAiBatchApi } from "./openai-batch.js";

/** How the requests of a run are sent in batches. */
export interface BatchesOptions extends Partial<BatchTiming> {
  /** False to end as soon as everything is submitted. Default: true. */
  readonly isAwaited?: boolean;
  /** What happens to requests without an answer after `deadlineMs`: sent one by one, or left for the next start. Default: "live". */
  readonly late?: "live" | "leave";
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** A model whose requests are sent in batches. */
export interface BatchedModel extends Omit<BatchEndpoint, "client"> {
  readonly dialect: Dialect;
  /** As the provider names it. */
  readonly model: string;
  /** The system or judge, as recorded. */
  readonly name: string;
  /** Calls the batch API. */
  readonly client: HttpClient;
}

/**
 * The batches of one run: sends the requests of its models in batches at the batch price, waits for the results, and finds
 * batches of earlier starts of the run again.
 * @example
 * const batches = new Batches({ deadlineMs: 6 * 3_600_000 });
 * const system = new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-6-luna", batches });
 * await evaluate({ systems: [system], dataset, batches, runsDir: ".assay/runs" });
 */
export class Batches {
  /** All trials of a run with batches start at once: they wait for their batch, not for a free slot. */
  readonly maxWorkers = 1_000_000;
  readonly #options: BatchesOptions;
  readonly #timing: BatchTiming;
  readonly #clients: { client: BatchClient; name: string }[] = [];
  readonly #leave = new AbortController();
  readonly #now: () => number;
  #quiet: NodeJS.Timeout | undefined;
  #counts = "";
  #isLate = false;
  /** Called with a description of what the run waits for. */
  onStatus: ((status: string | null) => void) | null = null;

  constructor(options: BatchesOptions = {}) {
    this.#options = options;
    const { gatherMs, firstPollMs, maxPollMs, deadlineMs } = { ...DEFAULT_BATCH_TIMING, ...options };
    this.#timing = { gatherMs, firstPollMs, maxPollMs, deadlineMs };
    this.#now = options.now ?? Date.now;
  }

  /** Aborted when the run is to end without the results that are missing; the next start collects them. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  /** True if the run is to end because its deadline is over. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Opens the client of one model. */
  open(model: BatchedModel): HttpClient {
    const client = new BatchClient({
      api: createBatchApi(model),
      live: model.client,
      model: model.name,
      timing: this.#timing,
      now: this.#now,
      onLate: () => this.#handleLate(),
      onChange: () => this.#handleChange(),
    });
    this.#clients.push({ client, name: model.name });
    return client;
  }

  /** Fails if an endpoint has no batch API or rejects the key. Costs nothing. */
  async check(signal: AbortSignal): Promise<void> {
    for (const { client, name } of this.#clients) {
      try {
        await client.check(signal);
      } catch (error) {
        throw isTrialError(error) ? explainCheckFailure(name, error) : error;
      }
    }
  }

  /**
   * Reads what earlier starts of the run have sent. Call it before the first request, with the names of the measured
   * systems; all other models are judges.
   */
  attach(systems: readonly string[], log: BatchLog = createMemoryBatchLog()): void {
    const names = this.#clients.map(({ name }) => name);
    const own = systems.filter((name) => names.includes(name));
    log.append({ kind: "open", systems: own, isJudgeBatched: names.length > own.length });
    for (const { client } of this.#clients) client.attach(log);
  }

  /** Describes what the run waits for; null if it waits for no batch. */
  describe(): string | null {
    const { gathered, submitted, done, since, problem } = this.#sumCounts();
    if (gathered + submitted === 0) return null;
    const parts = [
      ...(gathered > 0 ? [`${gathered} requests to be submitted`] : []),
      ...(submitted > 0 ? [`${submitted} requests in batches, ${done} done`] : []),
      ...(since === null ? [] : [`waiting since ${formatClock(since)}`]),
      ...(problem === null ? [] : [problem]),
    ];
    return parts.join(", ");
  }

  /** Stops waiting. What was submitted stays with the provider. */
  close(): void {
    clearTimeout(this.#quiet);
    for (const { client } of this.#clients) client.close();
  }

  #sumCounts(): BatchCounts {
    const all = this.#clients.map(({ client }) => client.counts);
    const sum = (name: "gathered" | "submitted" | "done" | "unread") =>
      all.reduce((total, counts) => total + counts[name], 0);
    const times = all.flatMap(({ since }) => since ?? []);
    return {
      gathered: sum("gathered"),
      submitted: sum("submitted"),
      done: sum("done"),
      unread: sum("unread"),
      since: times.length === 0 ? null : Math.min(...times),
      problem: all.find(({ problem }) => problem !== null)?.problem ?? null,
    };
  }

  #handleLate(): boolean {
    if (this.#options.late !== "leave") return true;
    this.#isLate = true;
    this.#leave.abort(new Error("The deadline of the batches is over."));
    return false;
  }

  #handleChange(): void {
    this.onStatus?.(this.describe());
    if (this.#options.isAwaited !== false) return;
    const { gathered, submitted, unread } = this.#sumCounts();
    const counts = [gathered, submitted, unread].join();
    // A look at a batch that has not ended changes nothing.
    if (counts === this.#counts) return;
    this.#counts = counts;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#leaveIfSubmitted(), this.#timing.gatherMs);
  }

  #leaveIfSubmitted(): void {
    const { gathered, submitted, unread } = this.#sumCounts();
    if (gathered === 0 && unread === 0 && submitted > 0) this.#leave.abort(new Error("Everything is submitted."));
  }
}

function createBatchApi({ dialect, model, ...endpoint }: BatchedModel): BatchApi {
  switch (dialect.name) {
    case "anthropic":
      return new AnthropicBatchApi(endpoint);
    case "gemini":
      return new GeminiBatchApi(endpoint);
    case "chat":
    case "responses":
      return new OpenAiBatchApi(endpoint, dialect.path(model, false));
    case "bedrock":
      throw new UsageError(
        `The model ${model} cannot be asked in batches: those of Amazon Bedrock read and write files in S3. Run it without --batch.`,
      );
  }
}

/** Statuses of endpoints that do not know the address. */
const UNKNOWN_STATUSES = new Set([404, 405, 501]);

function explainCheckFailure(name: string, error: Error): UsageError {
  const isUnknown = error instanceof BatchCallError && UNKNOWN_STATUSES.has(error.status);
  const problem = isUnknown ? `the endpoint of ${name} has no batch API` : `the batch API of ${name} cannot be used`;
  return new UsageError(
    `Nothing was sent: ${problem} (${error.message}). OpenAI, Anthropic and Gemini have one. Run it without --batch.`,
    { cause: error },
  );
}

function formatClock(time: number): string {
  return `${new Date(time).toISOString().slice(11, 16)} UTC`;
}
