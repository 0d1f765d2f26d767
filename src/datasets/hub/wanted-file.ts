import { createHash } from "node:crypto";
import { DatasetError } from "../../core/errors.js";
import type { HubFile, HubListing } from "./hub.js";
import { describeSimilarFiles } from "./similar-files.js";

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
