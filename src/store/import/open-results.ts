import { DatasetError } from "../../core/errors.js";
import { BadRecordError } from "./fields.js";
import { openDocument, type ResultFileContent, readFileContent } from "./file-content.js";
import type { ImportFormat } from "./format.js";
import { createUnknownFormatError, detectFormat, findFormat } from "./formats.js";
import { findResultFiles, type ResultFile } from "./result-files.js";

/** Result files of one format. */
export interface OpenedResults {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  /** Notes about the files. */
  readonly notes: readonly string[];
  /** Files of a folder that could not be read: each is a lost trial. */
  readonly damaged: readonly ImportProblem[];
}

/** A problem and its place. */
export interface ImportProblem {
  readonly place: string;
  readonly message: string;
}

/** Finds the result files, and detects their common format. */
export function openResultFiles(paths: readonly string[], name?: string): OpenedResults {
  const found = findResultFiles(paths);
  const search = new FormatSearch(name === undefined ? null : findFormat(name));
  for (const file of found.files) search.addFile(file);
  if (search.format === null) throw createUnknownFormatError(paths.join(", "));
  const { format, files, damaged } = search;
  if (files.length === 0)
    throw new DatasetError(`${paths.join(", ")}: there are no ${format.name} results. ${formatFirstProblem(damaged)}`);
  return { format, files, damaged, notes: [...found.notes, ...search.listNotes()] };
}

function formatFirstProblem([first]: readonly ImportProblem[]): string {
  return first === undefined ? "" : `${first.place}: ${first.message}.`;
}

const MAX_LISTED_FILES = 5;

/** Examines one file after another; the first recognized one decides the format of all. */
class FormatSearch {
  format: ImportFormat | null;
  readonly files: string[] = [];
  readonly damaged: ImportProblem[] = [];
  readonly #others: string[] = [];
  /** The format was given by the user, not detected. */
  readonly #isTold: boolean;

  constructor(format: ImportFormat | null) {
    this.format = format;
    this.#isTold = format !== null;
  }

  addFile(file: ResultFile): void {
    const content = this.#readContent(file);
    if (content === null) return;
    const format = this.#matchesFormat(content) ? this.format : detectFormat(file.path, content);
    this.format ??= format;
    if (format !== null && format === this.format) this.files.push(file.path);
    else if (file.isNamed) throw this.#createFormatError(file.path, format);
    else this.#others.push(file.path);
  }

  /** With a given format, lines are not checked here: each is checked when it is read. */
  #matchesFormat(content: ResultFileContent): boolean {
    if (this.format === null) return false;
    return content.kind === "lines" ? this.#isTold : openDocument(content.document, this.format) !== null;
  }

  listNotes(): string[] {
    const { length } = this.#others;
    if (length === 0) return [];
    const named = this.#others.slice(0, MAX_LISTED_FILES).join(", ");
    return [
      `files without ${this.format?.name} results, which were skipped: ${length} (${named}${length > MAX_LISTED_FILES ? ", …" : ""})`,
    ];
  }

  #readContent({ path, isNamed }: ResultFile): ResultFileContent | null {
    try {
      return readFileContent(path);
    } catch (error) {
      if (!(error instanceof BadRecordError)) throw error;
      if (isNamed) throw new DatasetError(`${path} cannot be imported: ${error.message}.`, { cause: error });
      this.damaged.push({ place: path, message: error.message });
      return null;
    }
  }

  #createFormatError(path: string, found: ImportFormat | null): DatasetError {
    if (found === null) return createUnknownFormatError(path);
    const wanted = this.format?.name;
    return new DatasetError(
      `${path} has the format ${found.name}, not ${wanted}. Import files of one format at a time.`,
    );
  }
}
