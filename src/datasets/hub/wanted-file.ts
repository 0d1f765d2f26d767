import { createHash } from "node:crypto";
import { DatasetError } from "../../core/errors.js";
import type { HubFile, HubListing } from "./hub.js";
import { similarFiles } from "./similar-files.js";

/** A file that is to be in the cache. */
export interface WantedFile {
  readonly listing: HubListing;
  readonly file: HubFile;
  /** What its content is kept under: its hash, as the hub's own tools have it. */
  readonly key: string;
  /** As messages name it. */
  readonly name: string;
}

/** Finds the file of a listing; throws an error that names similar ones when there is none. */
export function findHubFile(listing: HubListing, path: string): WantedFile {
  const { repo, revision, files } = listing;
  const file = files.find((each) => each.path === path);
  if (file === undefined) {
    const known = files.map((each) => each.path);
    throw new DatasetError(`${repo} has no file "${path}" at ${revision.slice(0, 12)}.${similarFiles(path, known)}`);
  }
  // Without a hash, its place at a commit, where its content never changes.
  const place = createHash("sha256").update(`${repo}@${revision}/${path}`).digest("hex");
  return { listing, file, key: file.sha256 ?? file.gitSha1 ?? `at-${place}`, name: `${repo}/${path}` };
}
