import { TrialError } from "../../core/index.js";
import { type JsonFields, readJsonObject, readJsonString } from "../dialects/answer-base.js";
import { readHeader } from "../http/response.js";
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

/** States are written `BATCH_STATE_…` or `JOB_STATE_…`. */
const ENDED = new Set(["SUCCEEDED", "PARTIALLY_SUCCEEDED", "FAILED", "CANCELLED", "EXPIRED"]);
/** Requests in the call itself may have 20 MB; larger batches are uploaded as a file. */
const MAX_INLINE_BYTES = 15 * 1000 * 1000;
const PAGE_SIZE = 100;

/** Codes of `google.rpc.Status`. */
const STATUS_BY_CODE: Readonly<Record<number, number>> = {
  3: 400,
  4: 504,
  5: 404,
  7: 403,
  8: 429,
  13: 500,
  14: 503,
  16: 401,
};
const CANCELLED_CODE = 1;

/** Gemini's Batch API: requests in the call or in a file. A batch is found by its display name. */
export class GeminiBatchApi implements BatchApi {
  readonly name = "gemini";
  readonly maxRequests = 100_000;
  /** The API takes 2 GB; smaller files keep the memory of this process small. */
  readonly maxBytes = 200 * 1000 * 1000;
  readonly isFindExact = true;
  readonly #calls: BatchCaller;
  readonly #createUrl: string;
  /** Up to the version. */
  readonly #base: string;
  readonly #maxInlineBytes: number;

  constructor(endpoint: BatchEndpoint, maxInlineBytes = MAX_INLINE_BYTES) {
    this.#calls = new BatchCaller(endpoint);
    this.#createUrl = endpoint.url.replace(/:generateContent(?=$|\?)/, ":batchGenerateContent");
    this.#base = endpoint.url.slice(0, endpoint.url.indexOf("/v1beta/") + "/v1beta".length);
    this.#maxInlineBytes = maxInlineBytes;
  }

  async check(signal: AbortSignal): Promise<void> {
    await this.#calls.getJson(`${this.#base}/batches?pageSize=1`, signal);
  }

  async create({ name, requests }: NewBatch, signal: AbortSignal): Promise<string> {
    const lines = requests.map(({ customId, body }) => JSON.stringify({ key: customId, request: body }));
    const bytes = lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
    const inputConfig =
      bytes <= this.#maxInlineBytes
        ? {
            requests: {
              requests: requests.map(({ customId, body }) => ({ request: body, metadata: { key: customId } })),
            },
          }
        : { file_name: await this.#upload(name, lines.join("\n"), signal) };
    const batch = { display_name: name, input_config: inputConfig };
    return requireText(await this.#calls.postJson(this.#createUrl, { batch }, signal), "name");
  }

  async find({ name }: LostBatch, signal: AbortSignal): Promise<string | null> {
    for (let token = ""; ; ) {
      const page = await this.#calls.getJson(`${this.#base}/batches?pageSize=${PAGE_SIZE}${token}`, signal);
      const batches = readObjects(page.operations);
      const found = batches.find(({ metadata }) => readDisplayName(readJsonObject(metadata) ?? {}) === name);
      if (found !== undefined) return requireText(found, "name");
      const next = readJsonString(page.nextPageToken);
      if (next === "") return null;
      token = `&pageToken=${encodeURIComponent(next)}`;
    }
  }

  async read(id: string, signal: AbortSignal): Promise<BatchStatus> {
    const fields = await this.#calls.getJson(`${this.#base}/${id}`, signal);
    const metadata = readJsonObject(fields.metadata) ?? {};
    const state = readJsonString(metadata.state);
    const short = state.replace(/^(?:BATCH|JOB)_STATE_/, "");
    const stats = readJsonObject(metadata.batchStats) ?? {};
    return {
      state,
      isEnded: ENDED.has(short) || fields.done === true,
      done: readCount(stats.successfulRequestCount) + readCount(stats.failedRequestCount),
      failure: short === "FAILED" ? readJsonString(readJsonObject(fields.error)?.message) || "it failed" : null,
      fields,
    };
  }

  async readResults(_: string, { fields }: BatchStatus, take: (result: BatchResult) => void, signal: AbortSignal) {
    const metadata = readJsonObject(fields.metadata) ?? {};
    const output = readJsonObject(fields.response) ?? readJsonObject(metadata.output) ?? {};
    const file = readJsonString(output.responsesFile);
    if (file !== "") {
      const url = `${this.#withPrefix("download")}/${file}:download?alt=media`;
      await this.#calls.readLines(url, (line) => take(readLine(readJsonString(line.key), line)), signal);
      return;
    }
    const inlined = readJsonObject(output.inlinedResponses)?.inlinedResponses ?? output.inlinedResponses;
    for (const each of readObjects(inlined)) take(readLine(readJsonString(readJsonObject(each.metadata)?.key), each));
  }

  async cancel(id: string, signal: AbortSignal): Promise<void> {
    await this.#calls.postJson(`${this.#base}/${id}:cancel`, {}, signal);
  }

  markService(body: JsonFields, service: "batch" | "default"): JsonFields {
    const usage = readJsonObject(body.usageMetadata);
    if (usage === null) return body;
    return { ...body, usageMetadata: { ...usage, serviceTier: service === "batch" ? "batch" : "standard" } };
  }

  /** Files have their own path before the version. */
  #withPrefix(prefix: "upload" | "download"): string {
    return this.#base.replace(/\/v1beta$/, `/${prefix}/v1beta`);
  }

  async #upload(name: string, lines: string, signal: AbortSignal): Promise<string> {
    const started = await this.#calls.post({
      url: `${this.#withPrefix("upload")}/files`,
      headers: {
        "x-goog-upload-protocol": "resumable",
        "x-goog-upload-command": "start",
        "x-goog-upload-header-content-length": String(Buffer.byteLength(lines)),
        "x-goog-upload-header-content-type": "application/jsonl",
      },
      body: JSON.stringify({ file: { display_name: name } }),
      signal,
    });
    started.discard();
    const response = await this.#calls.post({
      url: this.#requireOwnHost(readHeader(started.headers["x-goog-upload-url"])),
      headers: {
        "content-type": "application/jsonl",
        "x-goog-upload-offset": "0",
        "x-goog-upload-command": "upload, finalize",
      },
      body: lines,
      signal,
    });
    const fields = readJsonObject(JSON.parse(await response.text(1_000_000)));
    return requireText(readJsonObject(fields?.file) ?? {}, "name");
  }

  /** The key is sent with the file. */
  #requireOwnHost(url: string): string {
    if (URL.canParse(url) && new URL(url).host === new URL(this.#base).host) return url;
    throw new TrialError("api_error", `The batch API names another host for the upload: ${url.slice(0, 80)}`);
  }
}

function readDisplayName({ displayName, display_name }: JsonFields): string {
  return readJsonString(displayName) || readJsonString(display_name);
}

function readLine(customId: string, { response, error }: JsonFields): BatchResult {
  const body = readJsonObject(response);
  if (body !== null) return { customId, kind: "answered", status: 200, body };
  const status = readJsonObject(error) ?? {};
  const code = readCount(status.code);
  if (code === CANCELLED_CODE) return { customId, kind: "canceled" };
  return {
    customId,
    kind: "answered",
    status: STATUS_BY_CODE[code] ?? (code >= 400 ? code : 500),
    body: { error: status },
  };
}
