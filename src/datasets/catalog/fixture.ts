import type { ExampleFields } from "./entry.js";

/** What a test serves for an entry, in the hub's own schema and layout, and what has to come of it. */
export interface Fixture {
  /** What follows the colon; the entry's default unless given. */
  readonly config?: string;
  /** The files of the repository by path. */
  readonly files: Readonly<Record<string, FixtureFile>>;
  /** The examples in the order of the rows, each with the fields that matter: the whole question and context, and the gold. */
  readonly expected: readonly Partial<ExampleFields>[];
}

export type FixtureFile = ParquetFixture | TextFixture | ZipFixture;

/** Rows that the test writes as a Parquet file. */
export interface ParquetFixture {
  /** Each column with its type, as DuckDB writes types: `VARCHAR`, `BIGINT`, `STRUCT("text" VARCHAR[], label VARCHAR[])`. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Where it lies on the branch that the hub converts script-only repositories to. */
  readonly isConverted?: boolean;
}

interface TextFixture {
  readonly text: string;
}

interface ZipFixture {
  /** The texts inside of the archive by name. */
  readonly zip: Readonly<Record<string, string>>;
}
