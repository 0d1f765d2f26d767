import type { DatasetJudging } from "../../core/dataset.js";
import type { Example } from "../../core/example.js";
import type { RawRow } from "../source-row.js";

/** A dataset of the hub, described: where its rows are, and how a row becomes what is asked and what is right. */
export interface CatalogueEntry {
  /** What it is, in one line. */
  readonly about: string;
  /** The hub's name of it: `owner/name`. */
  readonly repo: string;
  /** As its card states it; "not stated" where it does not. */
  readonly licence: string;
  /** True when the hub asks for a token and a consent. */
  readonly isGated?: boolean;
  /** Examples in the default config, as published. */
  readonly size: number;
  /** What may follow the colon, and what is meant when nothing does. */
  readonly configs?: Configs;
  /** True when what follows the colon are settings that the entry reads itself. */
  readonly hasSettings?: boolean;
  /** The sets of files to read for a config, one after the other. */
  sources(config: string): readonly HubSource[];
  /** Further tables that rows refer to, such as a corpus; each is read as a whole. */
  readonly lookups?: Readonly<Record<string, (config: string) => HubSource>>;
  /** The columns that are read, or paths to the parts of them that are, e.g. "answers.text". Each must be there. */
  readonly columns: readonly string[];
  /** Columns that are read when they are there. */
  readonly optionalColumns?: readonly string[];
  /** For files without a header: what their columns are called. */
  readonly header?: readonly string[];
  /** What a row asks; several examples where a row holds several questions. Throws `RowProblem` for a row it cannot use. */
  examples(row: RawRow, context: RowContext): ExampleFields | readonly ExampleFields[];
  /** True when a row may give several examples, or none: all rows are then read before a sample is taken. */
  readonly isExpanding?: boolean;
  /** The names of its evaluators, by config where they differ. */
  readonly evaluators: readonly string[] | ((config: string) => readonly string[]);
  /** The field that decides; null when there is none of its own. */
  readonly primaryField: string | null | ((config: string) => string | null);
  /** The column (or, for expanding entries and several sources, the field) by which samples are stratified. */
  readonly subject?: string;
  /** Fields of the examples by which results are broken down. */
  readonly facets?: readonly string[];
  /** How a judge goes about it. */
  readonly judge?: DatasetJudging;
  /** Said with every run of it, such as what a score does not mean; by config where they differ. */
  readonly caution?: string | ((config: string) => string | undefined);
}

/** The configs of a dataset, such as its subjects, and the default one. */
export interface Configs {
  readonly names: readonly string[];
  readonly default: string;
}

/** Files of a repository: those of a split, as the hub lays Parquet files out, or files by their path. */
export interface HubSource {
  /** The hub's config and split, for Parquet files. */
  readonly config?: string;
  readonly split?: string;
  /** Paths in the repository, with * for any part of a name; looked for first where both are given. */
  readonly files?: readonly string[];
  /** The file to read inside of each zip archive that `files` finds. */
  readonly member?: string;
  /** Texts that are read side by side, in the place of `files`. */
  readonly lines?: LineColumns;
  /** What its rows are about, where each source has a subject of its own. */
  readonly subject?: string;
  /** Looked for when the repository has nothing of this source. */
  readonly fallback?: HubSource;
}

/** Texts whose lines at one place are a row. */
export interface LineColumns {
  /** The path of the text that holds each column. */
  readonly columns: Readonly<Record<string, string>>;
  /** What stands in a line for a line break. */
  readonly lineBreak?: string;
}

/** What an entry is told about a row. */
export interface RowContext {
  readonly config: string;
  /** The subject of the row's source. */
  readonly subject?: string;
  /** The id that the row gets when it has none of its own: made from its content. */
  readonly contentId: string;
  /** The entry's lookups, read. */
  readonly lookups: Readonly<Record<string, readonly RawRow[]>>;
}

/** An example before it has its dataset; without an id it gets one made from its row. */
export type ExampleFields = Omit<Example, "id" | "dataset"> & { id?: string | number };
