import { channel } from "node:diagnostics_channel";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { AssayError, messageOf } from "./errors.js";

/** The folder of this package's own code, as it is built or as it is written. */
const OWN_FOLDER = /^.*[\\/](?:dist|src)[\\/]/.exec(fileURLToPath(import.meta.url))?.[0] ?? null;

/** A frame of a stack trace: a path or a file URL, a line and a column, mostly in parentheses. */
const FRAME = /(?:^|\(|\s)((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/])[^()\n]*?):(\d+):\d+\)?$/;

/** Everything that code of the user's throws is published here, for those who want its stack trace. */
export const thrownErrors = channel("assay:thrown");

/**
 * What was thrown by code of the user's, in words, with the file and the line where that code was.
 * @example
 * describeError(error); // "Cannot read properties of undefined (reading 'bar') (system.mjs:3)"
 */
export function describeError(thrown: unknown): string {
  if (thrownErrors.hasSubscribers) thrownErrors.publish(thrown);
  const message = messageOf(thrown);
  const place = thrown instanceof AssayError ? null : findPlace(thrown);
  return place === null || message.includes(place) ? message : `${message} (${place})`;
}

/** The first frame that is neither Node's, nor a package's, nor our own. */
function findPlace(thrown: unknown): string | null {
  const stack = typeof thrown === "object" && thrown !== null ? (thrown as { stack?: unknown }).stack : undefined;
  if (typeof stack !== "string") return null;
  for (const line of stack.split("\n").slice(1)) {
    const [, place = "", number = ""] = FRAME.exec(line.trimEnd()) ?? [];
    if (place === "") continue;
    const file = pathOf(place);
    if (file !== null && !/[\\/]node_modules[\\/]/.test(file) && !isOwn(file)) return `${shownPath(file)}:${number}`;
  }
  return null;
}

function isOwn(file: string): boolean {
  return OWN_FOLDER !== null && file.startsWith(OWN_FOLDER);
}

function pathOf(place: string): string | null {
  if (!place.startsWith("file://")) return place;
  try {
    // Modules that are imported anew have a query behind their names.
    return fileURLToPath(place.replace(/[?#].*$/, ""));
  } catch {
    return null;
  }
}

function shownPath(file: string): string {
  const way = relative(process.cwd(), file);
  return way === "" || way.startsWith("..") ? file : way;
}
