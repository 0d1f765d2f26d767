import { detectMedia } from "../../models/index.js";

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
  /** Tokens of images and documents. */
  readonly fileTokens: number;
  /** The requested JSON schema of the answer. */
  readonly schema: MockJson | null;
  /** Chat Completions: end the stream with usage. */
  readonly wantsUsage: boolean;
  /** The requested service tier; null for the standard one. */
  readonly serviceTier: string | null;
  /** Gemini: server-sent events instead of a growing JSON array. */
  readonly sse: boolean;
}

/** A request that the provider would reject, with status 400 unless another one is given. */
export class BadRequestError extends Error {
  readonly status: number;

  constructor(message: string, options: { status?: number; cause?: unknown } = {}) {
    super(message, options);
    this.status = options.status ?? 400;
  }
}

/** Collects the texts of a conversation while a request is read. */
export class ConversationReader {
  readonly texts: string[] = [];
  readonly userTexts: string[] = [];
  toolResults = 0;
  fileTokens = 0;

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

  /** Counts the images and documents among the parts of a message. */
  addFiles(content: unknown): void {
    for (const part of toList(content)) this.fileTokens += countPartTokens(toObject(part));
  }

  get userText(): string {
    return this.userTexts.at(-1) ?? "";
  }
}

/** Of an image by its URL and of a document, which the mock does not read. */
const UNREAD_FILE_TOKENS = 500;

/** The side in pixels of what counts as one token of an image. */
const PIXELS_PER_TOKEN = 64;

/** Tokens of an image or a document of any API format; 0 for any other part. */
function countPartTokens(part: MockJson): number {
  const source = toObject(part.source);
  const inline = toObject(part.inlineData ?? part.inline_data);
  const image = part.image_url;
  const bedrock = Object.entries({ image: part.image, application: part.document }).find(
    ([, file]) => file !== undefined,
  );
  if (bedrock !== undefined) return countBedrockTokens(bedrock[0], toObject(bedrock[1]));
  if (part.type === "image_url" || part.type === "input_image")
    return countUrlTokens(toTextOrEmpty(typeof image === "string" ? image : toObject(image).url));
  if (part.type === "image" || part.type === "document")
    return source.type === "base64"
      ? countContentTokens(toTextOrEmpty(source.media_type), toTextOrEmpty(source.data))
      : UNREAD_FILE_TOKENS;
  if (inline.data !== undefined)
    return countContentTokens(toTextOrEmpty(inline.mimeType ?? inline.mime_type), toTextOrEmpty(inline.data));
  const isFile = part.type === "file" || part.type === "input_file" || part.fileData !== undefined;
  return isFile ? UNREAD_FILE_TOKENS : 0;
}

/** Bedrock names only the last part of a type, such as `png`. */
function countBedrockTokens(kind: string, { format, source }: MockJson): number {
  return countContentTokens(`${kind}/${toTextOrEmpty(format)}`, toTextOrEmpty(toObject(source).bytes));
}

function countUrlTokens(url: string): number {
  const [, mediaType, data] = /^data:([^;,]*);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || data === undefined ? UNREAD_FILE_TOKENS : countContentTokens(mediaType, data);
}

/** Like a provider, the mock rejects content of another type than the request says. */
function countContentTokens(mediaType: string, data: string): number {
  const media = detectMedia(Buffer.from(data, "base64"));
  if ("problem" in media) throw new BadRequestError(`The file ${media.problem}.`);
  if (media.mediaType !== mediaType)
    throw new BadRequestError(`The file is ${media.mediaType}, but the request says ${mediaType || "nothing"}.`);
  if (!("width" in media)) return UNREAD_FILE_TOKENS;
  return Math.ceil(media.width / PIXELS_PER_TOKEN) * Math.ceil(media.height / PIXELS_PER_TOKEN);
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

/** A text field that may be absent. */
export function toTextOrNull(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

export function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
