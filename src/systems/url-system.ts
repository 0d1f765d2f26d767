import type { Example, Output, System, TrialContext } from "../core/index.js";
import { digest, isTrialError, omitUndefined, TrialError } from "../core/index.js";
import {
  type ClientLease,
  classifyHttpStatus,
  type HttpResponse,
  leaseClient,
  parseRetryAfter,
  RedirectError,
  readHeader,
  requireSafeEndpoint,
} from "../models/index.js";
import { readSystemReply, toSystemRequest } from "./system-request.js";

/** Options of `UrlSystem`. */
export interface UrlSystemOptions {
  /** The address that requests are posted to. */
  url: string;
  /** Default: the host. */
  name?: string;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>>;
  /** Maximum time for an answer. Default: 10 minutes. */
  timeoutMs?: number;
  /** Maximum number of requests at a time. Default: adapts to the endpoint. */
  maxParallel?: number;
  /** Allows sending a secret header over plain http to another machine. */
  allowInsecure?: boolean;
  /** Fields of examples that are not sent, besides those for evaluators. */
  hiddenFields?: readonly string[];
}

const DEFAULT_TIMEOUT_MS = 600_000;
const MAX_ANSWER_BYTES = 32 << 20;
const MAX_ERROR_BYTES = 1 << 20;
const MAX_EXCERPT_CHARS = 200;
const CODES = { reported: "URL_REPORTED_ERROR", wrong: "URL_WRONG_ANSWER" };

/**
 * A system behind an address: it is sent the same object as a `CommandSystem`, and answers with the same.
 * @example
 * const remote = new UrlSystem({ url: "http://127.0.0.1:8000/compress" });
 */
export class UrlSystem implements System {
  readonly name: string;
  readonly endpoint: string;
  readonly endpointName: string;
  declare readonly maxParallel?: number;
  readonly #options: UrlSystemOptions;
  readonly #lease: ClientLease;
  readonly #address: string;

  constructor(options: UrlSystemOptions) {
    const { url, name, headers = {}, allowInsecure, maxParallel } = options;
    const hasKey = Object.keys(headers).some((header) => /auth|key|token|cookie/i.test(header));
    const { host, origin, pathname } = requireSafeEndpoint({ url, hasKey, ...omitUndefined({ allowInsecure }) });
    this.name = name ?? host;
    this.endpoint = `${host} url`;
    this.endpointName = host;
    if (maxParallel !== undefined) this.maxParallel = maxParallel;
    // The query may hold a secret.
    this.#address = origin + pathname;
    this.#options = options;
    this.#lease = leaseClient();
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const request = toSystemRequest(example, trial, this.#options.hiddenFields);
    const fields = await this.#post(JSON.stringify(request), trial.signal);
    const { id } = fields;
    // An id may come back as text: 7 as "7".
    if (id !== undefined && id !== null && JSON.stringify(id) !== JSON.stringify(request.id) && id !== `${request.id}`)
      throw createUrlError(
        "URL_UNKNOWN_ID",
        `${this.#address} answered the request ${JSON.stringify(id)}, but was asked ${JSON.stringify(request.id)}. Copy the "id" of the request, or leave it out.`,
      );
    return readSystemReply(fields, { label: this.#address, request, metadata: {}, codes: CODES });
  }

  fingerprint(): unknown {
    const { url, headers = {} } = this.#options;
    return { url, headers: digest(headers), version: 1 };
  }

  async close(): Promise<void> {
    this.#lease.release();
  }

  async #post(body: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
    const { url, headers = {}, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#lease.client.post({
        url,
        headers: { "content-type": "application/json", accept: "application/json", ...toLowerCaseNames(headers) },
        body,
        signal: AbortSignal.any([signal, limit]),
        headersTimeoutMs: timeoutMs,
      });
      if (response.status >= 300) throw await this.#createStatusError(response);
      return this.#parse(await response.text(MAX_ANSWER_BYTES), readHeader(response.headers["content-type"]));
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw limit.aborted ? this.#createTimeoutError(timeoutMs) : addProblem(error);
    }
  }

  #parse(text: string, contentType: string): Readonly<Record<string, unknown>> {
    const fields = parseObject(text);
    if (fields !== null) return fields;
    const isHtml = /html/i.test(contentType) || /^\s*<(?:!doctype|html)/i.test(text);
    const what = isHtml ? "an HTML page" : excerpt(text);
    const hint = isHtml ? "Check the path of the URL, and whether it needs a login" : "Answer with one JSON object";
    throw createUrlError(
      isHtml ? "URL_HTML" : "URL_NOT_JSON",
      `${this.#address} answered with ${text.trim() === "" ? "nothing" : what}${isHtml ? "" : ", which is not a JSON object"}. ${hint}.`,
    );
  }

  async #createStatusError(response: HttpResponse): Promise<TrialError> {
    const { status, headers } = response;
    const text = await response.text(MAX_ERROR_BYTES).catch(() => "");
    const isPage = /^\s*</.test(text);
    const said = text.trim() === "" || isPage ? "." : `: ${excerpt(text)}`;
    const category = classifyHttpStatus(status);
    const isPassing = category !== "api_error" || status >= 500;
    return new TrialError(category, `${this.#address} answered with status ${status}${said}`, {
      spent: { metadata: { problem: "URL_STATUS", status } },
      ...(isPassing ? { retry: { afterMs: parseRetryAfter(headers, Date.now()) } } : {}),
      ...(category === "api_error" ? { outlook: findOutlook(status) } : {}),
    });
  }

  #createTimeoutError(timeoutMs: number): TrialError {
    return new TrialError(
      "timeout",
      `${this.#address} did not answer within ${timeoutMs / 1000} s. Raise the limit with --timeout, or make it faster.`,
      { spent: { metadata: { problem: "URL_TIMEOUT" } } },
    );
  }
}

function findOutlook(status: number): "down" | "refused" | "rejected" {
  if (status >= 500) return "down";
  return [401, 403, 404, 405].includes(status) ? "refused" : "rejected";
}

function createUrlError(problem: string, message: string): TrialError {
  return new TrialError("api_error", message, { spent: { metadata: { problem } } });
}

/** Errors of the client have no code of their own. */
function addProblem(error: unknown): unknown {
  if (!isTrialError(error) || error.spent !== undefined) return error;
  const { category, message, retry, outlook } = error;
  const problem = findProblem(error);
  return new TrialError(category, message, {
    cause: error,
    spent: { metadata: { problem } },
    ...omitUndefined({ retry, outlook }),
  });
}

function findProblem(error: TrialError): string {
  if (error.category === "timeout") return "URL_TIMEOUT";
  return error instanceof RedirectError ? "URL_REDIRECT" : "URL_UNREACHABLE";
}

function toLowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > MAX_EXCERPT_CHARS ? `${text.slice(0, MAX_EXCERPT_CHARS)}…` : text);
}
