import { asList, asObject, asText, type Json } from "./json.js";

/** A tool that the client offers. */
export interface OfferedTool {
  readonly name: string;
  /** The JSON schema of its arguments. */
  readonly schema: Json;
  /** True for the shell that OpenAI Responses knows by itself, which is called in its own way. */
  readonly isLocalShell: boolean;
  /** Of a tool that runs a script in JavaScript which calls other tools: the shell among those. */
  readonly shellInScript?: string;
}

/** What a request asks, in no dialect. */
export interface Prompt {
  readonly model: string;
  readonly stream: boolean;
  /** The text of the last message of the user that has any. */
  readonly userText: string;
  /** The texts of all messages of the user. */
  readonly userTexts: readonly string[];
  /** All texts: system prompt and messages. */
  readonly texts: readonly string[];
  readonly maxTokens: number | null;
  readonly tools: readonly OfferedTool[];
  /** How many results of tools the conversation holds. */
  readonly toolResults: number;
  /** What the answer must look like when JSON was asked for. */
  readonly schema: Json | null;
  /** Chat Completions: the stream is to end with usage. */
  readonly wantsUsage: boolean;
  /** Gemini: server-sent events, else a JSON array that grows. */
  readonly sse: boolean;
}

/** A request that the provider would refuse with status 400. */
export class BadRequest extends Error {}

/** Gathers the texts of a conversation while a dialect walks through it. */
export class Conversation {
  readonly texts: string[] = [];
  readonly userTexts: string[] = [];
  toolResults = 0;

  add(role: unknown, text: string): void {
    if (text === "") return;
    this.texts.push(text);
    if (role === "user") this.userTexts.push(text);
  }

  /** What a tool gave back is read by the model as all other text is: as text, as parts of text, or as JSON. */
  addToolResult(result: unknown): void {
    this.toolResults += 1;
    const text = contentText(result);
    const isEmpty = result === undefined || result === null || result === "";
    this.add("tool", text === "" && !isEmpty ? JSON.stringify(result) : text);
  }

  get userText(): string {
    return this.userTexts.at(-1) ?? "";
  }
}

/** The text of a message's content: a text, or the texts among its parts. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = asList(content).map((part) => asText(asObject(part).text));
  return texts.filter((text) => text !== "").join("\n");
}

/** The field of a body that must be a list with something in it. */
export function requireList(body: Json, field: string): readonly unknown[] {
  const list = asList(body[field]);
  if (list.length === 0) throw new BadRequest(`${field}: a non-empty list is required.`);
  return list;
}

export function requireModel(body: Json): string {
  const model = asText(body.model);
  if (model === "") throw new BadRequest("model: a name is required.");
  return model;
}
