import { apiUrl, type HubContext } from "./context.js";
import { onDisk } from "./disk.js";
import { HubError, offlineError } from "./errors.js";
import type { HubFile, HubListing } from "./hub.js";
import { fieldsOf, parseTreeEntry } from "./listing-json.js";
import { checkRepo, checkRevision, isCommit } from "./names.js";
import type { Subject } from "./refusal.js";
import { withRetries } from "./with-retries.js";

const MOST_PAGES = 10_000;

/** The files of a repository, from the hub, or from the cache where that is all there is. */
export async function findListing(context: HubContext, repo: string, revision: string): Promise<HubListing> {
  checkRepo(repo);
  checkRevision(revision);
  const { cache, settings } = context;
  const kept = cache.listing(repo, revision);
  if (kept !== null && (settings.isOffline || isCommit(revision))) return kept;
  if (settings.isOffline) throw offlineError(`The list of files of ${repo} at ${revision}`);
  try {
    return await askHub(context, { repo, revision, isKept: kept !== null });
  } catch (error) {
    if (kept === null || !(error instanceof HubError) || !error.isOutage) throw error;
    context.note(`${repo}: what the cache holds is used (${kept.revision.slice(0, 12)}). ${error.message}`);
    return kept;
  }
}

async function askHub(
  context: HubContext,
  { repo, revision, isKept }: { repo: string; revision: string; isKept: boolean },
): Promise<HubListing> {
  const { cache, settings } = context;
  // Whoever has something to fall back on is not kept waiting for long.
  const tries = isKept ? 2 : 5;
  const url = apiUrl(context, repo, `revision/${encodeURIComponent(revision)}`);
  const { body } = await getJson(context, { url, about: { repo, revision }, tries });
  const now = nameAndCommit(body, { repo, endpoint: settings.endpoint });
  if (now.repo !== repo) context.note(`${repo} has moved: it is ${now.repo} now.`);
  const files = cache.listing(now.repo, now.commit)?.files ?? (await askTree(context, { ...now, tries }));
  const listing = { repo: now.repo, revision: now.commit, files };
  await onDisk({ cacheDir: cache.dir, needed: 4096 }, async () => {
    await cache.keepListing(listing);
    if (!isCommit(revision)) await cache.keepRef({ repo, revision }, now);
  });
  return listing;
}

function nameAndCommit(body: unknown, { repo, endpoint }: { repo: string; endpoint: string }) {
  const { id, sha } = fieldsOf(body);
  if (typeof sha !== "string" || !isCommit(sha)) {
    throw new HubError(
      `${endpoint} does not answer as the hub does: it names no commit of ${repo}. Check HF_ENDPOINT.`,
    );
  }
  const name = typeof id === "string" ? id : repo;
  checkRepo(name);
  return { repo: name, commit: sha };
}

/** The tree comes in pages; of the link to the next one only its cursor is taken, for it may name another host. */
async function askTree(
  context: HubContext,
  { repo, commit, tries }: { repo: string; commit: string; tries: number },
): Promise<HubFile[]> {
  const files: HubFile[] = [];
  const url = apiUrl(context, repo, `tree/${commit}?recursive=true`);
  const seen = new Set<string>();
  while (seen.size < MOST_PAGES && !seen.has(url.search)) {
    seen.add(url.search);
    const { body, next } = await getJson(context, { url, about: { repo, revision: commit }, tries });
    if (!Array.isArray(body)) throw notJson(context, "no list of files");
    files.push(...body.map((entry) => parseTreeEntry(entry, repo)).filter((file) => file !== null));
    if (next === null) return files;
    url.search = next;
  }
  throw new HubError(`The list of files of ${repo} has no end. Check HF_ENDPOINT.`);
}

interface JsonQuestion {
  readonly url: URL;
  readonly about: Subject;
  readonly tries: number;
}

/** An answer in JSON, and the query of the page after it. */
async function getJson(
  context: HubContext,
  { url, about, tries }: JsonQuestion,
): Promise<{ body: unknown; next: string | null }> {
  const { ports, signal, wire, meter } = context;
  const work = async () => {
    const answer = await wire.open({ url, about, headers: { accept: "application/json" } });
    const transfer = meter.start(null, 0);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks()) {
      transfer.got(chunk.length);
      chunks.push(chunk);
    }
    const link = /<([^>]*)>\s*;\s*rel="next"/.exec(answer.headers.get("link") ?? "")?.[1];
    const next = link !== undefined && URL.canParse(link, url.href) ? new URL(link, url).search : null;
    return { text: Buffer.concat(chunks).toString("utf8"), next };
  };
  const { text, next } = await withRetries(work, { ports, signal, tries });
  try {
    return { body: JSON.parse(text) as unknown, next };
  } catch {
    throw notJson(context, "something that is not JSON");
  }
}

function notJson({ settings }: HubContext, what: string): HubError {
  return new HubError(
    `${settings.endpoint} answered with ${what}: perhaps a sign-in page or a proxy stands between. Check the network and HF_ENDPOINT.`,
  );
}
