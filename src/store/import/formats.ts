import { DatasetError, didYouMean, UsageError } from "../../core/index.js";
import { ailang } from "./ailang.js";
import { atif } from "./atif.js";
import { contextBench } from "./context-bench.js";
import { BadRecordError } from "./fields.js";
import { createRecordCheck, openDocument, type ResultFileContent, streamLineRecords } from "./file-content.js";
import { FORMAT_NAMES, type ImportFormat } from "./format.js";
import { promptfoo } from "./promptfoo.js";
import { vally } from "./vally.js";

/** In the order they are tried. */
const FORMATS: readonly ImportFormat[] = [ailang, promptfoo, contextBench, vally, atif];

/** Lines to try before giving up on a file: the first may be damaged, or about the run as a whole. */
const MAX_LINES_TRIED = 50;

/** Returns the format with this name, or throws. */
export function findFormat(name: string): ImportFormat {
  const format = FORMATS.find((one) => one.name === name);
  if (format !== undefined) return format;
  throw new UsageError(`Unknown format "${name}".${didYouMean(name, FORMAT_NAMES)}`);
}

/** Detects the format of a file; null if it is unknown. */
export function detectFormat(path: string, content: ResultFileContent): ImportFormat | null {
  if (content.kind === "document")
    return FORMATS.find((format) => openDocument(content.document, format) !== null) ?? null;
  let left = MAX_LINES_TRIED;
  for (const { value } of streamLineRecords(path)) {
    const record = tryOrUndefined(value);
    const format = FORMATS.find((one) => createRecordCheck(one)(record));
    if (format !== undefined) return format;
    left -= 1;
    if (left === 0) return null;
  }
  return null;
}

function tryOrUndefined(value: () => unknown): unknown {
  try {
    return value();
  } catch (error) {
    if (error instanceof BadRecordError) return undefined;
    throw error;
  }
}

export function createUnknownFormatError(path: string): DatasetError {
  const wanted = FORMATS.map(({ name, toldBy }) => `  ${name}: ${toldBy}`).join("\n");
  return new DatasetError(
    `${path} has an unknown format. Supported formats:\n${wanted}\nIf it has one of them, pass it with --format (format).`,
  );
}
