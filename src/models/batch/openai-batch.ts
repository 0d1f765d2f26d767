import { randomBytes } from "node:crypto";
import { type JsonFields, readJsonList, readJsonObject, readJsonString } from "../dialects/answer-base.js";
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

const ENDED = new Set(["completed", "failed", "expired", "cancelled"]);
/** The key of the batch's name in its metadata. */
const NAME_KEY = "assay_batch";
const PAGE_SIZE = 100;
/** Clocks differ. */
const CLOCK_SKEW_MS = 10 * 60_000;

/** OpenAI's Batch API, for Chat Completions and Responses: requests and results are files. */
export class OpenAiBatchApi implements BatchApi {
  readonly name = "openai";
  readonly maxRequests = 50_000;
  readonly maxBytes = 200 * 1000 * 1000;
  readonly isFindExact = true;
  readonly #calls: BatchCaller;
  readonly #url: string;
  /** The path of a single request, as a batch names it. */
  readonly #path: string;

  /** @param path Such as `/chat/completions`. */
  constructor(endpoint: BatchEndpoint, path: string) {
    this.#calls = new BatchCaller(endpoint);
    this.#url = endpoint.url.slice(0, endpoint.url.lastIndexOf(path));
    this.#path = `/v1${path}`;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#calls.getJson(`${this.#url}/batches?limit=1`, signal);
  }

  async create({ name, requests }: NewBatch, signal: AbortSignal): Promise<string> {
    const lines = requests.map(({ customId, body }) =>
      JSON.stringify({ custom_id: customId, method: "POST", url: this.#path, body }),
    );
    const file = await this.#upload(name, lines.join("\n"), signal);
    const batch = await this.#calls.postJson(
      `${this.#url}/batches`,
      { input_file_id: file, endpoint: this.#path, completion_window: "24h", metadata: { [NAME_KEY]: name } },
      signal,
    );
    return requireText(batch, "id");
  }

  async find({ name, since }: LostBatch, signal: AbortSignal): Promise<string | null> {
    for (let after = ""; ; ) {
      const page = await this.#calls.getJson(`${this.#url}/batches?limit=${PAGE_SIZE}${after}`, signal);
      const batches = readObjects(page.data);
      const found = batches.find(({ metadata }) => readJsonObject(metadata)?.[NAME_KEY] === name);
      if (found !== undefined) return requireText(found, "id");
      const last = batches.at(-1);
      // The newest come first.
      const isOld = last !== undefined && readCount(last.created_at) * 1000 < since - CLOCK_SKEW_MS;
      if (page.has_more !== true || last === undefined || isOld) return null;
      after = `&after=${requireText(last, "id")}`;
    }
  }

  async read(id: string, signal: AbortSignal): Promise<BatchStatus> {
    const fields = await this.#calls.getJson(`${this.#url}/batches/${id}`, signal);
    const state = readJsonString(fields.status);
    const counts = readJsonObject(fields.request_counts);
    return {
      state,
      isEnded: ENDED.has(state),
      done: counts === null ? null : readCount(counts.completed) + readCount(counts.failed),
      failure: state === "failed" ? describeFailure(fields) : null,
      fields,
    };
  }

  async readResults(_: string, { fields }: BatchStatus, take: (result: BatchResult) => void, signal: AbortSignal) {
    for (const file of [fields.output_file_id, fields.error_file_id]) {
      if (typeof file !== "string" || file === "") continue;
      await this.#calls.readLines(`${this.#url}/files/${file}/content`, (line) => take(readLine(line)), signal);
    }
  }

  async cancel(id: string, signal: AbortSignal): Promise<void> {
    await this.#calls.postJson(`${this.#url}/batches/${id}/cancel`, {}, signal);
  }

  /** The results of batches name the tier "default". */
  markService(body: JsonFields, service: "batch" | "default"): JsonFields {
    return { ...body, service_tier: service };
  }

  async #upload(name: string, lines: string, signal: AbortSignal): Promise<string> {
    const boundary = `assay-${randomBytes(12).toString("hex")}`;
    const part = (heading: string, content: string) =>
      `--${boundary}\r\nContent-Disposition: form-data; ${heading}\r\n\r\n${content}\r\n`;
    const filePart = part(`name="file"; filename="${name}.jsonl"\r\nContent-Type: application/jsonl`, lines);
    const response = await this.#calls.post({
      url: `${this.#url}/files`,
      headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
      body: `${part('name="purpose"', "batch")}${filePart}--${boundary}--\r\n`,
      signal,
    });
    const fields = readJsonObject(JSON.parse(await response.text(1_000_000)));
    return requireText(fields ?? {}, "id");
  }
}

function describeFailure({ errors }: JsonFields): string {
  const messages = readJsonList(readJsonObject(errors)?.data).map((each) =>
    readJsonString(readJsonObject(each)?.message),
  );
  return [...new Set(messages)].filter((message) => message !== "").join(" ") || "it failed without a reason";
}

function readLine(line: JsonFields): BatchResult {
  const customId = readJsonString(line.custom_id);
  const response = readJsonObject(line.response);
  if (response !== null) {
    const body = readJsonObject(response.body) ?? {};
    return { customId, kind: "answered", status: readCount(response.status_code), body };
  }
  const error = readJsonObject(line.error) ?? {};
  const code = readJsonString(error.code);
  if (code === "batch_expired") return { customId, kind: "expired" };
  if (code === "batch_cancelled") return { customId, kind: "canceled" };
  return { customId, kind: "answered", status: 500, body: { error } };
}
