import type { DialectName } from "../dialects/dialect.js";
import { asksForUsage, withUsage } from "./chat-usage.js";
import { RefusalError } from "./refusal.js";
import { modelInPath, withModelInPath } from "./route.js";

/** What a client asks of a model, as it goes on to the upstream. */
export interface Asked {
  readonly model: string;
  readonly path: string;
  readonly body: Buffer;
  /** True when usage was asked for on the client's behalf: the event with it is not for the client. */
  readonly hidesUsage: boolean;
  /** Roughly the length of the prompt, for answers that never tell. */
  readonly promptTokens: number;
}

export interface AskedOptions {
  readonly dialect: DialectName;
  readonly path: string;
  readonly body: Buffer;
  /** The models to use instead of those that are asked for. */
  readonly modelMap: Readonly<Record<string, string>>;
}

/** Stands for the model of requests that name none, which servers with a single model take. */
const NO_MODEL = "(none)";

type Json = Record<string, unknown>;

/** Reads a request, and changes in it what has to be changed: another model, usage asked for. All else stays as it came. */
export function readAsked({ dialect, path, body, modelMap }: AskedOptions): Asked {
  const json = parseObject(body);
  const given = dialect === "gemini" ? modelInPath(path) : json.model;
  const named = typeof given === "string" && given !== "" ? given : NO_MODEL;
  const model = Object.hasOwn(modelMap, named) ? (modelMap[named] ?? named) : named;
  const isMapped = model !== named;
  const hidesUsage = dialect === "chat" && json.stream === true && !asksForUsage(json);
  const sent = isMapped && dialect !== "gemini" ? Buffer.from(JSON.stringify({ ...json, model })) : body;
  return {
    model,
    path: isMapped && dialect === "gemini" ? withModelInPath(path, model) : path,
    body: hidesUsage ? withUsage(sent, isMapped ? { ...json, model } : json) : sent,
    hidesUsage,
    promptTokens: Math.ceil(textLength(json) / CHARS_PER_TOKEN),
  };
}

function parseObject(body: Buffer): Json {
  let json: unknown;
  try {
    json = JSON.parse(body.toString("utf8"));
  } catch (cause) {
    throw new RefusalError("request", "the request's body is not valid JSON.", { cause });
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json as Json;
  throw new RefusalError("request", "the request's body is not a JSON object.");
}

const CHARS_PER_TOKEN = 4;

/** A string this long without a space is an image or a file, which is not billed by its characters. */
const ENCODED_FROM = 1000;

/** The characters of all texts inside. A stack of its own, because clients nest deeper than calls may. */
function textLength(json: Json): number {
  let length = 0;
  const open: unknown[] = [json];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === "string") length += isEncoded(value) ? 0 : value.length;
    else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) open.push(inner);
  }
  return length;
}

function isEncoded(text: string): boolean {
  return text.length >= ENCODED_FROM && !/\s/.test(text.slice(0, ENCODED_FROM));
}
