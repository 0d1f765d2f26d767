import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { writeAtomically } from "../files/atomic.js";
import type { HubListing } from "./hub.js";
import { sweepLeftovers } from "./leftovers.js";
import { parseListing } from "./listing-json.js";
import { makeFolder } from "./make-folder.js";
import { isCommit, safeName } from "./names.js";

/** What a branch or a tag stood for when it was last asked. */
export interface Ref {
  /** The repository's name now. */
  readonly repo: string;
  readonly commit: string;
}

/** The folder in which everything that came from a hub is kept. */
export class HubCache {
  readonly dir: string;
  readonly #now: () => number;
  readonly #swept = new Set<string>();

  constructor(dir: string, now: () => number) {
    this.dir = dir;
    this.#now = now;
  }

  /** Makes the folder of a file that is to be written, and clears it of what killed processes left, once. */
  async prepare(path: string): Promise<void> {
    const folder = dirname(path);
    await makeFolder(folder);
    if (this.#swept.has(folder)) return;
    this.#swept.add(folder);
    await sweepLeftovers(folder, this.#now());
  }

  /** Where a whole file is. */
  blob(key: string): string {
    return join(this.dir, "blobs", key);
  }

  /** Where a file is while it comes. */
  partial(key: string): string {
    return join(this.dir, "blobs", `${key}.partial`);
  }

  /** The folder of a file's parts. */
  pieces(key: string): string {
    return join(this.dir, "pieces", key);
  }

  lock(name: string): string {
    return join(this.dir, "locks", name);
  }

  /** What is known of a repository without asking the hub. */
  listing(repo: string, revision: string): HubListing | null {
    const ref = isCommit(revision) ? { repo, commit: revision } : this.#ref(repo, revision);
    return ref === null ? null : parseListing(read(this.#listingPath(ref)));
  }

  async keepListing(listing: HubListing): Promise<void> {
    await this.#write(this.#listingPath({ repo: listing.repo, commit: listing.revision }), listing);
  }

  async keepRef(asked: { repo: string; revision: string }, ref: Ref): Promise<void> {
    await this.#write(this.#refPath(asked.repo, asked.revision), ref);
  }

  /** Written only when it is new, so that a cache that is complete may be read-only. */
  async #write(path: string, value: unknown): Promise<void> {
    const text = JSON.stringify(value);
    if (JSON.stringify(read(path)) === text) return;
    await this.prepare(path);
    writeAtomically(path, text);
  }

  #ref(repo: string, revision: string): Ref | null {
    const { repo: now, commit } = (read(this.#refPath(repo, revision)) ?? {}) as Partial<Record<keyof Ref, unknown>>;
    return typeof now === "string" && typeof commit === "string" && isCommit(commit) ? { repo: now, commit } : null;
  }

  #refPath(repo: string, revision: string): string {
    return join(this.dir, "refs", safeName(repo), `${safeName(revision)}.json`);
  }

  #listingPath({ repo, commit }: Ref): string {
    return join(this.dir, "listings", safeName(repo), `${commit}.json`);
  }
}

/** What cannot be read is not there: it is asked for again. */
function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return null;
  }
}
