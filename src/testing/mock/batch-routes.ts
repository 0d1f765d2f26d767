import { type BatchItemInput, type BatchStore, countResults, type MockBatch } from "./batch-store.js";
import type { MockExchange } from "./exchange.js";
import { BadRequestError, type MockJson, requireListField, toList, toObject, toTextOrEmpty } from "./prompt.js";
import { anthropicProtocol } from "./protocols/anthropic.js";
import { chatProtocol } from "./protocols/chat.js";
import { geminiProtocol } from "./protocols/gemini.js";
import type { MockProtocol } from "./protocols/protocol.js";
import { responsesProtocol } from "./protocols/responses.js";

/** What an endpoint answers: JSON, or the text of a file. */
type BatchAnswer = { readonly json: MockJson; readonly headers?: Record<string, string> } | { readonly text: string };

interface BatchCall {
  readonly store: BatchStore;
  readonly exchange: MockExchange;
  readonly query: URLSearchParams;
  readonly bytes: Buffer;
  /** Parts of the path. */
  readonly parts: readonly string[];
}

interface BatchRoute {
  readonly wire: MockProtocol;
  readonly method: "GET" | "POST";
  readonly path: RegExp;
  /** Null if there is nothing of this name. */
  readonly answer: (call: BatchCall) => BatchAnswer | null;
}

const PAGE_SIZE = 20;
const DAY_SECS = 24 * 3600;

/** The batch APIs of the three providers. The end of the path decides. */
const ROUTES: readonly BatchRoute[] = [
  { wire: geminiProtocol, method: "POST", path: /\/upload\/v1beta\/files$/, answer: startGeminiUpload },
  { wire: geminiProtocol, method: "POST", path: /\/upload\/v1beta\/files\/([\w-]+)$/, answer: finishGeminiUpload },
  { wire: geminiProtocol, method: "GET", path: /\/download\/v1beta\/(files\/[\w-]+):download$/, answer: downloadFile },
  { wire: geminiProtocol, method: "POST", path: /\/([^/]+):batchGenerateContent$/, answer: createGeminiBatch },
  { wire: geminiProtocol, method: "GET", path: /\/v1beta\/batches$/, answer: listGeminiBatches },
  { wire: geminiProtocol, method: "GET", path: /\/v1beta\/(batches\/[\w-]+)$/, answer: readBatch(toGeminiOperation) },
  {
    wire: geminiProtocol,
    method: "POST",
    path: /\/v1beta\/(batches\/[\w-]+):cancel$/,
    answer: cancelBatch(() => ({})),
  },
  { wire: anthropicProtocol, method: "POST", path: /\/messages\/batches$/, answer: createAnthropicBatch },
  { wire: anthropicProtocol, method: "GET", path: /\/messages\/batches$/, answer: listAnthropicBatches },
  {
    wire: anthropicProtocol,
    method: "GET",
    path: /\/messages\/batches\/([\w-]+)\/results$/,
    answer: readAnthropicResults,
  },
  {
    wire: anthropicProtocol,
    method: "POST",
    path: /\/messages\/batches\/([\w-]+)\/cancel$/,
    answer: cancelBatch(toAnthropicBatch),
  },
  {
    wire: anthropicProtocol,
    method: "GET",
    path: /\/messages\/batches\/([\w-]+)$/,
    answer: readBatch(toAnthropicBatch),
  },
  { wire: chatProtocol, method: "POST", path: /\/files$/, answer: uploadOpenaiFile },
  { wire: chatProtocol, method: "GET", path: /\/files\/([\w-]+)\/content$/, answer: downloadFile },
  { wire: chatProtocol, method: "POST", path: /\/batches$/, answer: createOpenaiBatch },
  { wire: chatProtocol, method: "GET", path: /\/batches$/, answer: listOpenaiBatches },
  { wire: chatProtocol, method: "POST", path: /\/batches\/([\w-]+)\/cancel$/, answer: cancelBatch(toOpenaiBatch) },
  { wire: chatProtocol, method: "GET", path: /\/batches\/([\w-]+)$/, answer: readBatch(toOpenaiBatch) },
];

/** A call of a batch API. */
export interface RoutedBatchCall {
  readonly wire: MockProtocol;
  /** Throws `BadRequestError` for what a provider would reject. */
  readonly answer: (call: Omit<BatchCall, "parts">) => BatchAnswer | null;
}

/** Null for other paths. */
export function findBatchRoute(method: string, path: string): RoutedBatchCall | null {
  for (const { wire, method: own, path: pattern, answer } of ROUTES) {
    const match = own === method ? pattern.exec(path) : null;
    if (match !== null) return { wire, answer: (call) => answer({ ...call, parts: match.slice(1) }) };
  }
  return null;
}

function readBatch(format: (batch: MockBatch, call: BatchCall) => MockJson): BatchRoute["answer"] {
  return (call) => {
    const batch = call.store.find(call.parts[0] ?? "");
    return batch === null ? null : { json: format(batch, call) };
  };
}

function cancelBatch(format: (batch: MockBatch, call: BatchCall) => MockJson): BatchRoute["answer"] {
  return (call) => {
    const batch = call.store.find(call.parts[0] ?? "");
    if (batch === null) return null;
    call.store.cancel(batch);
    return { json: format(batch, call) };
  };
}

function downloadFile({ store, parts }: BatchCall): BatchAnswer | null {
  const text = store.files.get(parts[0] ?? "");
  return text === undefined ? null : { text };
}

function parseBody({ bytes }: BatchCall): MockJson {
  try {
    return toObject(JSON.parse(bytes.toString("utf8")));
  } catch {
    throw new BadRequestError("The body is not valid JSON.");
  }
}

function parseLines(text: string): MockJson[] {
  try {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map((line) => toObject(JSON.parse(line)));
  } catch {
    throw new BadRequestError("A line of the file is not valid JSON.");
  }
}

function formatLines(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function listPage(batches: readonly MockBatch[], query: URLSearchParams, after: string) {
  const start = batches.findIndex(({ id }) => id === query.get(after)) + 1;
  const limit = Number(query.get("limit") ?? PAGE_SIZE);
  return { page: batches.slice(start, start + limit), hasMore: batches.length > start + limit };
}

// OpenAI: files, and batches of them.

function uploadOpenaiFile({ store, exchange, bytes }: BatchCall): BatchAnswer {
  const [, boundary] = /boundary="?([^";]+)"?/.exec(exchange.request.headers["content-type"] ?? "") ?? [];
  if (boundary === undefined) throw new BadRequestError("The file must be sent as multipart/form-data.");
  const fields = new Map<string, string>();
  for (const part of bytes.toString("utf8").split(`--${boundary}`)) {
    const [heading = "", ...content] = part.split("\r\n\r\n");
    const [, name] = /name="([^"]+)"/.exec(heading) ?? [];
    if (name !== undefined) fields.set(name, content.join("\r\n\r\n").replace(/\r\n$/, ""));
  }
  if (fields.get("purpose") !== "batch") throw new BadRequestError("The purpose must be batch.");
  const id = store.makeId("file-mock");
  const text = fields.get("file") ?? "";
  store.files.set(id, text);
  return { json: { id, object: "file", bytes: Buffer.byteLength(text), purpose: "batch", status: "processed" } };
}

const OPENAI_ENDPOINTS: Readonly<Record<string, MockProtocol>> = {
  "/v1/chat/completions": chatProtocol,
  "/v1/responses": responsesProtocol,
};

function createOpenaiBatch(call: BatchCall): BatchAnswer {
  const { store, exchange } = call;
  const { input_file_id, endpoint, completion_window, metadata = null } = parseBody(call);
  const wire = OPENAI_ENDPOINTS[toTextOrEmpty(endpoint)];
  const file = store.files.get(toTextOrEmpty(input_file_id));
  if (wire === undefined) throw new BadRequestError(`Invalid endpoint: ${String(endpoint)}`);
  if (completion_window !== "24h") throw new BadRequestError("completion_window must be 24h.");
  if (file === undefined) throw new BadRequestError(`No such file: ${String(input_file_id)}`);
  const items = parseLines(file).map((line): BatchItemInput => {
    if (line.method !== "POST" || line.url !== endpoint) throw new BadRequestError("A line has another method or url.");
    return { customId: toTextOrEmpty(line.custom_id), body: toObject(line.body), model: "" };
  });
  const about = { endpoint, input_file_id, completion_window, metadata };
  const batch = store.create(store.makeId("batch_mock"), { wire, items, headers: exchange.request.headers, about });
  return { json: toOpenaiBatch(batch, call) };
}

function toOpenaiBatch(batch: MockBatch, { store }: Pick<BatchCall, "store">): MockJson {
  const { id, about, createdAt, endedAt, canceledAt } = batch;
  const { open, passed, failed, expired, canceled } = countResults(batch);
  const total = open + passed + failed + expired + canceled;
  return {
    id,
    object: "batch",
    ...about,
    status: chooseOpenaiStatus(batch),
    created_at: Math.floor(createdAt / 1000),
    expires_at: Math.floor(createdAt / 1000) + DAY_SECS,
    ...(canceledAt === null ? {} : { cancelling_at: Math.floor(canceledAt / 1000) }),
    request_counts: { total, completed: passed, failed },
    ...(endedAt === null ? {} : writeOpenaiFiles(batch, store)),
  };
}

function chooseOpenaiStatus({ endedAt, canceledAt, items }: MockBatch): string {
  if (endedAt === null) return canceledAt === null ? "in_progress" : "cancelling";
  if (canceledAt !== null) return "cancelled";
  return items.some(({ result }) => result?.kind === "expired") ? "expired" : "completed";
}

function writeOpenaiFiles({ id, items }: MockBatch, store: BatchStore): MockJson {
  const lines = items.map(({ input: { customId }, result }) => {
    const heading = { id: `batch_req_${customId}`, custom_id: customId };
    if (result?.kind !== "answered") {
      const code = result?.kind === "expired" ? "batch_expired" : "batch_cancelled";
      return { isError: true, line: { ...heading, response: null, error: { code, message: "It was not run." } } };
    }
    const response = { status_code: result.status, request_id: `req_${customId}`, body: result.body };
    return { isError: result.status !== 200, line: { ...heading, response, error: null } };
  });
  const files: MockJson = {};
  for (const [key, isError] of [
    ["output_file_id", false],
    ["error_file_id", true],
  ] as const) {
    const own = lines.filter((each) => each.isError === isError).map(({ line }) => line);
    if (own.length === 0) continue;
    store.files.set(`${key}-${id}`, formatLines(own));
    Object.assign(files, { [key]: `${key}-${id}` });
  }
  return files;
}

function listOpenaiBatches(call: BatchCall): BatchAnswer {
  const all = call.store.list().filter(({ about }) => "input_file_id" in about);
  const { page, hasMore } = listPage(all, call.query, "after");
  return { json: { object: "list", data: page.map((batch) => toOpenaiBatch(batch, call)), has_more: hasMore } };
}

// Anthropic: batches without names.

function createAnthropicBatch(call: BatchCall): BatchAnswer {
  const { store, exchange } = call;
  if (exchange.request.headers["anthropic-version"] === undefined)
    throw new BadRequestError("anthropic-version: header is required");
  const items = requireListField(parseBody(call), "requests").map((each): BatchItemInput => {
    const { custom_id, params } = toObject(each);
    const customId = toTextOrEmpty(custom_id);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(customId)) throw new BadRequestError("requests.custom_id: invalid");
    return { customId, body: toObject(params), model: "" };
  });
  const about = { type: "message_batch" };
  const batch = store.create(store.makeId("msgbatch_mock"), {
    wire: anthropicProtocol,
    items,
    headers: exchange.request.headers,
    about,
  });
  return { json: toAnthropicBatch(batch) };
}

function toAnthropicBatch(batch: MockBatch): MockJson {
  const { id, createdAt, endedAt, canceledAt } = batch;
  const { open, passed, failed, expired, canceled } = countResults(batch);
  const isEnded = endedAt !== null;
  return {
    id,
    type: "message_batch",
    processing_status: isEnded ? "ended" : canceledAt === null ? "in_progress" : "canceling",
    request_counts: { processing: open, succeeded: passed, errored: failed, canceled, expired },
    created_at: new Date(createdAt).toISOString(),
    expires_at: new Date(createdAt + DAY_SECS * 1000).toISOString(),
    ended_at: endedAt === null ? null : new Date(endedAt).toISOString(),
    cancel_initiated_at: canceledAt === null ? null : new Date(canceledAt).toISOString(),
    results_url: isEnded ? `/v1/messages/batches/${id}/results` : null,
  };
}

function readAnthropicResults({ store, parts }: BatchCall): BatchAnswer | null {
  const batch = store.find(parts[0] ?? "");
  if (batch === null || batch.endedAt === null) return null;
  const lines = batch.items.map(({ input: { customId }, result }) => {
    if (result?.kind !== "answered") return { custom_id: customId, result: { type: result?.kind } };
    if (result.status !== 200) return { custom_id: customId, result: { type: "errored", error: result.body } };
    const usage = { ...toObject(result.body.usage), service_tier: "batch" };
    return { custom_id: customId, result: { type: "succeeded", message: { ...result.body, usage } } };
  });
  return { text: formatLines(lines) };
}

function listAnthropicBatches({ store, query }: BatchCall): BatchAnswer {
  const all = store.list().filter(({ about }) => about.type === "message_batch");
  const { page, hasMore } = listPage(all, query, "after_id");
  const ids = { first_id: page[0]?.id ?? null, last_id: page.at(-1)?.id ?? null };
  return { json: { data: page.map(toAnthropicBatch), has_more: hasMore, ...ids } };
}

// Gemini: operations with a display name; requests in the call or in a file.

function startGeminiUpload({ store, exchange }: BatchCall): BatchAnswer {
  const { headers } = exchange.request;
  if (headers["x-goog-upload-command"] !== "start") throw new BadRequestError("X-Goog-Upload-Command must be start.");
  const url = `http://${headers.host}/upload/v1beta/files/${store.makeId("mock")}?upload_protocol=resumable`;
  return { json: {}, headers: { "x-goog-upload-url": url } };
}

function finishGeminiUpload({ store, bytes, parts }: BatchCall): BatchAnswer {
  const name = `files/${parts[0]}`;
  store.files.set(name, bytes.toString("utf8"));
  return { json: { file: { name, state: "ACTIVE" } } };
}

function createGeminiBatch(call: BatchCall): BatchAnswer {
  const { store, exchange, parts } = call;
  const model = decodeURIComponent(parts[0] ?? "");
  const {
    display_name,
    displayName = display_name,
    input_config,
    inputConfig = input_config,
  } = toObject(parseBody(call).batch);
  const { file_name, fileName = file_name, requests } = toObject(inputConfig);
  const items = typeof fileName === "string" ? readGeminiFile(store, fileName) : readGeminiRequests(requests);
  if (items.length === 0) throw new BadRequestError("The batch has no requests.");
  const about = { displayName, model: `models/${model}`, usesFile: typeof fileName === "string" };
  const batch = store.create(store.makeId("batches/mock"), {
    wire: geminiProtocol,
    items: items.map(({ key, request }) => ({ customId: toTextOrEmpty(key), body: toObject(request), model })),
    headers: exchange.request.headers,
    about,
  });
  return { json: toGeminiOperation(batch, call) };
}

function readGeminiFile(store: BatchStore, name: string): MockJson[] {
  const text = store.files.get(name);
  if (text === undefined) throw new BadRequestError(`No such file: ${name}`);
  return parseLines(text);
}

function readGeminiRequests(requests: unknown): MockJson[] {
  return toList(toObject(requests).requests)
    .map(toObject)
    .map(({ request, metadata }) => ({ key: toObject(metadata).key, request }));
}

function toGeminiOperation(batch: MockBatch, { store }: Pick<BatchCall, "store">): MockJson {
  const { id, about, createdAt, endedAt } = batch;
  const { open, passed, failed, expired, canceled } = countResults(batch);
  const state = chooseGeminiState(batch);
  const counts = {
    requestCount: String(batch.items.length),
    successfulRequestCount: String(passed),
    failedRequestCount: String(failed),
    pendingRequestCount: String(open + expired + canceled),
  };
  const { displayName, model } = about;
  const metadata = {
    name: id,
    displayName,
    model,
    state,
    createTime: new Date(createdAt).toISOString(),
    batchStats: counts,
  };
  const heading = { name: id, metadata: { "@type": "type.googleapis.com/GenerateContentBatch", ...metadata } };
  if (endedAt === null) return { ...heading, done: false };
  return { ...heading, done: true, response: makeGeminiOutput(batch, store) };
}

function chooseGeminiState({ endedAt, canceledAt, items }: MockBatch): string {
  if (endedAt === null) return "BATCH_STATE_RUNNING";
  if (canceledAt !== null) return "BATCH_STATE_CANCELLED";
  return items.some(({ result }) => result?.kind === "expired") ? "BATCH_STATE_EXPIRED" : "BATCH_STATE_SUCCEEDED";
}

/** Requests that were not run have no result. */
function makeGeminiOutput({ id, about, items }: MockBatch, store: BatchStore): MockJson {
  const results = items.flatMap(({ input: { customId }, result }) => {
    if (result?.kind !== "answered") return [];
    return [{ key: customId, ...(result.status === 200 ? { response: result.body } : { error: result.body.error }) }];
  });
  if (about.usesFile === true) {
    const name = `files/${id.replace("batches/", "")}`;
    store.files.set(name, formatLines(results));
    return { responsesFile: name };
  }
  const inlined = results.map(({ key, ...rest }) => ({ metadata: { key }, ...rest }));
  return { inlinedResponses: { inlinedResponses: inlined } };
}

function listGeminiBatches(call: BatchCall): BatchAnswer {
  const all = call.store.list().filter(({ about }) => "displayName" in about);
  const start = Number(call.query.get("pageToken") ?? 0);
  const end = start + Number(call.query.get("pageSize") ?? PAGE_SIZE);
  const operations = all.slice(start, end).map((batch) => {
    const { response: _, ...heading } = toGeminiOperation(batch, call);
    return heading;
  });
  return { json: { operations, ...(end < all.length && { nextPageToken: String(end) }) } };
}
