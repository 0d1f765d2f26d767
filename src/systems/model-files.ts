import {
  EXAMPLE_FILE_FIELDS,
  type Example,
  type ExampleFile,
  type ExampleFileField,
  getErrorMessage,
  hasExampleFiles,
  isLinkedFile,
  type StoredExampleFile,
  TrialError,
  UsageError,
} from "../core/index.js";
import { countImageTokens, type Message, type MessageFile, TEXT_TYPE } from "../models/index.js";
import type { ModelSettings } from "./model.js";
import { ASK, type ConversationScript } from "./model-conversation.js";

/** What a model is sent of the files of an example. */
interface LoadedFiles {
  /** Text documents, which every API format takes as text. */
  readonly texts: readonly string[];
  readonly files: readonly MessageFile[];
}

interface NamedFile {
  readonly field: ExampleFileField;
  readonly index: number;
  readonly file: ExampleFile;
}

function listFiles(example: Example): NamedFile[] {
  if (!hasExampleFiles(example)) return [];
  return EXAMPLE_FILE_FIELDS.flatMap((field) => (example[field] ?? []).map((file, index) => ({ field, index, file })));
}

/** Throws a `UsageError` for files that the model or its API format is known not to take, before anything is spent. */
export function checkExampleFiles(example: Example, { model, dialect, capabilities }: ModelSettings): void {
  for (const { field, index, file } of listFiles(example)) {
    const place = `The example ${JSON.stringify(example.id)} has a file in ${field}[${index}]`;
    if (typeof file !== "object" || file === null || !("url" in file || "sha256" in file))
      throw new UsageError(
        `${place} that was not looked up. Load the dataset from a file, or call attachFiles(examples, folder) first.`,
      );
    const isText = !isLinkedFile(file) && file.mediaType === TEXT_TYPE;
    if (isText) continue;
    if (dialect.takesUrl === undefined)
      throw new UsageError(
        `${place}, but the API format ${dialect.name} sends no images and files. Use another API format, or remove the column.`,
      );
    if (capabilities !== null && capabilities[field] === false)
      throw new UsageError(
        `${place}, but the model ${model} reads no ${field === "images" ? "images" : "PDF files"}. Use another model, or choose other rows with --filter.`,
      );
    if (isLinkedFile(file) && !dialect.takesUrl(getKind(field), file.url))
      throw new UsageError(
        `${place} that is a URL, ${JSON.stringify(file.url)}, but the API format ${dialect.name} cannot send it. Download the file beside the dataset and name its path.`,
      );
  }
}

function getKind(field: ExampleFileField): MessageFile["kind"] {
  return field === "images" ? "image" : "document";
}

/** Reads the files of an example, for one trial. */
export async function loadModelFiles(example: Example): Promise<LoadedFiles> {
  const texts: string[] = [];
  const files: MessageFile[] = [];
  for (const { field, file } of listFiles(example)) {
    const kind = getKind(field);
    if (isLinkedFile(file)) {
      files.push({ kind, name: file.url, source: { url: file.url } });
      continue;
    }
    const bytes = await readContent(file);
    if (file.mediaType === TEXT_TYPE) texts.push(`${file.path}:\n\n${bytes.toString("utf8")}`);
    else files.push({ kind, name: file.path, source: { mediaType: file.mediaType, data: bytes.toString("base64") } });
  }
  return { texts, files };
}

async function readContent({ path, read }: StoredExampleFile): Promise<Buffer> {
  if (read === undefined)
    throw new TrialError(
      "system_error",
      `The content of "${path}" is not here: the example is a copy. Load its dataset.`,
    );
  try {
    return Buffer.from(await read());
  } catch (cause) {
    throw new TrialError("system_error", getErrorMessage(cause), { cause });
  }
}

/**
 * Puts the files before the question: into the first message of the user in a conversation of the dataset, into the last
 * one of a prompt, where its examples come first.
 */
export function addModelFiles(
  script: ConversationScript,
  { texts, files }: LoadedFiles,
  where: "first" | "last",
): ConversationScript {
  if (texts.length + files.length === 0) return script;
  const isUser = (step: ConversationScript[number]): step is Message => step !== ASK && step.role === "user";
  const at = where === "first" ? script.findIndex(isUser) : script.findLastIndex(isUser);
  const message = script[at];
  if (message === undefined || message === ASK)
    throw new TrialError("system_error", "No message of the user can carry the images and files of the example.");
  return script.with(at, {
    ...message,
    parts: [...texts, ...message.parts],
    ...(files.length === 0 ? {} : { files: [...files, ...(message.files ?? [])] }),
  });
}

/** Tokens of the images and files of an example. */
export interface FileTokens {
  /** The most that the images and text files can count. */
  readonly tokens: number;
  /** False if there are others, such as PDF files, whose tokens only the provider can count. */
  readonly isComplete: boolean;
}

export function countFileTokens(example: Example, { model, dialect }: ModelSettings): FileTokens {
  let tokens = 0;
  let isComplete = true;
  for (const { field, file } of listFiles(example)) {
    if (field === "images") {
      const { width, height } = isLinkedFile(file) ? {} : file;
      const size = width === undefined || height === undefined ? null : { width, height };
      tokens += countImageTokens(size, { model, dialect: dialect.name });
    } else if (!isLinkedFile(file) && file.mediaType === TEXT_TYPE) {
      // No token is shorter than a byte.
      tokens += file.size + file.path.length;
    } else isComplete = false;
  }
  return { tokens, isComplete };
}

/** The files that were sent, for the row: without their content. */
export function describeSentFiles(example: Example): readonly Readonly<Record<string, string>>[] {
  return listFiles(example).map(({ file }) =>
    isLinkedFile(file) ? { url: file.url } : { path: file.path, sha256: file.sha256 },
  );
}
