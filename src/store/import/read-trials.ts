import { messageOf } from "../../core/errors.js";
import { BadRecord, isObject } from "./fields.js";
import { contentOf, type FoundRecord, openDocument, recordsOfDocument, recordsOfLines } from "./file-content.js";
import type { ImportedTrial, ImportFormat, ReadRecord } from "./format.js";
import type { OpenedResults, Problem } from "./open-results.js";

/** A trial and its place, or the problem with its record. Records that are not about a trial are skipped. */
export type FoundTrial = { readonly place: string; readonly trial: ImportedTrial } | Problem;

/**
 * Streams the trials of all files, always in the same order. Nothing is held, because results may be larger than memory;
 * callers that need them twice read them twice.
 */
export function* readTrials({ format, files }: OpenedResults): Generator<FoundTrial> {
  for (const path of files) {
    const { records, read } = recordsOf(path, format);
    for (const record of records) {
      const found = trialOf(record, (value) => read(value, path));
      if (found !== null) yield found;
    }
  }
}

function recordsOf(path: string, format: ImportFormat): { records: Iterable<FoundRecord>; read: ReadRecord } {
  const content = contentOf(path);
  if (content.kind === "lines") return { records: recordsOfLines(path), read: format.read };
  const opened = openDocument(content.document, format);
  return opened === null
    ? { records: [], read: format.read }
    : { records: recordsOfDocument(path, opened), read: opened.read };
}

type Read = (record: Readonly<Record<string, unknown>>) => ImportedTrial | null;

/** A bad record affects only itself, even if it triggers an error in our own code. */
function trialOf({ place, value }: FoundRecord, read: Read): FoundTrial | null {
  try {
    const record = value();
    if (!isObject(record)) throw new BadRecord("it is not an object");
    const trial = read(record);
    return trial === null ? null : { place, trial };
  } catch (error) {
    return { place, message: messageOf(error) };
  }
}
