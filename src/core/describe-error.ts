import { channel } from "node:diagnostics_channel";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { AssayError, getErrorMessage } from "./errors.js";

/** The folder of this package's code, built (`dist`) or source (`src`). */
const PACKAGE_DIR = /^.*[\\/](?:dist|src)[\\/]/.exec(fileURLToPath(import.meta.url))?.[0] ?? null;

/** A stack frame: a path or file URL, a line and a column, usually in parentheses. */
const STACK_FRAME = /(?:^|\(|\s)((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()\n]*?):(\d+):\d+\)?$/;

/** Publishes everything that user code throws, for subscribers that want the stack trace. */
export const userErrorChannel = channel("assay:thrown");

/**
 * Describes an error thrown by user code, with the file and line of that code.
 * @example
 * describeError(error); // "Cannot read properties of undefined (reading 'bar') (system.mjs:3)"
 */
export function describeError(thrown: unknown): string {
  if (userErrorChannel.hasSubscribers) userErrorChannel.publish(thrown);
  const message = getErrorMessage(thrown);
  const place = thrown instanceof AssayError ? null : findUserFrame(thrown);
  return place === null || message.includes(place) ? message : `${message} (${place})`;
}

/** Longest text that still fits a progress line. */
const MAX_SUMMARY_CHARS = 80;

/**
 * Summarizes an error for a progress line: the first sentence, on one line.
 * @example
 * summarizeError(new Error("api.openai.com answered 429. Slow down.")); // "api.openai.com answered 429"
 */
export function summarizeError(error: unknown): string {
  const text = getErrorMessage(error).replace(/\s+/g, " ").trim();
  const first = /^.+?(?=[.!?](?: |$))/.exec(text)?.[0] ?? text;
  return first.length <= MAX_SUMMARY_CHARS ? first : `${first.slice(0, MAX_SUMMARY_CHARS - 1).trimEnd()}…`;
}

/** Skips frames of Node, of packages and of Assay itself. */
function findUserFrame(thrown: unknown): string | null {
  const stack = typeof thrown === "object" && thrown !== null ? (thrown as { stack?: unknown }).stack : undefined;
  if (typeof stack !== "string") return null;
  for (const line of stack.split("\n").slice(1)) {
    const [, place = "", number = ""] = STACK_FRAME.exec(line.trimEnd()) ?? [];
    if (place === "") continue;
    const file = parseFramePath(place);
    if (file !== null && !/[\\/]node_modules[\\/]/.test(file) && !isPackageFile(file))
      return `${shortenFramePath(file)}:${number}`;
  }
  return null;
}

function isPackageFile(file: string): boolean {
  return PACKAGE_DIR !== null && file.startsWith(PACKAGE_DIR);
}

function parseFramePath(place: string): string | null {
  if (!place.startsWith("file://")) return place;
  try {
    // Reloaded modules have a query string after their file name.
    return fileURLToPath(place.replace(/[?#].*$/, ""));
  } catch {
    return null;
  }
}

function shortenFramePath(file: string): string {
  const way = relative(process.cwd(), file);
  return way === "" || way.startsWith("..") ? file : way;
}
