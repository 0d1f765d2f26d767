import type { DatasetJudging, Example } from "../../core/index.js";
import type { RawRow } from "../source-row.js";

/** Describes a dataset on the hub: where its rows are, and how a row becomes an example. */
export interface CatalogEntry {
  /** One-line description. */
  readonly about: string;
  /** Name on the hub: `owner/name`. */
  readonly repo: string;
  /** As stated on its card; "not stated" if it is not. */
  readonly license: string;
  /** True if the hub requires a token and accepted terms. */
  readonly isGated?: boolean;
  /** Number of examples in the default config, as published. */
  readonly size: number;
  /** Configs that may follow the colon, and the default. */
  readonly configs?: Configs;
  /** True if the entry itself parses what follows the colon as settings. */
  readonly hasSettings?: boolean;
  /** The files to read for a config, in order. */
  sources(config: string): readonly HubSource[];
  /** Further tables that rows refer to, such as a corpus; each is read completely. */
  readonly lookups?: Readonly<Record<string, (config: string) => HubSource>>;
  /** Required columns to read, or paths to parts of them, e.g. "answers.text". */
  readonly columns: readonly string[];
  /** Columns that are read if they exist. */
  readonly optionalColumns?: readonly string[];
  /** Column names for files without a header. */
  readonly header?: readonly string[];
  /** Converts a row to one or several examples. Throws `RowProblem` for a row it cannot use. */
  examples(row: RawRow, context: RowContext): ExampleFields | readonly ExampleFields[];
  /** True if a row may give several examples, or none: all rows are then read before a sample is taken. */
  readonly isExpanding?: boolean;
  /** Names of its evaluators, by config if they differ. */
  readonly evaluators: readonly string[] | ((config: string) => readonly string[]);
  /** The field that decides pass or fail; null for the evaluator's own. */
  readonly primaryField: string | null | ((config: string) => string | null);
  /** The column by which samples are stratified (for expanding entries and several sources, the field). */
  readonly subject?: string;
  /** Fields of the examples that break down results. */
  readonly facets?: readonly string[];
  /** What a human expert charges for one example, in dollars, as published; by config if only some have one. */
  readonly expertCostUsd?: number | ((config: string) => number | undefined);
  /** How a judge scores it. */
  readonly judge?: DatasetJudging;
  /** Shown with every run, such as what a score does not mean; by config if they differ. */
  readonly caution?: string | ((config: string) => string | undefined);
}

/** The configs of a dataset, such as its subjects, and the default. */
export interface Configs {
  readonly names: readonly string[];
  readonly default: string;
}

/** Files of a repository: the Parquet files of a split, or files by path. */
export interface HubSource {
  /** The hub's config and split, for Parquet files. */
  readonly config?: string;
  readonly split?: string;
  /** Paths in the repository, with * for any part of a name; tried before the split. */
  readonly files?: readonly string[];
  /** The file to read inside each zip archive that `files` matches. */
  readonly member?: string;
  /** Text files whose lines correspond, instead of `files`. */
  readonly lines?: LineColumns;
  /** Subject of its rows, if each source has its own. */
  readonly subject?: string;
  /** Used if the repository has no files of this source. */
  readonly fallback?: HubSource;
}

/** Text files in which line n of each makes row n. */
export interface LineColumns {
  /** Path of the text file for each column. */
  readonly columns: Readonly<Record<string, string>>;
  /** Placeholder for a line break within a line. */
  readonly lineBreak?: string;
}

/** Context of a row. */
export interface RowContext {
  readonly config: string;
  /** Subject of the row's source. */
  readonly subject?: string;
  /** Id computed from the content, for rows without their own. */
  readonly contentId: string;
  /** The rows of the entry's lookups. */
  readonly lookups: Readonly<Record<string, readonly RawRow[]>>;
}

/** An example without its dataset; a missing id is computed from the row. */
export type ExampleFields = Omit<Example, "id" | "dataset"> & { id?: string | number };
