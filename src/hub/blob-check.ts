import { stat } from "node:fs/promises";
import { type FileState, isSameState, stateOf } from "./file-state.js";
import type { HubFile } from "./hub.js";
import { readStamp, tryWriteStamp } from "./stamps.js";
import { inspectFile, statedHash } from "./verify.js";

/** How a whole file in the cache was found. */
export type Finding = { readonly kind: "missing" | "sound" } | { readonly kind: "damaged"; readonly problem: string };

interface Known {
  readonly state: FileState;
  readonly finding: Promise<Finding>;
}

const MISSING: Finding = { kind: "missing" };
const SOUND: Finding = { kind: "sound" };

/** Looks at whole files in the cache, and hashes each state of each of them once at most. */
export class BlobCheck {
  readonly #signal: AbortSignal | undefined;
  /** Also what is being hashed just now; a cache that is read-only has no stamps to go by. */
  readonly #known = new Map<string, Known>();

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
  }

  async look(path: string, file: HubFile): Promise<Finding> {
    try {
      const state = stateOf(await stat(path));
      if (state.size !== file.size) return damaged(`it has ${state.size} bytes instead of ${file.size}`);
      return await this.#once(path, state, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return MISSING;
      throw error;
    }
  }

  /** To be told when a file is thrown away: the next one in its place may look the same. */
  forget(path: string): void {
    this.#known.delete(path);
  }

  #once(path: string, state: FileState, file: HubFile): Promise<Finding> {
    const known = this.#known.get(path);
    if (known !== undefined && isSameState(known.state, state)) return known.finding;
    const finding = check(path, { state, file, signal: this.#signal });
    this.#known.set(path, { state, finding });
    finding.catch(() => this.#known.delete(path));
    return finding;
  }
}

interface Check {
  readonly state: FileState;
  readonly file: HubFile;
  readonly signal: AbortSignal | undefined;
}

async function check(path: string, { state, file, signal }: Check): Promise<Finding> {
  const stamp = readStamp(path);
  const isHubs = stamp !== null && stamp.hash === (statedHash(file) ?? stamp.hash);
  if (isHubs && isSameState(stamp, state)) return SOUND;
  const inspection = await inspectFile(path, file, { firstHash: stamp?.hash, signal });
  if (inspection.problem !== null) return damaged(inspection.problem);
  tryWriteStamp(path, inspection.stamp);
  return SOUND;
}

function damaged(problem: string): Finding {
  return { kind: "damaged", problem };
}
