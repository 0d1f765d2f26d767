import { readFileSync, statSync } from "node:fs";
import { basename, extname } from "node:path";
import { getErrorMessage } from "../../core/index.js";
import { parseYaml } from "../../utils/index.js";
import { Prompt, type PromptMessage } from "./prompt.js";
import { PromptError } from "./prompt-error.js";

/** Extensions of chat prompts: a list of { role, content }. Every other file is the text of the user's message. */
const CHAT_EXTENSIONS = new Set([".json", ".yaml", ".yml"]);

/** Far longer than any model's context; a larger file is a mistake. */
const MAX_PROMPT_BYTES = 32_000_000;

/** Options of `readPrompt`. */
export interface ReadPromptOptions {
  /** Default: the name of the file without its extension. */
  readonly name?: string;
}

/**
 * Reads a prompt from a file: a `.json` or `.yaml` file is a list of `{ role, content }`, any other the user's message.
 * @example
 * const prompt = await readPrompt("prompts/short.md");
 */
export async function readPrompt(
  path: string,
  { name = getPromptName(path) }: ReadPromptOptions = {},
): Promise<Prompt> {
  const text = readPromptFile(path);
  const isChat = CHAT_EXTENSIONS.has(extname(path).toLowerCase());
  if (!isChat) return new Prompt({ name, template: text, where: (line) => `${path}:${line}` });
  const tree = await parseYaml(text);
  if (tree.isBroken) {
    const [problem] = tree.problems;
    throw new PromptError(`${path}:${problem?.line ?? 1}: ${problem?.text ?? "it cannot be read"}`);
  }
  return new Prompt({
    name,
    template: requireChat(tree.value, path),
    where: (_, message) => `${path}:${tree.locate([message]).line}`,
  });
}

/** The name of a prompt in the names of its systems: that of its file, without the extension. */
export function getPromptName(path: string): string {
  return basename(path, extname(path));
}

function requireChat(value: unknown, path: string): readonly PromptMessage[] {
  if (Array.isArray(value)) return value as readonly PromptMessage[];
  throw new PromptError(
    `${path}: a prompt in JSON or YAML must be a list of { role, content }. Name a file with plain text .md or .txt.`,
  );
}

/** Without a byte order mark, and without the line break at the end of the file. */
function readPromptFile(path: string): string {
  const text = tryReadText(path);
  if (text.includes("\0")) throw new PromptError(`${path} is not a text file.`);
  return text
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n")
    .replace(/\n+$/, "");
}

function tryReadText(path: string): string {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) throw new PromptError(`${path} is a folder. Name its files: ${path}/*.md.`);
    if (stats.size > MAX_PROMPT_BYTES) throw new PromptError(`${path} is too large for a prompt: ${stats.size} bytes.`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof PromptError) throw cause;
    if ((cause as NodeJS.ErrnoException).code === "ENOENT")
      throw new PromptError(`There is no prompt file ${path}. Check the path.`, { cause });
    throw new PromptError(`The prompt ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}
