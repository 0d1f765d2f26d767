/** A split of a config, as names of files show it. */
export interface SplitName {
  readonly split: string;
  /** Null when the repository is not divided into configs. */
  readonly config: string | null;
}

const PLAIN = ["jsonl", "json", "csv", "tsv"].flatMap((ending) => [ending, `${ending}.gz`]);

/**
 * A pattern with * for any part of a name, which never reaches into another folder.
 * @example
 * glob("data/test-*.parquet").test("data/test-00000-of-00001.parquet"); // true
 */
export function glob(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(escaped).join("[^/]*")}$`);
}

/** Where the Parquet files of a split may be, by the hub's conventions; the first that any file fits is meant. */
export function parquetPatterns({ config, split }: SplitName): RegExp[][] {
  const own = config === null ? [] : [config, `data/${config}`];
  return [
    ...own.map((folder) => shards(`${folder}/${split}`)),
    ...own.map((folder) => [glob(`${folder}/${split}/*.parquet`)]),
    ...["data/", ""].map((folder) => shards(`${folder}${split}`)),
    ...["data/", ""].map((folder) => [glob(`${folder}${split}/*.parquet`)]),
    ...(config === null ? ["data/", ""] : [`${config}/`]).map((folder) => [within(folder, split)]),
    ...(config === null ? [] : ["data/", ""].map((folder) => shards(`${folder}${config}-${split}`))),
  ];
}

/** Where they are on the branch that the hub converts repositories to. */
export function convertedPatterns({ config, split }: { config: string; split: string }): RegExp[][] {
  return [[glob(`${config}/${split}/*.parquet`)], [within(`${config}/`, split)]];
}

/** Where a split may be in a file of another kind; one kind only, for several may hold the same rows. */
export function plainPatterns({ config, split }: SplitName): RegExp[][] {
  const own = config === null ? [] : [`${config}/${split}`, `data/${config}/${split}`];
  const places = [...own, split, `data/${split}`];
  return places.flatMap((place) => PLAIN.map((ending) => [glob(`${place}.${ending}`)]));
}

/** One file, or several that are numbered behind a hyphen: `test_matched-…` is no `test`. */
function shards(start: string): RegExp[] {
  return [glob(`${start}.parquet`), glob(`${start}-*.parquet`)];
}

/** A name in a folder in which the split stands as a word of its own: neither in `latest` nor in `test_matched`. */
function within(folder: string, split: string): RegExp {
  return new RegExp(`^${escaped(folder)}[^/]*(?<!\\w)${escaped(split)}(?!\\w)[^/]*\\.parquet$`);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
