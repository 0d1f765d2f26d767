import { getErrorMessage, IdDeduplicator } from "../../core/index.js";
import { Prompt, type PromptMessage } from "../../systems/index.js";
import {
  type ConfigFiles,
  type ConversionNotes,
  ENVIRONMENT_VALUE,
  FileReferenceError,
  getExtension,
  isMap,
  listParts,
  type Part,
  parseFileReference,
  take,
  toFileName,
} from "./source.js";

/** A prompt of a promptfoo config, as a file of the new project. */
export interface ConvertedPrompt {
  readonly name: string;
  /** The label or id that providers refer to. */
  readonly label: string;
  readonly template: string | readonly PromptMessage[];
  /** The columns that it inserts. */
  readonly variables: readonly string[];
}

interface PromptText {
  readonly label: string;
  /** Beginning of the name. */
  readonly title: string;
  readonly text: string;
  readonly part: Part;
}

const TEXT_EXTENSIONS = new Set([".txt", ".md", ".j2", ".jinja", ".jinja2", ".njk", ".prompt", ""]);
const CHAT_EXTENSIONS = new Set([".json", ".yaml", ".yml"]);

/** Converts the prompts; lists those that have logic or are code. */
export async function convertPrompts(
  part: Part,
  { files, notes }: { files: ConfigFiles; notes: ConversionNotes },
): Promise<ConvertedPrompt[]> {
  const texts: PromptText[] = [];
  for (const one of listPromptParts(part)) texts.push(...(await readPromptTexts(one, { files, notes })));
  const names = new IdDeduplicator();
  const converted: ConvertedPrompt[] = [];
  for (const text of texts) {
    const name = names.makeUnique(toFileName(text.title, "prompt"), () => false);
    const made = await convertPrompt(text, name, notes);
    if (made !== null) converted.push(made);
  }
  return converted;
}

/** In old configs a map of files to labels. */
function listPromptParts(part: Part): Part[] {
  if (!isMap(part.value) || "raw" in part.value || "id" in part.value || "label" in part.value) return listParts(part);
  return Object.entries(part.value).map(([file, label]) => ({
    value: { id: file, label: String(label) },
    source: part.source,
    path: [...part.path, file],
  }));
}

interface PromptReading {
  files: ConfigFiles;
  notes: ConversionNotes;
}

async function readPromptTexts(part: Part, { files, notes }: PromptReading): Promise<PromptText[]> {
  const { value } = part;
  const given = isMap(value) ? (value.raw ?? findPromptId(value.id ?? value.path)) : value;
  const label = isMap(value) && typeof value.label === "string" ? value.label : undefined;
  if (typeof given !== "string") {
    notes.add(part, "this prompt is not taken over: it is neither a text nor a file. Write it to a file in prompts/");
    return [];
  }
  const path = parseFileReference(given) ?? (isMap(value) && value.raw !== undefined ? null : findBarePath(given));
  if (path === null) return [{ label: label ?? given, title: label ?? given, text: given, part }];
  return readPromptFiles(path, { part, label, files, notes });
}

/** An id is a file or a text; a single word only names a prompt. */
function findPromptId(id: unknown): unknown {
  return typeof id === "string" && !/[\s{/.]/.test(id) ? undefined : id;
}

/** A path without `file://`, which promptfoo accepts too. */
function findBarePath(text: string): string | null {
  return /^[\w./*-]+\.(?:txt|md|json|ya?ml|j2|js|cjs|mjs|ts|py)(?::\w+)?$/.test(text) ? text : null;
}

async function readPromptFiles(
  path: string,
  { part, label, files, notes }: PromptReading & { part: Part; label: string | undefined },
): Promise<PromptText[]> {
  const texts: PromptText[] = [];
  const found = await files.find(path);
  if (found.length === 0) notes.add(part, `no prompt file matches ${path}`);
  for (const file of found) {
    const extension = getExtension(file);
    if (!TEXT_EXTENSIONS.has(extension) && !CHAT_EXTENSIONS.has(extension)) {
      notes.add(
        part,
        `the prompt ${file} is not taken over: it is code. Write its text to a file with {{columns}}, or write a system (docs/guides/plugins.md)`,
      );
      continue;
    }
    try {
      const pieces = CHAT_EXTENSIONS.has(extension) ? [files.readText(file)] : splitPrompts(files.readText(file));
      const title = label ?? file.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
      texts.push(...pieces.map((text) => ({ label: label ?? file, title, text, part })));
    } catch (error) {
      if (!(error instanceof FileReferenceError)) throw error;
      notes.add(part, `the prompt is not taken over: ${error.message}`);
    }
  }
  return texts;
}

/** A text file may hold several prompts, with lines of three hyphens between them. */
function splitPrompts(text: string): string[] {
  return text
    .split(/^---[ \t]*\r?$/m)
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "");
}

async function convertPrompt({ label, text, part }: PromptText, name: string, notes: ConversionNotes) {
  if (ENVIRONMENT_VALUE.test(text) && /env/.test(text)) {
    notes.add(
      part,
      `the prompt "${name}" is not taken over: it inserts an environment variable. Write the text itself, or add a column`,
    );
    return null;
  }
  try {
    const template = (await parseChat(text)) ?? text;
    const { variables } = new Prompt({ name, template, where: (line) => `line ${line}` });
    const logic = variables.find((variable) => !/^[\w $-]+(?:\.[\w-]+)*$/.test(variable));
    if (logic !== undefined) throw new Error(`{{${logic}}} has a filter or an expression. Compute it as a column`);
    return { name, label, template, variables };
  } catch (error) {
    notes.add(part, `the prompt "${name}" is not taken over: ${getErrorMessage(error).replace(/\.$/, "")}`);
    return null;
  }
}

/** A text that is a JSON or YAML list of messages, or null. */
async function parseChat(text: string): Promise<readonly PromptMessage[] | null> {
  if (!/^\s*(?:\[|- *["']?role["']?:)/.test(text)) return null;
  const { parseYaml } = await import("../../utils/files/yaml.js");
  const { value, isBroken } = await parseYaml(text);
  const isChat = !isBroken && Array.isArray(value) && value.every((message) => isMap(message) && "role" in message);
  return isChat ? (value as PromptMessage[]) : null;
}

/** The prompts that a provider names, by label or file; null for all. */
export function selectPrompts(part: Part, prompts: readonly ConvertedPrompt[]): ConvertedPrompt[] | null {
  const wanted = listParts(take(part, "prompts")).map(({ value }) => String(value).replace(/^file:\/\//, ""));
  if (wanted.length === 0) return null;
  return prompts.filter(({ label, name }) =>
    wanted.some((one) => one === label || one === name || one.replace(/^\.\//, "") === label),
  );
}
