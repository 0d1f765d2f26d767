import { type IncomingHttpHeaders, request } from "node:http";
import type { MockDialect } from "./script.js";

/** A raw response: nothing is parsed, and a broken connection is a result too. */
export interface RawResponse {
  readonly status: number | null;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  readonly text: string;
  /** Code of the error that ended it early. */
  readonly error: string | null;
}

export interface RawRequestOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  /** Called with each chunk; returning false disconnects. */
  readonly onData?: (text: string) => boolean;
}

/** Sends one request on its own connection and collects the response. */
export function sendRaw(
  url: string,
  { body = {}, headers = {}, method = "POST", onData }: RawRequestOptions = {},
): Promise<RawResponse> {
  return new Promise((resolve) => {
    const blocks: Buffer[] = [];
    const outgoing = request(url, { method, headers: { "anthropic-version": "2023-06-01", ...headers }, agent: false });
    const finish = (status: number | null, answered: IncomingHttpHeaders, error: string | null) => {
      const bytes = Buffer.concat(blocks);
      resolve({ status, headers: answered, bytes, text: bytes.toString(), error });
    };
    outgoing.on("error", (error: NodeJS.ErrnoException) => finish(null, {}, error.code ?? error.message));
    outgoing.on("response", (response) => {
      const { statusCode = null } = response;
      response.on("data", (block: Buffer) => {
        blocks.push(block);
        if (onData?.(block.toString()) === false) outgoing.destroy();
      });
      response.on("end", () => finish(statusCode, response.headers, null));
      response.on("error", (error: NodeJS.ErrnoException) =>
        finish(statusCode, response.headers, error.code ?? error.message),
      );
    });
    outgoing.end(method === "GET" ? undefined : typeof body === "string" ? body : JSON.stringify(body));
  });
}

export interface RawQuestion {
  readonly text?: string;
  readonly stream?: boolean;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly more?: Readonly<Record<string, unknown>>;
}

/** Sends a request as the format's own clients would. */
export function askMock(
  url: string,
  dialect: MockDialect,
  wanted: RawQuestion = {},
  sent: RawRequestOptions = {},
): Promise<RawResponse> {
  const { path, body } = REQUEST_WRITERS[dialect]({ text: "Hello?", model: "m", stream: false, ...wanted });
  return sendRaw(`${url}${path}`, { ...sent, body: { ...body, ...wanted.more } });
}

/** The API formats whose streams are text. Bedrock's are binary, and tested apart. */
export const TEXT_DIALECTS = ["chat", "responses", "anthropic", "gemini"] as const;

export type TextDialect = (typeof TEXT_DIALECTS)[number];

type RequestWriter = (ask: RawQuestion) => { path: string; body: Record<string, unknown> };

const REQUEST_WRITERS: Readonly<Record<MockDialect, RequestWriter>> = {
  chat: ({ text, model, stream, maxTokens }) => ({
    path: "/v1/chat/completions",
    body: {
      model,
      stream,
      messages: [{ role: "user", content: text }],
      ...(stream === true && { stream_options: { include_usage: true } }),
      ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
    },
  }),
  responses: ({ text, model, stream, maxTokens }) => ({
    path: "/v1/responses",
    body: { model, stream, input: text, ...(maxTokens !== undefined && { max_output_tokens: maxTokens }) },
  }),
  anthropic: ({ text, model, stream, maxTokens = 4096 }) => ({
    path: "/v1/messages",
    body: { model, stream, max_tokens: maxTokens, messages: [{ role: "user", content: text }] },
  }),
  gemini: ({ text, model, stream, maxTokens }) => ({
    path: `/v1beta/models/${model}:${stream === true ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    body: {
      contents: [{ role: "user", parts: [{ text }] }],
      ...(maxTokens !== undefined && { generationConfig: { maxOutputTokens: maxTokens } }),
    },
  }),
  bedrock: ({ text, model = "", stream, maxTokens }) => ({
    path: `/model/${encodeURIComponent(model)}/${stream === true ? "converse-stream" : "converse"}`,
    body: {
      messages: [{ role: "user", content: [{ text }] }],
      ...(maxTokens !== undefined && { inferenceConfig: { maxTokens } }),
    },
  }),
};

/** Parsed data of each server-sent event; text that is not JSON stays text. */
export function parseEvents(text: string): unknown[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data: "))
    .map((line) => line.slice("data: ".length))
    .map((data) => (data === "[DONE]" ? data : (JSON.parse(data) as unknown)));
}

/** The value at a path of keys and indexes; undefined if there is none. */
export function getPath(value: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inside, key) =>
      typeof inside === "object" && inside !== null ? (inside as Record<string, unknown>)[key] : undefined,
    value,
  );
}

/** Empty if there is no text. */
export function getTextAtPath(value: unknown, ...path: readonly (string | number)[]): string {
  const found = getPath(value, ...path);
  return typeof found === "string" ? found : "";
}
