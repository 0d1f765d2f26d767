import { getErrorMessage } from "../../core/errors.js";
import { BadRecordError, isJsonObject } from "./fields.js";
import {
  type LazyRecord,
  openDocument,
  readFileContent,
  streamDocumentRecords,
  streamLineRecords,
} from "./file-content.js";
import type { ImportedTrial, ImportFormat, ReadRecord } from "./format.js";
import type { ImportProblem, OpenedResults } from "./open-results.js";

/** A trial and its place, or the problem with its record. Records that are not about a trial are skipped. */
export type ReadTrial = { readonly place: string; readonly trial: ImportedTrial } | ImportProblem;

/**
 * Streams the trials of all files, always in the same order. Nothing is held, because results may be larger than memory;
 * callers that need them twice read them twice.
 */
export function* readTrials({ format, files }: OpenedResults): Generator<ReadTrial> {
  for (const path of files) {
    const { records, read } = openRecords(path, format);
    for (const record of records) {
      const found = toReadTrial(record, (value) => read(value, path));
      if (found !== null) yield found;
    }
  }
}

function openRecords(path: string, format: ImportFormat): { records: Iterable<LazyRecord>; read: ReadRecord } {
  const content = readFileContent(path);
  if (content.kind === "lines") return { records: streamLineRecords(path), read: format.read };
  const opened = openDocument(content.document, format);
  return opened === null
    ? { records: [], read: format.read }
    : { records: streamDocumentRecords(path, opened), read: opened.read };
}

type RecordReader = (record: Readonly<Record<string, unknown>>) => ImportedTrial | null;

/** A bad record affects only itself, even if it triggers an error in our own code. */
function toReadTrial({ place, value }: LazyRecord, read: RecordReader): ReadTrial | null {
  try {
    const record = value();
    if (!isJsonObject(record)) throw new BadRecordError("it is not an object");
    const trial = read(record);
    return trial === null ? null : { place, trial };
  } catch (error) {
    return { place, message: getErrorMessage(error) };
  }
}
