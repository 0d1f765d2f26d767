import { createHash } from "node:crypto";
import { DatasetError, findClosestName } from "../../core/index.js";
import type { HubFile, HubListing } from "./hub.js";

const MAX_LISTED_FILES = 12;

/**
 * End of a message about a missing file: the most similar file, and a list.
 * @example
 * describeSimilarFiles("tset.jsonl", ["test.jsonl"]); // ' Did you mean "test.jsonl"? It has: test.jsonl.'
 */
function describeSimilarFiles(path: string, known: readonly string[]): string {
  const guess = findClosestName(path, known);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  return `${hint}${describeFiles(known)}`;
}

/** Lists the files of a repository in a sentence, data files only if there are any. */
export function describeFiles(known: readonly string[]): string {
  if (known.length === 0) return " It has no files.";
  const data = known.filter((path) => !/(?:^|\/)(?:\.git\w*|README\.md)$/.test(path));
  const listed = (data.length === 0 ? known : data).toSorted();
  const more = listed.length > MAX_LISTED_FILES ? ` and ${listed.length - MAX_LISTED_FILES} more` : "";
  return ` It has: ${listed.slice(0, MAX_LISTED_FILES).join(", ")}${more}.`;
}

/** A file of the hub and its place in the cache. */
export interface CachedFileRef {
  readonly listing: HubListing;
  readonly file: HubFile;
  /** Name of its content in the cache: its hash, as in the hub's own tools. */
  readonly key: string;
  /** Name for messages. */
  readonly name: string;
}

/** Finds a file of a listing; throws an error with similar names if there is none. */
export function resolveHubFile(listing: HubListing, path: string): CachedFileRef {
  const { repo, revision, files } = listing;
  const file = files.find((each) => each.path === path);
  if (file === undefined) {
    const known = files.map((each) => each.path);
    throw new DatasetError(
      `${repo} has no file "${path}" at ${revision.slice(0, 12)}.${describeSimilarFiles(path, known)}`,
    );
  }
  // Without a hash, its path at a commit, where the content never changes.
  const place = createHash("sha256").update(`${repo}@${revision}/${path}`).digest("hex");
  return { listing, file, key: file.sha256 ?? file.gitSha1 ?? `at-${place}`, name: `${repo}/${path}` };
}
