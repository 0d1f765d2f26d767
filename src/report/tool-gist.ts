import { jsonText, shown } from "./timeline-text.js";

/** What names the thing to be run, in the words of various tools; the first that is there counts. */
const COMMANDS = ["command", "cmd", "script"];
const PATHS = ["file_path", "filePath", "path", "notebook_path", "filename", "file", "dir_path", "directory"];
const TEXTS = ["content", "new_string", "newString", "new_str", "newText", "file_text"];
const OTHERS = ["pattern", "query", "url", "prompt", "description", "name"];
const PATCHES = ["patch", "input", "patchText"];
const PATCHED_FILE = /^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm;

/** What a tool was given. */
export type Arguments = Readonly<Record<string, unknown>>;

/**
 * What a tool was asked to do, in a few words: its command, its file and the first line for it, or what else it was given.
 * @example
 * gistOf({ file_path: "add.js", content: "export const add = 1;\n" }); // "add.js: export const add = 1;"
 */
export function gistOf(given: unknown): string {
  const known = objectOf(given);
  if (known === null) return shown(given);
  return commandIn(known) ?? pathsIn(known) ?? firstOf(known, OTHERS) ?? shown(known);
}

/** All that a tool was given; a single text as it is, because JSON would spell its line breaks. */
export function argumentsText(given: unknown): string {
  const known = objectOf(given);
  if (known === null) return shown(given);
  const [only, ...others] = Object.values(known);
  return others.length === 0 && typeof only === "string" ? only : jsonText(known, 2);
}

function commandIn(known: Arguments): string | null {
  for (const key of COMMANDS) {
    const value = known[key];
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(" ");
    // An editor's command says what is to be done with its file.
    const path = firstOf(known, PATHS);
    if (typeof value === "string" && value !== "") return path === null ? value : `${value} ${pathsIn(known) ?? path}`;
  }
  return null;
}

function pathsIn(known: Arguments): string | null {
  const path = firstOf(known, PATHS);
  if (path !== null) return withFirstLine(path, firstOf(known, TEXTS));
  const changed = Array.isArray(known.changes) ? known.changes.flatMap((change) => pathOf(change) ?? []) : [];
  const patched = Array.from(firstOf(known, PATCHES)?.matchAll(PATCHED_FILE) ?? [], ([, name = ""]) => name);
  const paths = [...changed, ...patched];
  return paths.length === 0 ? null : paths.join(", ");
}

function pathOf(change: unknown): string | null {
  const known = objectOf(change);
  return known === null ? null : firstOf(known, PATHS);
}

function withFirstLine(path: string, text: string | null): string {
  const line = text?.split("\n", 5).find((each) => each.trim() !== "");
  return line === undefined ? path : `${path}: ${line.trim()}`;
}

function firstOf(known: Arguments, keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = known[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return null;
}

/** The file that a tool was given; null when it was given none. */
export function fileIn(known: Arguments): string | null {
  return firstOf(known, PATHS);
}

/** What a tool was given, by name. Some agents hand arguments on as the text that the model wrote. */
export function objectOf(given: unknown): Arguments | null {
  if (typeof given === "string" && given.trimStart().startsWith("{")) return parsed(given);
  return typeof given === "object" && given !== null && !Array.isArray(given) ? (given as Arguments) : null;
}

function parsed(text: string): Arguments | null {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return null;
  }
}
