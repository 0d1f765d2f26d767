import { datasetInfo, type ListFileEntry, listFiles } from "@huggingface/hub";
import { UsageError } from "../../core/errors.js";
import { isCommit } from "./cache.js";
import { onDisk } from "./disk.js";
import { HubError, offlineError } from "./errors.js";
import { createHubFetch, withRetries } from "./fetch.js";
import type { HubContext, HubFile, HubListing } from "./hub.js";

const MAX_FILES = 1_000_000;

/** Finds the files of a repository, from the hub, or from the cache where that is all there is. */
export async function findListing(context: HubContext, repo: string, revision: string): Promise<HubListing> {
  requireNames(repo, revision);
  const { cache, settings } = context;
  const kept = cache.readListing(repo, revision);
  if (kept !== null && (settings.isOffline || isCommit(revision))) return kept;
  if (settings.isOffline) throw offlineError(`The list of files of ${repo} at ${revision}`);
  try {
    // Whoever has something to fall back on is not kept waiting for long.
    return await askHub(context, { repo, revision, tries: kept === null ? 5 : 2 });
  } catch (error) {
    if (kept === null || !(error instanceof HubError) || !error.isOutage) throw error;
    context.note(`${repo}: what the cache holds is used (${kept.revision.slice(0, 12)}). ${error.message}`);
    return kept;
  }
}

interface Question {
  readonly repo: string;
  readonly revision: string;
  readonly tries: number;
}

async function askHub(context: HubContext, { repo, revision, tries }: Question): Promise<HubListing> {
  const { cache } = context;
  const now = await withRetries(context, () => findCommit(context, repo, revision), { tries });
  if (now.repo !== repo) context.note(`${repo} has moved: it is ${now.repo} now.`);
  const files =
    cache.readListing(now.repo, now.commit)?.files ??
    (await withRetries(context, () => listCommit(context, now.repo, now.commit), { tries }));
  const listing = { repo: now.repo, revision: now.commit, files };
  await onDisk({ cacheDir: cache.dir, needed: 4096 }, () => cache.keepListing(listing, { repo, revision }));
  return listing;
}

async function findCommit(context: HubContext, repo: string, revision: string) {
  const info: { name?: unknown; sha?: unknown } = await datasetInfo({
    name: repo,
    revision,
    additionalFields: ["sha"],
    hubUrl: context.settings.endpoint,
    fetch: createListFetch(context, repo, revision),
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? notTheHub(context, repo) : explainJson(context, error);
  });
  const { name = repo, sha } = info;
  if (typeof sha !== "string" || !isCommit(sha) || typeof name !== "string") throw notTheHub(context, repo);
  requireNames(name, sha);
  return { repo: name, commit: sha };
}

async function listCommit(context: HubContext, repo: string, commit: string): Promise<HubFile[]> {
  const files: HubFile[] = [];
  try {
    for await (const entry of listFiles({
      repo: { type: "dataset", name: repo },
      revision: commit,
      recursive: true,
      hubUrl: context.settings.endpoint,
      fetch: createListFetch(context, repo, commit),
    })) {
      if (entry.type === "file") files.push(toHubFile(entry, repo));
      if (files.length > MAX_FILES) throw new HubError(`The list of files of ${repo} has no end. Check HF_ENDPOINT.`);
    }
  } catch (error) {
    throw explainJson(context, error);
  }
  return files;
}

function createListFetch(context: HubContext, repo: string, revision: string): typeof fetch {
  const transfer = context.meter.start(null, 0);
  return createHubFetch(context, { about: { repo, revision }, onBytes: transfer.got });
}

/** Hashes become names of files: anything else that stands in their place is left out. */
function toHubFile({ path, size, oid, lfs }: ListFileEntry, repo: string): HubFile {
  const bytes = lfs?.size ?? size;
  if (typeof path !== "string" || !Number.isSafeInteger(bytes) || bytes < 0)
    throw new HubError(`The list of files of ${repo} is not as the hub writes it. Check HF_ENDPOINT.`);
  if (!isSafePath(path)) {
    throw new HubError(
      `${repo} lists a file ${JSON.stringify(path)}, which lies outside of the repository. Nothing of it is read; tell its owner.`,
    );
  }
  const sha256 = lfs?.oid;
  return {
    path,
    size: bytes,
    ...(sha256 !== undefined && /^[0-9a-f]{64}$/.test(sha256) ? { sha256 } : {}),
    ...(lfs === undefined && oid !== undefined && isCommit(oid) ? { gitSha1: oid } : {}),
  };
}

/** Whether a path stays inside its repository. */
function isSafePath(path: string): boolean {
  if (path.includes("\0") || path.includes("\\")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function requireNames(repo: string, revision: string): void {
  if (!/^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(repo) || repo.includes(".."))
    throw new UsageError(`${JSON.stringify(repo)} is no name of a dataset repository. Write it as owner/name.`);
  // Git allows no two dots in a name either.
  if (!/^[\w\-./+@%#=,]+$/.test(revision) || revision === "." || revision.includes(".."))
    throw new UsageError(`${JSON.stringify(revision)} is no revision. Give a branch, a tag or a commit.`);
}

function notTheHub({ settings }: HubContext, repo: string): HubError {
  return new HubError(
    `${settings.endpoint} does not answer as the hub does: it names no commit of ${repo}. Check HF_ENDPOINT.`,
  );
}

function explainJson({ settings }: HubContext, error: unknown): unknown {
  if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) return error;
  return new HubError(
    `${settings.endpoint} answered with something that is not JSON: perhaps a sign-in page or a proxy stands between. Check the network and HF_ENDPOINT.`,
    { cause: error },
  );
}
