import { createHash, type Hash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { type FileState, stateOf } from "./file-state.js";
import type { HubFile } from "./hub.js";

/** A file as it was when it was hashed. */
export interface Stamp extends FileState {
  /** Of the kind that the hub states for the file, SHA-256 where it states none. */
  readonly hash: string;
}

/** What was seen of a local file: what keeps it from being the hub's, or its stamp. */
export type Inspection = { readonly problem: string } | { readonly problem: null; readonly stamp: Stamp };

interface InspectOptions {
  /** The hash it must have where the hub states none. */
  readonly firstHash?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

const CHUNK_BYTES = 1 << 20;

/** Holds a local file against what the hub says of it. Read back from the disk, so that what is verified is what is there. */
export async function inspectFile(path: string, file: HubFile, options: InspectOptions = {}): Promise<Inspection> {
  const handle = await open(path, "r");
  try {
    const state = stateOf(await handle.stat());
    if (state.size !== file.size) return { problem: `it has ${state.size} bytes instead of ${file.size}` };
    const hash = await hashOf(handle, newHash(file), options.signal);
    const wanted = statedHash(file) ?? options.firstHash ?? hash;
    if (hash === wanted) return { problem: null, stamp: { ...state, hash } };
    return { problem: `its checksum is ${hash.slice(0, 12)}… instead of ${wanted.slice(0, 12)}…` };
  } finally {
    await handle.close();
  }
}

/** The hash that the hub states. */
export function statedHash({ sha256, gitSha1 }: HubFile): string | undefined {
  return sha256 ?? gitSha1;
}

/** Hashes an open file from its beginning, a chunk at a time. */
export async function hashOf(file: FileHandle, hash: Hash, signal?: AbortSignal): Promise<string> {
  const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ; ) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
    if (bytesRead === 0) return hash.digest("hex");
    hash.update(chunk.subarray(0, bytesRead));
    at += bytesRead;
  }
}

function newHash(file: HubFile): Hash {
  const isGits = file.sha256 === undefined && file.gitSha1 !== undefined;
  return isGits ? createHash("sha1").update(`blob ${file.size}\0`) : createHash("sha256");
}
