import type { EvalRow, Example, Grade, Output, RowInit, TrialKey } from "../../core/index.js";
import type { JsonObject } from "./fields.js";

/** The tools whose results `importRun` reads. */
export const FORMAT_NAMES = ["ailang", "vally", "context-bench", "promptfoo", "atif"] as const;

/** A tool whose results can be imported. */
export type FormatName = (typeof FORMAT_NAMES)[number];

/** The tools, as they write their names. */
export const FORMAT_TITLES: Readonly<Record<FormatName, string>> = {
  ailang: "AILANG",
  vally: "Vally",
  "context-bench": "context-bench",
  promptfoo: "promptfoo",
  atif: "ATIF",
};

/** A measured system, as described by the file. */
export interface ImportedSystem {
  readonly name: string;
  readonly model?: string;
  readonly harness?: string;
  /** The variant of an experiment, which can identify records without a model; omitted outside of experiments. */
  readonly variant?: string;
}

type TokenFields = Pick<EvalRow, "inputTokens" | "outputTokens">;

/** The row fields of a record; missing token counts are null and counted from the texts. */
export type ImportedRowFields = Omit<RowInit, keyof TrialKey | keyof TokenFields> & {
  [Field in keyof TokenFields]: TokenFields[Field] | null;
};

/** One trial of a results file. */
export interface ImportedTrial {
  readonly system: ImportedSystem;
  readonly example: Example & { readonly dataset: string };
  /** The trial number in the file, if any: only the order counts, whatever the first number is. */
  readonly trial: number | null;
  /** Records with the same identity are the same trial; null if unknown. */
  readonly identity: string | null;
  /** In milliseconds since 1970: of duplicate trials, the newest counts. Null if unknown. */
  readonly madeAt: number | null;
  readonly row: ImportedRowFields;
  readonly output: Output | null;
  /** By score field. */
  readonly evidence: Readonly<Record<string, string>> | null;
  readonly grades: readonly Grade[] | null;
}

/** Converts a record of a file to a trial; null if it is not about a trial, such as a summary. */
export type ReadRecord = (record: JsonObject, file: string) => ImportedTrial | null;

/** A whole document of a format: where its records are, and how to read them. */
export interface OpenedDocument {
  readonly records: readonly unknown[];
  /** The name of the list in the document, for messages. */
  readonly list: string;
  readonly read: ReadRecord;
}

/** How to read the results of one tool. */
export interface ImportFormat {
  readonly name: FormatName;
  /** How to recognize a file of this format, for messages. */
  readonly toldBy: string;
  /** Opens a document that holds more than its records; null if it is not of this format. */
  open?(document: JsonObject): OpenedDocument | null;
  /** Whether an object is a record of this format: a line, a list element, or a whole file. */
  isRecord(record: JsonObject): boolean;
  /** Reads single records. */
  readonly read: ReadRecord;
}
