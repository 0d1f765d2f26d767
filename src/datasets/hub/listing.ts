import { datasetInfo, type ListFileEntry, listFiles } from "@huggingface/hub";
import { UsageError } from "../../core/index.js";
import { isCommit, withDiskErrors } from "./cache.js";
import { createHubOfflineError, HubError } from "./errors.js";
import { createHubFetch, withRetries } from "./fetch.js";
import type { HubContext, HubFile, HubListing } from "./hub.js";

const MAX_FILES = 1_000_000;

/** Lists the files of a repository from the hub, or from the cache if the hub is unavailable. */
export async function resolveListing(context: HubContext, repo: string, revision: string): Promise<HubListing> {
  requireRepoNames(repo, revision);
  const { cache, settings } = context;
  const kept = cache.readListing(repo, revision);
  if (kept !== null && (settings.isOffline || isCommit(revision))) return kept;
  if (settings.isOffline) throw createHubOfflineError(`The list of files of ${repo} at ${revision}`);
  try {
    // Fewer tries if the cache has a listing to fall back on.
    return await fetchListing(context, { repo, revision, tries: kept === null ? 5 : 2 });
  } catch (error) {
    if (kept === null || !(error instanceof HubError) || !error.isOutage) throw error;
    context.note(`${repo}: using the cached version (${kept.revision.slice(0, 12)}). ${error.message}`);
    return kept;
  }
}

interface ListingRequest {
  readonly repo: string;
  readonly revision: string;
  readonly tries: number;
}

async function fetchListing(context: HubContext, { repo, revision, tries }: ListingRequest): Promise<HubListing> {
  const { cache } = context;
  const now = await withRetries(context, () => findCommit(context, repo, revision), { tries });
  if (now.repo !== repo) context.note(`${repo} has moved to ${now.repo}.`);
  const files =
    cache.readListing(now.repo, now.commit)?.files ??
    (await withRetries(context, () => listCommit(context, now.repo, now.commit), { tries }));
  const listing = { repo: now.repo, revision: now.commit, files };
  await withDiskErrors({ cacheDir: cache.dir, needed: 4096 }, () => cache.storeListing(listing, { repo, revision }));
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
    throw error instanceof TypeError ? createNotAHubError(context, repo) : explainJsonError(context, error);
  });
  const { name = repo, sha } = info;
  if (typeof sha !== "string" || !isCommit(sha) || typeof name !== "string") throw createNotAHubError(context, repo);
  requireRepoNames(name, sha);
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
      if (files.length > MAX_FILES) throw new HubError(`The list of files of ${repo} does not end. Check HF_ENDPOINT.`);
    }
  } catch (error) {
    throw explainJsonError(context, error);
  }
  return files;
}

function createListFetch(context: HubContext, repo: string, revision: string): typeof fetch {
  const transfer = context.meter.start(null, 0);
  return createHubFetch(context, { about: { repo, revision }, onBytes: transfer.got });
}

/** Hashes become file names: invalid ones are dropped. */
function toHubFile({ path, size, oid, lfs }: ListFileEntry, repo: string): HubFile {
  const bytes = lfs?.size ?? size;
  if (typeof path !== "string" || !Number.isSafeInteger(bytes) || bytes < 0)
    throw new HubError(`The list of files of ${repo} is not in the hub's format. Check HF_ENDPOINT.`);
  if (!isSafePath(path)) {
    throw new HubError(
      `${repo} lists a file ${JSON.stringify(path)}, which is outside the repository. Nothing of it is read; tell its owner.`,
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

function isSafePath(path: string): boolean {
  if (path.includes("\0") || path.includes("\\")) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function requireRepoNames(repo: string, revision: string): void {
  if (!/^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(repo) || repo.includes(".."))
    throw new UsageError(`${JSON.stringify(repo)} is not a dataset repository name. Write it as owner/name.`);
  // Git forbids two dots in a name as well.
  if (!/^[\w\-./+@%#=,]+$/.test(revision) || revision === "." || revision.includes(".."))
    throw new UsageError(`${JSON.stringify(revision)} is not a revision. Use a branch, a tag or a commit.`);
}

function createNotAHubError({ settings }: HubContext, repo: string): HubError {
  return new HubError(
    `${settings.endpoint} does not answer like the hub: it returned no commit for ${repo}. Check HF_ENDPOINT.`,
  );
}

function explainJsonError({ settings }: HubContext, error: unknown): unknown {
  if (!(error instanceof SyntaxError) && !(error instanceof TypeError)) return error;
  return new HubError(
    `${settings.endpoint} did not answer with JSON: there may be a sign-in page or a proxy in between. Check the network and HF_ENDPOINT.`,
    { cause: error },
  );
}
