import { DatasetError, UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";
import { ailang } from "./ailang.js";
import { contextBench } from "./context-bench.js";
import { BadRecord } from "./fields.js";
import { type FileContent, isRecordOf, openDocument, recordsOfLines } from "./file-content.js";
import { FORMAT_NAMES, type ImportFormat } from "./format.js";
import { promptfoo } from "./promptfoo.js";
import { vally } from "./vally.js";

/** In the order they are looked for. */
const FORMATS: readonly ImportFormat[] = [ailang, promptfoo, contextBench, vally];

/** Lines that are looked at before a file is given up: the first may be damaged, or about the run as a whole. */
const LINES_TRIED = 50;

/** The format of a name, or an error that says which there are. */
export function formatNamed(name: string): ImportFormat {
  const format = FORMATS.find((one) => one.name === name);
  if (format !== undefined) return format;
  throw new UsageError(`There is no format "${name}".${didYouMean(name, FORMAT_NAMES)}`);
}

/** The format that a file is in; null when it is in none that is known. */
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

/** What to say of a file that no format knows. */
export function unknownFormat(path: string): DatasetError {
  const wanted = FORMATS.map(({ name, toldBy }) => `  ${name}: ${toldBy}`).join("\n");
  return new DatasetError(
    `${path} is in no format that can be imported. Looked for:\n${wanted}\nIf it is in one of them, say which with --format (format).`,
  );
}
