import { type JsonFields, readJsonObject, readJsonString } from "../dialects/answer-base.js";
import {
  type BatchApi,
  BatchCaller,
  type BatchEndpoint,
  type BatchResult,
  type BatchStatus,
  type LostBatch,
  type NewBatch,
  readCount,
  readObjects,
  requireText,
} from "./batch-api.js";

const PAGE_SIZE = 100;
/** Clocks differ. */
const CLOCK_SKEW_MS = 10 * 60_000;

const STATUS_BY_ERROR: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};

/** Anthropic's Message Batches. A batch has no name: one that was not recorded is recognized by its results. */
export class AnthropicBatchApi implements BatchApi {
  readonly name = "anthropic";
  readonly maxRequests = 100_000;
  readonly maxBytes = 256 * 1000 * 1000;
  readonly isFindExact = false;
  readonly #calls: BatchCaller;
  readonly #url: string;

  constructor(endpoint: BatchEndpoint) {
    this.#calls = new BatchCaller(endpoint);
    this.#url = `${endpoint.url}/batches`;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#calls.getJson(`${this.#url}?limit=1`, signal);
  }

  async create({ requests }: NewBatch, signal: AbortSignal): Promise<string> {
    const body = { requests: requests.map(({ customId, body: params }) => ({ custom_id: customId, params })) };
    return requireText(await this.#calls.postJson(this.#url, body, signal), "id");
  }

  /** Takes a running batch of the same size and time for it. Its results show whether it is. */
  async find(lost: LostBatch, signal: AbortSignal): Promise<string | null> {
    for await (const fields of this.#list(lost.since - CLOCK_SKEW_MS, signal)) {
      const id = requireText(fields, "id");
      if (lost.others.has(id) || sumCounts(fields) !== lost.size) continue;
      if (fields.processing_status !== "ended" || (await this.#hasResultsOf(id, lost.name, signal))) return id;
    }
    return null;
  }

  async read(id: string, signal: AbortSignal): Promise<BatchStatus> {
    const fields = await this.#calls.getJson(`${this.#url}/${id}`, signal);
    const state = readJsonString(fields.processing_status);
    const { processing } = readCounts(fields);
    return { state, isEnded: state === "ended", done: sumCounts(fields) - processing, failure: null, fields };
  }

  readResults(id: string, _: BatchStatus, take: (result: BatchResult) => void, signal: AbortSignal): Promise<void> {
    // The key is sent to the host of the run only, whatever address the batch names.
    return this.#calls.readLines(`${this.#url}/${id}/results`, (line) => take(readLine(line)), signal);
  }

  async cancel(id: string, signal: AbortSignal): Promise<void> {
    await this.#calls.postJson(`${this.#url}/${id}/cancel`, {}, signal);
  }

  markService(body: JsonFields, service: "batch" | "default"): JsonFields {
    const usage = readJsonObject(body.usage);
    if (usage === null) return body;
    return { ...body, usage: { ...usage, service_tier: service === "batch" ? "batch" : "standard" } };
  }

  /** Batches since then, the newest first. */
  async *#list(since: number, signal: AbortSignal): AsyncGenerator<JsonFields> {
    for (let after = ""; ; ) {
      const page = await this.#calls.getJson(`${this.#url}?limit=${PAGE_SIZE}${after}`, signal);
      const batches = readObjects(page.data);
      for (const fields of batches) {
        if (Date.parse(readJsonString(fields.created_at)) < since) return;
        yield fields;
      }
      const last = batches.at(-1);
      if (page.has_more !== true || last === undefined) return;
      after = `&after_id=${requireText(last, "id")}`;
    }
  }

  async #hasResultsOf(id: string, name: string, signal: AbortSignal): Promise<boolean> {
    let isOwn = false;
    const take = ({ custom_id }: JsonFields) => {
      isOwn ||= readJsonString(custom_id).startsWith(`${name}-`);
    };
    await this.#calls.readLines(`${this.#url}/${id}/results`, take, signal);
    return isOwn;
  }
}

const COUNT_NAMES = ["processing", "succeeded", "errored", "canceled", "expired"] as const;

function readCounts({ request_counts }: JsonFields): Record<(typeof COUNT_NAMES)[number], number> {
  const counts = readJsonObject(request_counts) ?? {};
  const [processing = 0, succeeded = 0, errored = 0, canceled = 0, expired = 0] = COUNT_NAMES.map((name) =>
    readCount(counts[name]),
  );
  return { processing, succeeded, errored, canceled, expired };
}

function sumCounts(fields: JsonFields): number {
  return Object.values(readCounts(fields)).reduce((sum, count) => sum + count, 0);
}

function readLine(line: JsonFields): BatchResult {
  const customId = readJsonString(line.custom_id);
  const result = readJsonObject(line.result) ?? {};
  const type = readJsonString(result.type);
  if (type === "expired" || type === "canceled") return { customId, kind: type };
  if (type === "succeeded")
    return { customId, kind: "answered", status: 200, body: readJsonObject(result.message) ?? {} };
  const error = readJsonObject(result.error) ?? {};
  // The error is wrapped like the body of an error response.
  const inner = readJsonObject(error.error) ?? error;
  const status = STATUS_BY_ERROR[readJsonString(inner.type)] ?? 500;
  return { customId, kind: "answered", status, body: { type: "error", error: inner } };
}
