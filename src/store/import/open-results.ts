import { DatasetError } from "../../core/errors.js";
import { BadRecord } from "./fields.js";
import { contentOf, type FileContent, openDocument } from "./file-content.js";
import type { ImportFormat } from "./format.js";
import { formatNamed, recognise, unknownFormat } from "./formats.js";
import { type ResultFile, resultFiles } from "./result-files.js";

/** Result files of one format. */
export interface OpenedResults {
  readonly format: ImportFormat;
  readonly files: readonly string[];
  /** Notes about the files. */
  readonly notes: readonly string[];
  /** Files of a folder that could not be read: each is a lost trial. */
  readonly damaged: readonly Problem[];
}

/** A problem and its place. */
export interface Problem {
  readonly place: string;
  readonly message: string;
}

/** Finds the result files, and detects their common format. */
export function openResults(paths: readonly string[], name?: string): OpenedResults {
  const found = resultFiles(paths);
  const search = new Search(name === undefined ? null : formatNamed(name));
  for (const file of found.files) search.look(file);
  if (search.format === null) throw unknownFormat(paths.join(", "));
  const { format, files, damaged } = search;
  if (files.length === 0)
    throw new DatasetError(`${paths.join(", ")}: there are no ${format.name} results. ${firstOf(damaged)}`);
  return { format, files, damaged, notes: [...found.notes, ...search.notes()] };
}

function firstOf([first]: readonly Problem[]): string {
  return first === undefined ? "" : `${first.place}: ${first.message}.`;
}

const NAMED_FIRST = 5;

/** Examines one file after another; the first recognized one decides the format of all. */
class Search {
  format: ImportFormat | null;
  readonly files: string[] = [];
  readonly damaged: Problem[] = [];
  readonly #others: string[] = [];
  /** The format was given by the user, not detected. */
  readonly #isTold: boolean;

  constructor(format: ImportFormat | null) {
    this.format = format;
    this.#isTold = format !== null;
  }

  look(file: ResultFile): void {
    const content = this.#contentOf(file);
    if (content === null) return;
    const format = this.#isTaken(content) ? this.format : recognise(file.path, content);
    this.format ??= format;
    if (format !== null && format === this.format) this.files.push(file.path);
    else if (file.isNamed) throw this.#wrongFormat(file.path, format);
    else this.#others.push(file.path);
  }

  /** With a given format, lines are not checked here: each is checked when it is read. */
  #isTaken(content: FileContent): boolean {
    if (this.format === null) return false;
    return content.kind === "lines" ? this.#isTold : openDocument(content.document, this.format) !== null;
  }

  notes(): string[] {
    const { length } = this.#others;
    if (length === 0) return [];
    const named = this.#others.slice(0, NAMED_FIRST).join(", ");
    return [
      `files without ${this.format?.name} results, which were skipped: ${length} (${named}${length > NAMED_FIRST ? ", …" : ""})`,
    ];
  }

  #contentOf({ path, isNamed }: ResultFile): FileContent | null {
    try {
      return contentOf(path);
    } catch (error) {
      if (!(error instanceof BadRecord)) throw error;
      if (isNamed) throw new DatasetError(`${path} cannot be imported: ${error.message}.`, { cause: error });
      this.damaged.push({ place: path, message: error.message });
      return null;
    }
  }

  #wrongFormat(path: string, found: ImportFormat | null): DatasetError {
    if (found === null) return unknownFormat(path);
    const wanted = this.format?.name;
    return new DatasetError(
      `${path} has the format ${found.name}, not ${wanted}. Import files of one format at a time.`,
    );
  }
}
