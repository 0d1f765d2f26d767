import { createHash } from "node:crypto";
import { DatasetError, UsageError } from "../core/errors.js";
import type { HubFile, HubListing } from "./hub.js";
import { similarFiles } from "./similar-files.js";

/** Throws unless the text can be the name of a repository. */
export function checkRepo(repo: string): void {
  if (/^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(repo) && !repo.includes("..")) return;
  throw new UsageError(`${JSON.stringify(repo)} is no name of a dataset repository. Write it as owner/name.`);
}

/** Throws unless the text can be the name of a revision: git allows no two dots in one either. */
export function checkRevision(revision: string): void {
  const isPlain = /^[\w\-./+@%#=,]+$/.test(revision);
  if (isPlain && revision !== "." && !revision.includes("..")) return;
  throw new UsageError(`${JSON.stringify(revision)} is no revision. Give a branch, a tag or a commit.`);
}

/** True for a full commit, which always means the same. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** Whether a path stays inside its repository. */
export function isSafePath(path: string): boolean {
  if (path.includes("\0") || path.includes("\\")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** The file of a listing; an error that names similar ones when there is none. */
export function fileOf({ repo, revision, files }: HubListing, path: string): HubFile {
  const file = files.find((each) => each.path === path);
  if (file !== undefined) return file;
  throw new DatasetError(
    `${repo} has no file "${path}" at ${revision.slice(0, 12)}.${similarFiles(
      path,
      files.map((each) => each.path),
    )}`,
  );
}

/** What a file is called in messages. */
export function fileName({ repo }: Pick<HubListing, "repo">, path: string): string {
  return `${repo}/${path}`;
}

/** What a file is kept under: its content's hash, else its place at a commit, where its content never changes. */
export function blobKey(listing: HubListing, { path, sha256, gitSha1 }: HubFile): string {
  return sha256 ?? gitSha1 ?? `at-${hashOf(`${listing.repo}@${listing.revision}/${path}`)}`;
}

/** Any text as the name of a file: it names no folder and is not too long. */
export function safeName(text: string): string {
  const name = encodeURIComponent(text).replaceAll("*", "%2A");
  return name.length <= 120 && !name.startsWith(".") ? name : hashOf(text);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
