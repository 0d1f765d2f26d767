import { DatasetError, UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";
import { ailang } from "./ailang.js";
import { contextBench } from "./context-bench.js";
import { BadRecord } from "./fields.js";
import { type FileContent, isRecordOf, openDocument, recordsOfLines } from "./file-content.js";
import { FORMAT_NAMES, type ImportFormat } from "./format.js";
import { promptfoo } from "./promptfoo.js";
import { vally } from "./vally.js";

/** In the order they are tried. */
const FORMATS: readonly ImportFormat[] = [ailang, promptfoo, contextBench, vally];

/** Lines to try before giving up on a file: the first may be damaged, or about the run as a whole. */
const LINES_TRIED = 50;

/** Returns the format with this name, or throws. */
export function formatNamed(name: string): ImportFormat {
  const format = FORMATS.find((one) => one.name === name);
  if (format !== undefined) return format;
  throw new UsageError(`Unknown format "${name}".${didYouMean(name, FORMAT_NAMES)}`);
}

/** Detects the format of a file; null if it is unknown. */
export function recognise(path: string, content: FileContent): ImportFormat | null {
  if (content.kind === "document")
    return FORMATS.find((format) => openDocument(content.document, format) !== null) ?? null;
  let left = LINES_TRIED;
  for (const { value } of recordsOfLines(path)) {
    const record = orUndefined(value);
    const format = FORMATS.find((one) => isRecordOf(one)(record));
    if (format !== undefined) return format;
    left -= 1;
    if (left === 0) return null;
  }
  return null;
}

function orUndefined(value: () => unknown): unknown {
  try {
    return value();
  } catch (error) {
    if (error instanceof BadRecord) return undefined;
    throw error;
  }
}

export function unknownFormat(path: string): DatasetError {
  const wanted = FORMATS.map(({ name, toldBy }) => `  ${name}: ${toldBy}`).join("\n");
  return new DatasetError(
    `${path} has an unknown format. Supported formats:\n${wanted}\nIf it has one of them, pass it with --format (format).`,
  );
}
