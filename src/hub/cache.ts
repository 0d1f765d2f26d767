import { mkdirSync, readFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeAtomically } from "../files/atomic.js";
import type { HubListing } from "./hub.js";
import { parseListing } from "./listing-json.js";
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

  constructor(dir: string) {
    this.dir = dir;
  }

  /** Where a whole, verified file is. */
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

  /** Whether the whole file is there. */
  async hasBlob(key: string, size: number): Promise<boolean> {
    try {
      return (await stat(this.blob(key))).size === size;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
      throw error;
    }
  }

  /** What is known of a repository without asking the hub. */
  listing(repo: string, revision: string): HubListing | null {
    const ref = isCommit(revision) ? { repo, commit: revision } : this.#ref(repo, revision);
    return ref === null ? null : parseListing(read(this.#listingPath(ref)));
  }

  keepListing(listing: HubListing): void {
    write(this.#listingPath({ repo: listing.repo, commit: listing.revision }), listing);
  }

  keepRef(asked: { repo: string; revision: string }, ref: Ref): void {
    write(this.#refPath(asked.repo, asked.revision), ref);
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

/** Written only when it is new, so that a cache that is complete may be read-only. */
function write(path: string, value: unknown): void {
  const text = JSON.stringify(value);
  if (JSON.stringify(read(path)) === text) return;
  mkdirSync(dirname(path), { recursive: true });
  writeAtomically(path, text);
}
