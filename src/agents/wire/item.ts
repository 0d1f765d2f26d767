import { type JsonFields, readJsonList, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";

/** One part of a conversation with a model, in one form for all API formats. */
export type WireItem =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "assistant"; readonly text: string }
  | { readonly kind: "reasoning"; readonly text: string }
  | WireCall
  | WireResult;

export interface WireCall {
  readonly kind: "call";
  readonly name: string;
  /** Null if the format has none. */
  readonly id: string | null;
  readonly arguments: unknown;
}

export interface WireResult {
  readonly kind: "result";
  /** Of its call. */
  readonly id: string | null;
  /** Of the tool; null if the format does not repeat it. */
  readonly name: string | null;
  readonly success: boolean;
  readonly text: string;
}

/** A request: the conversation so far. */
export interface WireRequest {
  readonly system: string;
  /** Names of the offered tools. */
  readonly tools: readonly string[];
  readonly items: readonly WireItem[];
  /** The answer that the request continues, if the provider keeps the conversation; null otherwise. */
  readonly previousId: string | null;
}

/** Collects the items of one answer. Accepts anything. */
export interface AnswerCollector {
  /** Identifies the answer in later requests; null if it has none. */
  readonly id: string | null;
  readEvent(event: unknown): void;
  readWhole(body: unknown): void;
  /** What has arrived. Tool calls only when complete: an agent cannot run the others. */
  listItems(): WireItem[];
}

/** How one API format is read. */
export interface WireFormat {
  readRequest(json: JsonFields): WireRequest;
  createCollector(): AnswerCollector;
}

/** The text of a message's content: a string, or parts of which the others are only named. */
export function readContentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : toJsonText(content);
  return content
    .map(readPartText)
    .filter((text) => text !== "")
    .join("\n");
}

function readPartText(part: unknown): string {
  if (typeof part === "string") return part;
  const fields = readJsonObject(part);
  if (fields === null) return "";
  if (typeof fields.text === "string") return fields.text;
  const refusal = readJsonString(fields.refusal);
  return refusal !== "" ? refusal : `[${readJsonString(fields.type) || "file"}]`;
}

/** One item for each part with text, so that a part that is added later is new on its own. */
export function readUserItems(content: unknown): WireItem[] {
  const parts = Array.isArray(content) ? content : [content];
  return parts.flatMap((part) => toTextItems("user", typeof part === "string" ? part : readContentText([part])));
}

export function toTextItems(kind: "user" | "assistant" | "reasoning", text: string): WireItem[] {
  return text.trim() === "" ? [] : [{ kind, text }];
}

/** Arguments as the model wrote them; an object if they are JSON. */
export function parseArguments(text: unknown): unknown {
  if (typeof text !== "string") return text ?? {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** True if the text is complete JSON, or not meant as JSON. */
export function isCompleteArguments(text: string): boolean {
  return !/^\s*[[{]/.test(text) || typeof parseArguments(text) !== "string";
}

/** Names of tools in a list; hosted tools may have only a type. */
export function readToolNames(tools: unknown): string[] {
  return readJsonList(tools).flatMap((tool) => {
    const fields = readJsonObject(tool);
    if (fields === null) return [];
    // A namespace holds tools of its own.
    if (Array.isArray(fields.tools)) return readToolNames(fields.tools);
    const inner = readJsonObject(fields.function) ?? readJsonObject(fields.custom) ?? fields;
    const name = readJsonString(inner.name) || readJsonString(fields.type);
    return name === "" ? [] : [name];
  });
}

/** How programs write the exit code of a failed command at the start or end of its output. */
const FAILED_EXIT = /\bexit(?:ed)?\b(?: with)?(?: exit)?(?: (?:code|status))[:= ]+(?!0\b)\d+/i;
const FAILED_START = /^\s*(?:<[^>]*>\s*)?(?:error|failed|exception|traceback|fatal)\b/i;
const EDGE_CHARS = 300;

/** Formats without a flag for failed tools say so in the text. */
export function looksFailed(text: string): boolean {
  const fields = readJsonObject(parseArguments(text));
  if (fields !== null) return isFailedObject(fields);
  const edges = text.length <= 2 * EDGE_CHARS ? text : `${text.slice(0, EDGE_CHARS)}\n${text.slice(-EDGE_CHARS)}`;
  return FAILED_START.test(text) || FAILED_EXIT.test(edges);
}

function isFailedObject(fields: JsonFields): boolean {
  const code = fields.exit_code ?? fields.exitCode ?? readJsonObject(fields.metadata)?.exit_code;
  if (typeof code === "number") return code !== 0;
  if (fields.is_error === true || fields.isError === true || fields.success === false) return true;
  return typeof fields.error === "string" ? fields.error !== "" : readJsonObject(fields.error) !== null;
}

/** Joins neighboring texts of the model: streams and histories cut them differently. */
export function joinTexts(items: readonly WireItem[]): WireItem[] {
  const joined: WireItem[] = [];
  for (const item of items) {
    const last = joined.at(-1);
    const isText = item.kind === "assistant" || item.kind === "reasoning";
    if (isText && last?.kind === item.kind)
      joined[joined.length - 1] = { kind: item.kind, text: last.text + item.text };
    else joined.push(item);
  }
  return joined;
}
