import type { ExampleFields } from "./entry.js";

/** Files that a test serves for an entry, in the hub's schema and layout, and the expected examples. All content is made up. */
export interface Fixture {
  /** What follows the colon. Default: the entry's default. */
  readonly config?: string;
  /** Files of the repository by path. */
  readonly files: Readonly<Record<string, FixtureFile>>;
  /** The examples in row order, each with the fields to check: the whole question and context, and the gold. */
  readonly expected: readonly Partial<ExampleFields>[];
}

export type FixtureFile = ParquetFixture | TextFixture | ZipFixture;

/** Rows that the test writes as a Parquet file. */
export interface ParquetFixture {
  /** DuckDB type of each column: `VARCHAR`, `BIGINT`, `STRUCT("text" VARCHAR[], label VARCHAR[])`. */
  readonly columns: Readonly<Record<string, string>>;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** True for a file on the branch with the hub's Parquet conversions. */
  readonly isConverted?: boolean;
}

interface TextFixture {
  readonly text: string;
}

interface ZipFixture {
  /** Texts inside the archive by name. */
  readonly zip: Readonly<Record<string, string>>;
}
