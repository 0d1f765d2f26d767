import { TrialError } from "../../core/index.js";
import { LineBlockSplitter } from "../../utils/index.js";
import { type JsonFields, parseProviderError, readJsonList, readJsonObject } from "../dialects/answer-base.js";
import type { HttpClient, HttpRequest } from "../http/client.js";
import { classifyHttpStatus } from "../http/errors.js";
import type { HttpResponse } from "../http/response.js";

/** One request of a batch. */
interface BatchRequest {
  /** Identifies it in the results; letters, digits, `_` and `-`. */
  readonly customId: string;
  readonly body: JsonFields;
}

/** A batch to create. Its name is unique, and is how it is found again. */
export interface NewBatch {
  readonly name: string;
  readonly requests: readonly BatchRequest[];
}

/** What is known about a batch whose creation was interrupted. */
export interface LostBatch {
  readonly name: string;
  readonly size: number;
  /** Milliseconds since 1970, before it was created. */
  readonly since: number;
  /** Batches that are known to be others. */
  readonly others: ReadonlySet<string>;
}

/** The state of a batch. */
export interface BatchStatus {
  /** As the provider names it. */
  readonly state: string;
  readonly isEnded: boolean;
  /** Requests that are done; null if the provider does not say. */
  readonly done: number | null;
  /** Why the whole batch failed; null if it did not. */
  readonly failure: string | null;
  /** The answer of the provider, which says where the results are. */
  readonly fields: JsonFields;
}

/** The result of one request, in the format of the API that answers single requests. */
export type BatchResult = { readonly customId: string } & (
  | { readonly kind: "answered"; readonly status: number; readonly body: JsonFields }
  /** Not run: it costs nothing. */
  | { readonly kind: "expired" | "canceled" }
);

/** The batch API of a provider. Every method throws a `TrialError`, or the reason of the signal. */
export interface BatchApi {
  readonly name: "openai" | "anthropic" | "gemini";
  readonly maxRequests: number;
  readonly maxBytes: number;
  /** False if `find` may return another batch, which its results show. */
  readonly isFindExact: boolean;
  /** Fails if the endpoint has no batch API, or rejects the key. Costs nothing. */
  check(signal: AbortSignal): Promise<void>;
  /** Uploads the requests and creates the batch. Returns its id. */
  create(batch: NewBatch, signal: AbortSignal): Promise<string>;
  /** Finds a batch that may have been created before its id was recorded; null if there is none. */
  find(lost: LostBatch, signal: AbortSignal): Promise<string | null>;
  read(id: string, signal: AbortSignal): Promise<BatchStatus>;
  /** Passes on the results of an ended batch, in any order. */
  readResults(id: string, status: BatchStatus, take: (result: BatchResult) => void, signal: AbortSignal): Promise<void>;
  cancel(id: string, signal: AbortSignal): Promise<void>;
  /** Marks an answer with the service that it is billed as, where the answer itself says it. */
  markService(body: JsonFields, service: "batch" | "default"): JsonFields;
}

/** Where and how to call a batch API. */
export interface BatchEndpoint {
  readonly client: HttpClient;
  /** The URL of a single request. */
  readonly url: string;
  /** With the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Removes secrets from a text. */
  readonly scrub: (text: string) => string;
}

/** Results of 50,000 requests may be large, but a list of batches never is. */
const MAX_JSON_BYTES = 512 * 1024 * 1024;
const MAX_ERROR_CHARS = 500;

/** Calls a batch API over HTTP. */
export class BatchCaller {
  readonly #endpoint: BatchEndpoint;

  constructor(endpoint: BatchEndpoint) {
    this.#endpoint = endpoint;
  }

  async getJson(url: string, signal: AbortSignal): Promise<JsonFields> {
    return this.#readJson(await this.#get(url, signal));
  }

  async postJson(url: string, body: unknown, signal: AbortSignal): Promise<JsonFields> {
    return this.#readJson(await this.post({ url, headers: {}, body: JSON.stringify(body), signal }));
  }

  /** Returns the response to a request that succeeded. */
  async post({ url, headers, body, signal }: HttpRequest): Promise<HttpResponse> {
    const { client, headers: own } = this.#endpoint;
    return this.#requireSuccess(await client.post({ url, headers: { ...own, ...headers }, body, signal }), url);
  }

  /** Passes on each line of a file as JSON. */
  async readLines(url: string, take: (line: JsonFields) => void, signal: AbortSignal): Promise<void> {
    const response = await this.#get(url, signal);
    const blocks = new LineBlockSplitter();
    const takeBlock = (block: Buffer | null) => {
      const lines = block === null ? [] : block.toString("utf8").split("\n");
      for (const line of lines) if (line.trim() !== "") take(parseObject(line));
    };
    await response.read((chunk) => takeBlock(blocks.push(chunk)));
    takeBlock(blocks.flush());
  }

  async #get(url: string, signal: AbortSignal): Promise<HttpResponse> {
    const { client, headers } = this.#endpoint;
    const { "content-type": _, ...own } = headers;
    return this.#requireSuccess(await client.get({ url, headers: own, signal }), url);
  }

  async #readJson(response: HttpResponse): Promise<JsonFields> {
    return parseObject(await response.text(MAX_JSON_BYTES));
  }

  async #requireSuccess(response: HttpResponse, url: string): Promise<HttpResponse> {
    const { status } = response;
    if (status < 400) return response;
    const text = await response.text(MAX_JSON_BYTES);
    const { host, pathname } = new URL(url);
    const said = parseProviderError(tryParse(text))?.message ?? text;
    const message = this.#endpoint.scrub(said.replace(/\s+/g, " ").trim().slice(0, MAX_ERROR_CHARS));
    throw new BatchCallError(status, `${host}${pathname} answered ${status}: ${message}`);
  }
}

/** A call to a batch API was rejected. */
export class BatchCallError extends TrialError {
  readonly status: number;

  constructor(status: number, message: string) {
    const category = classifyHttpStatus(status);
    super(category, message, category === "api_error" && status < 500 ? {} : { retry: { afterMs: null } });
    this.status = status;
  }

  /** True if the same call would be rejected again. */
  get isFinal(): boolean {
    return this.retry === undefined;
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function parseObject(text: string): JsonFields {
  const fields = readJsonObject(tryParse(text));
  if (fields !== null) return fields;
  throw new TrialError("api_error", `The batch API sent malformed JSON: ${text.slice(0, 80)}`, {
    retry: { afterMs: null },
  });
}

/** A text field that must be there, such as an id. */
export function requireText(fields: JsonFields, key: string): string {
  const value = fields[key];
  if (typeof value === "string" && value !== "") return value;
  throw new TrialError("api_error", `The batch API answered without "${key}".`);
}

/** A count, which some providers write as text. */
export function readCount(value: unknown): number {
  const count = Number(value ?? 0);
  return Number.isFinite(count) ? count : 0;
}

/** The objects of a list. */
export function readObjects(list: unknown): JsonFields[] {
  return readJsonList(list).flatMap((each): JsonFields[] => {
    const fields = readJsonObject(each);
    return fields === null ? [] : [fields];
  });
}
