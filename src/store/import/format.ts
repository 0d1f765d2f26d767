import type { Example } from "../../core/example.js";
import type { Grade } from "../../core/grader.js";
import type { EvalRow, KnownFields, TrialKey } from "../../core/row.js";
import type { Output } from "../../core/system.js";
import type { JsonObject } from "./fields.js";

/** The tools whose results `importRun` reads. */
export const FORMAT_NAMES = ["ailang", "vally", "context-bench", "promptfoo"] as const;

/** Whose results can be imported. */
export type FormatName = (typeof FORMAT_NAMES)[number];

/** What was measured, as far as the file tells. */
export interface ImportedSystem {
  readonly name: string;
  readonly model?: string;
  readonly harness?: string;
  /** Of an experiment, where records without a model are to be told by it; empty outside of one. */
  readonly variant?: string;
}

type Tokens = Pick<EvalRow, "inputTokens" | "outputTokens">;

/** The fields of a row that a record tells; tokens that it does not tell are null, and counted from the texts. */
export type RowFields = Omit<KnownFields, keyof TrialKey | keyof Tokens> & {
  [Field in keyof Tokens]: Tokens[Field] | null;
};

/** What one record of a results file says about one trial. */
export interface ImportedTrial {
  readonly system: ImportedSystem;
  readonly example: Example & { readonly dataset: string };
  /** Which of the trials of its example it was, where the file says: their order, whatever the numbers begin with. */
  readonly trial: number | null;
  /** Two records with the same text are the same trial twice; null when nothing tells. */
  readonly identity: string | null;
  /** In milliseconds since 1970: of the same trial twice, the newest counts. Null when the file does not say. */
  readonly madeAt: number | null;
  readonly row: RowFields;
  readonly output: Output | null;
  /** By score field: what was found. */
  readonly evidence: Readonly<Record<string, string>> | null;
  readonly grades: readonly Grade[] | null;
}

/** Makes a trial of a record of a file; null for one that is about no trial, such as a summary. */
export type ReadRecord = (record: JsonObject, file: string) => ImportedTrial | null;

/** A whole document of a format: where its records are, and how they are read. */
export interface OpenedDocument {
  readonly records: readonly unknown[];
  /** What the list is called in the document, for messages. */
  readonly list: string;
  readonly read: ReadRecord;
}

/** How the results of one tool are read. */
export interface ImportFormat {
  readonly name: FormatName;
  /** What a file of it is told by, in words. */
  readonly toldBy: string;
  /** A document that holds more than its records; null when it is none of this format. */
  open?(document: JsonObject): OpenedDocument | null;
  /** Whether an object is a record of this format: a line, an element of a list, or a file of its own. */
  isRecord(record: JsonObject): boolean;
  /** Reads records that stand by themselves. */
  readonly read: ReadRecord;
}
