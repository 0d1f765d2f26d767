import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, open, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { writeAtomically } from "../../utils/files/atomic.js";
import type { HubFile, HubListing } from "./hub.js";
import type { WantedFile } from "./wanted-file.js";

const CHUNK_BYTES = 1 << 20;

/**
 * The cache of the hub's own tools: `datasets--owner--name` with `blobs` by hash, `snapshots` of links to them and `refs`.
 * What only Assay knows (lists of files, parts of files, locks) is in a folder `.assay` of each repository.
 */
export class HubCache {
  readonly dir: string;
  /** The state in which this process has hashed a file: while it stays so, it is not hashed again. */
  readonly verified = new Map<string, string>();

  constructor(dir: string) {
    this.dir = dir;
  }

  getBlobPath({ listing, key }: WantedFile): string {
    return join(this.#getRepoDir(listing.repo), "blobs", key);
  }

  /** Where a file, its parts or its locks are while they come; `name` is under the file's key. */
  getOwnPath({ listing, key }: WantedFile, name: string): string {
    return join(this.#getRepoDir(listing.repo), ".assay", "files", key, name);
  }

  /** What is known of a repository without asking the hub. */
  readListing(repo: string, revision: string): HubListing | null {
    const ref = isCommit(revision) ? { repo, commit: revision } : this.#readRef(repo, revision);
    return ref === null ? null : parseListing(readJson(this.#getListingPath(ref)));
  }

  /** Keeps a listing, and that a branch stood for it. Written only when new, so that a complete cache may be read-only. */
  async keepListing(listing: HubListing, asked: { repo: string; revision: string }): Promise<void> {
    const ref = { repo: listing.repo, commit: listing.revision };
    await writeNew(this.#getListingPath(ref), JSON.stringify(listing));
    if (isCommit(asked.revision)) return;
    await writeNew(this.#getRefPath(asked.repo, asked.revision), JSON.stringify(ref));
    await writeNew(join(this.#getRepoDir(asked.repo), "refs", asked.revision), ref.commit);
  }

  /** Lets the hub's own tools find a file by its name at a commit. */
  async linkSnapshot({ listing, file, ...wanted }: WantedFile): Promise<void> {
    if (wanted.key.startsWith("at-")) return;
    const link = join(this.#getRepoDir(listing.repo), "snapshots", listing.revision, file.path);
    try {
      await makeFolder(dirname(link));
      await symlink(relative(dirname(link), this.getBlobPath({ listing, file, ...wanted })), link);
    } catch {
      // It is there already, or links cannot be made: nothing here depends on it.
    }
  }

  #readRef(repo: string, revision: string): { repo: string; commit: string } | null {
    const { repo: now, commit } = (readJson(this.#getRefPath(repo, revision)) ?? {}) as Record<string, unknown>;
    return typeof now === "string" && typeof commit === "string" && isCommit(commit) ? { repo: now, commit } : null;
  }

  #getRepoDir(repo: string): string {
    return join(this.dir, `datasets--${repo.replaceAll("/", "--")}`);
  }

  #getRefPath(repo: string, revision: string): string {
    return join(this.#getRepoDir(repo), ".assay", "refs", `${encodeURIComponent(revision)}.json`);
  }

  #getListingPath({ repo, commit }: { repo: string; commit: string }): string {
    return join(this.#getRepoDir(repo), ".assay", "listings", `${commit}.json`);
  }
}

/**
 * Makes a folder and those above it. Node 20's own way says that a folder is missing where a disk is read-only, and never
 * comes back in /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  await make().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    await makeFolder(dirname(path));
    await make();
  });
}

/** True for a full commit, which always means the same. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/** Finds what keeps a local file from being the hub's; null when nothing does. */
export async function findFileProblem(path: string, file: HubFile, signal?: AbortSignal): Promise<string | null> {
  const handle = await open(path, "r");
  try {
    const { size } = await handle.stat();
    if (size !== file.size) return `it has ${size} bytes instead of ${file.size}`;
    const wanted = file.sha256 ?? file.gitSha1;
    if (wanted === undefined) return null;
    const hash = file.sha256 === undefined ? createHash("sha1").update(`blob ${size}\0`) : createHash("sha256");
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      signal?.throwIfAborted();
      const { bytesRead } = await handle.read(chunk, 0, chunk.length);
      if (bytesRead === 0) break;
      hash.update(chunk.subarray(0, bytesRead));
    }
    const found = hash.digest("hex");
    return found === wanted ? null : `its checksum is ${found.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…`;
  } finally {
    await handle.close();
  }
}

async function writeNew(path: string, text: string): Promise<void> {
  if (readText(path) === text) return;
  await makeFolder(dirname(path));
  writeAtomically(path, text);
}

function parseListing(value: unknown): HubListing | null {
  const { repo, revision, files } = (value ?? {}) as Partial<HubListing>;
  const isWhole = typeof repo === "string" && typeof revision === "string" && Array.isArray(files);
  return isWhole ? { repo, revision, files } : null;
}

/** What cannot be read is not there: it is asked for again. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readText(path) ?? "");
  } catch {
    return null;
  }
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
}
