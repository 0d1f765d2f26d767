import { DatasetError, findClosestName } from "../../core/index.js";
import { HubError, RevisionMissingError } from "./errors.js";
import type { Hub, HubListing } from "./hub.js";
import { describeFiles } from "./resolve-file.js";

/** Files of a repository: those of a split, or those matching a pattern. */
export interface HubFileQuery {
  readonly repo: string;
  /** A branch, a tag or a commit. Default: `main`. */
  readonly revision?: string;
  readonly config?: string;
  readonly split?: string;
  /** Paths with * for any part of a name; tried first. */
  readonly files?: readonly string[];
}

export interface ResolvedHubFiles {
  readonly listing: HubListing;
  readonly paths: string[];
}

/** The branch with the hub's own Parquet conversions. */
const CONVERTED_BRANCH = "refs/convert/parquet";

/**
 * Finds the files of a split: named files, else Parquet files, else the hub's Parquet conversions, else files of other
 * formats.
 * @example
 * const { listing, paths } = await findFiles(hub, { repo: "openai/gsm8k", config: "main", split: "test" });
 */
export async function findFiles(hub: Hub, source: HubFileQuery): Promise<ResolvedHubFiles> {
  const listing = await hub.listing(source.repo, source.revision);
  const paths = listing.files.map(({ path }) => path).sort();
  const named = (source.files ?? []).flatMap((pattern) => paths.filter((path) => compileGlob(pattern).test(path)));
  if (named.length > 0) return { listing, paths: [...new Set(named)] };
  if (source.split === undefined) throw createNoFilesError(source, listing);
  return findSplitFiles(hub, { ...source, split: source.split }, listing);
}

type SplitQuery = HubFileQuery & { readonly split: string };

async function findSplitFiles(hub: Hub, source: SplitQuery, listing: HubListing): Promise<ResolvedHubFiles> {
  const paths = listing.files.map(({ path }) => path).sort();
  const { config = null, split } = source;
  const parquet = findFirstMatch(paths, listParquetPatterns({ config, split })) ?? findFilesOfOnlyConfig(paths, source);
  if (parquet !== null) return { listing, paths: parquet };
  const converted = await findConvertedFiles(hub, source);
  if (converted !== null && "listing" in converted) return converted;
  const plain = findFirstMatch(paths, listPlainPatterns({ config, split }));
  if (plain !== null) return { listing, paths: plain };
  throw converted ?? createNoFilesError(source, listing);
}

/** Null if the branch or the files do not exist; an error if that is unknown offline. */
async function findConvertedFiles(hub: Hub, source: SplitQuery): Promise<ResolvedHubFiles | HubError | null> {
  // The hub converts only the main branch, not other revisions.
  if (source.revision !== undefined && source.revision !== "main") return null;
  try {
    const listing = await hub.listing(source.repo, CONVERTED_BRANCH);
    const paths = listing.files.map(({ path }) => path).sort();
    const { config, split } = source;
    const own = config === undefined ? null : findFirstMatch(paths, listConvertedPatterns({ config, split }));
    const found = own ?? findFilesOfOnlyConfig(paths, source);
    return found === null ? null : { listing, paths: found };
  } catch (error) {
    if (error instanceof RevisionMissingError) return null;
    if (error instanceof HubError && !error.isOutage) return error;
    throw error;
  }
}

/** Without a config: the files of `default`, or of the only config with the split. */
function findFilesOfOnlyConfig(paths: readonly string[], { repo, config, split }: SplitQuery): string[] | null {
  if (config !== undefined) return null;
  const found = listFolders(paths)
    .map((folder) => ({ folder, files: findFilesInFolder(paths, folder, split) }))
    .filter(({ files }) => files !== null);
  const meant = found.find(({ folder }) => folder === "default") ?? found[0];
  if (found.length > 1 && meant?.folder !== "default") {
    const names = found.map(({ folder }) => folder).join(", ");
    throw new DatasetError(`${repo} has the split "${split}" in several configs. Choose one: ${names}.`);
  }
  return meant?.files ?? null;
}

function findFilesInFolder(paths: readonly string[], folder: string, split: string): string[] | null {
  const inside = paths.filter((path) => path.startsWith(`${folder}/`));
  return findFirstMatch(inside, listParquetPatterns({ config: folder, split }));
}

function findFirstMatch(paths: readonly string[], groups: readonly RegExp[][]): string[] | null {
  for (const group of groups) {
    const fitting = paths.filter((path) => group.some((pattern) => pattern.test(path)));
    if (fitting.length > 0) return fitting;
  }
  return null;
}

function listFolders(paths: readonly string[]): string[] {
  const folders = paths.filter((path) => path.includes("/")).map((path) => path.slice(0, path.indexOf("/")));
  return [...new Set(folders)];
}

function createNoFilesError(
  { config, split, files }: HubFileQuery,
  { repo, revision, files: there }: HubListing,
): DatasetError {
  const paths = there.map(({ path }) => path);
  const guess = config === undefined ? undefined : findClosestName(config, listFolders(paths));
  const hint = guess === undefined || guess === config ? "" : ` Did you mean the config "${guess}"?`;
  const ofConfig = config === undefined ? "" : ` of the config "${config}"`;
  const named = files === undefined ? [] : [`fits ${files.join(" or ")}`];
  const ofSplit = split === undefined ? [] : [`holds the split "${split}"${ofConfig}`];
  const wanted = [...named, ...ofSplit].join(" or ") || "was requested: name a split or files";
  return new DatasetError(`No file of ${repo} (${revision.slice(0, 12)}) ${wanted}.${hint}${describeFiles(paths)}`);
}

/** A split and config as they appear in file names. */
interface SplitName {
  readonly split: string;
  /** Null if the repository has no configs. */
  readonly config: string | null;
}

const PLAIN_EXTENSIONS = ["jsonl", "json", "csv", "tsv"].flatMap((ending) => [ending, `${ending}.gz`]);

/**
 * Compiles a pattern with * for any part of a name, within a folder.
 * @example
 * compileGlob("data/test-*.parquet").test("data/test-00000-of-00001.parquet"); // true
 */
function compileGlob(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(escapeRegExp).join("[^/]*")}$`);
}

/** Where the Parquet files of a split may be, by the hub's conventions; the first match is used. */
function listParquetPatterns({ config, split }: SplitName): RegExp[][] {
  const own = config === null ? [] : [config, `data/${config}`];
  return [
    ...own.map((folder) => listShardPatterns(`${folder}/${split}`)),
    ...own.map((folder) => [compileGlob(`${folder}/${split}/*.parquet`)]),
    ...["data/", ""].map((folder) => listShardPatterns(`${folder}${split}`)),
    ...["data/", ""].map((folder) => [compileGlob(`${folder}${split}/*.parquet`)]),
    ...(config === null ? ["data/", ""] : [`${config}/`]).map((folder) => [compileSplitPattern(folder, split)]),
    ...(config === null ? [] : ["data/", ""].map((folder) => listShardPatterns(`${folder}${config}-${split}`))),
  ];
}

/** The layout on the branch of conversions. */
function listConvertedPatterns({ config, split }: { config: string; split: string }): RegExp[][] {
  return [[compileGlob(`${config}/${split}/*.parquet`)], [compileSplitPattern(`${config}/`, split)]];
}

/** Where a split may be in another format; only one format is used, since several may hold the same rows. */
function listPlainPatterns({ config, split }: SplitName): RegExp[][] {
  const own = config === null ? [] : [`${config}/${split}`, `data/${config}/${split}`];
  const places = [...own, split, `data/${split}`];
  return places.flatMap((place) => PLAIN_EXTENSIONS.map((ending) => [compileGlob(`${place}.${ending}`)]));
}

/** One file, or several numbered after a hyphen; `test_matched-…` does not match `test`. */
function listShardPatterns(start: string): RegExp[] {
  return [compileGlob(`${start}.parquet`), compileGlob(`${start}-*.parquet`)];
}

/** A file name with the split as a whole word: neither `latest` nor `test_matched` for `test`. */
function compileSplitPattern(folder: string, split: string): RegExp {
  return new RegExp(`^${escapeRegExp(folder)}[^/]*(?<!\\w)${escapeRegExp(split)}(?!\\w)[^/]*\\.parquet$`);
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}
