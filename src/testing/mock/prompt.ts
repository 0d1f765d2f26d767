export interface OfferedTool {
  readonly name: string;
  /** The JSON schema of its arguments. */
  readonly schema: MockJson;
  /** True for the built-in shell of OpenAI Responses, which has its own call format. */
  readonly isLocalShell: boolean;
  /** For a tool that runs a JavaScript which calls other tools: the name of the shell among them. */
  readonly shellInScript?: string;
}

/** A request, independent of the API format. */
export interface MockPrompt {
  readonly model: string;
  readonly stream: boolean;
  /** The last user message with text. */
  readonly userText: string;
  readonly userTexts: readonly string[];
  /** System prompt and all messages. */
  readonly texts: readonly string[];
  readonly maxTokens: number | null;
  readonly tools: readonly OfferedTool[];
  /** Number of tool results in the conversation. */
  readonly toolResults: number;
  /** The requested JSON schema of the answer. */
  readonly schema: MockJson | null;
  /** Chat Completions: end the stream with usage. */
  readonly wantsUsage: boolean;
  /** Gemini: server-sent events instead of a growing JSON array. */
  readonly sse: boolean;
}

/** A request that the provider would reject with status 400. */
export class BadRequestError extends Error {}

/** Collects the texts of a conversation while a request is read. */
export class ConversationReader {
  readonly texts: string[] = [];
  readonly userTexts: string[] = [];
  toolResults = 0;

  add(role: unknown, text: string): void {
    if (text === "") return;
    this.texts.push(text);
    if (role === "user") this.userTexts.push(text);
  }

  /** The model reads tool results like other text: as text, text parts, or JSON. */
  addToolResult(result: unknown): void {
    this.toolResults += 1;
    const text = joinContentText(result);
    const isEmpty = result === undefined || result === null || result === "";
    this.add("tool", text === "" && !isEmpty ? JSON.stringify(result) : text);
  }

  get userText(): string {
    return this.userTexts.at(-1) ?? "";
  }
}

export function joinContentText(content: unknown): string {
  if (typeof content === "string") return content;
  const texts = toList(content).map((part) => toTextOrEmpty(toObject(part).text));
  return texts.filter((text) => text !== "").join("\n");
}

export function requireListField(body: MockJson, field: string): readonly unknown[] {
  const list = toList(body[field]);
  if (list.length === 0) throw new BadRequestError(`${field}: a non-empty list is required.`);
  return list;
}

export function requireModelField(body: MockJson): string {
  const model = toTextOrEmpty(body.model);
  if (model === "") throw new BadRequestError("model: a name is required.");
  return model;
}

/** An unchecked JSON object. */
export type MockJson = Readonly<Record<string, unknown>>;

/** Returns an empty object for anything else, so that missing fields need no checks. */
export function toObject(value: unknown): MockJson {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as MockJson) : {};
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
