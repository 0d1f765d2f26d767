import { randomBytes } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CachedOutput, OutputCache } from "../runner/index.js";

const SCHEMA = "assay.output/1";

/**
 * Outputs in a folder, one file each, named by the hash of the work. Files are written atomically, so that any number of
 * processes can share the folder; an unreadable entry is a miss.
 */
export class FileOutputCache implements OutputCache {
  readonly #dir: string;
  /** Number of cache hits. */
  hits = 0;

  constructor(dir: string) {
    this.#dir = dir;
  }

  async get(key: string): Promise<CachedOutput | null> {
    try {
      const entry = JSON.parse(await readFile(this.#path(key), "utf8")) as CachedOutput & { schema?: unknown };
      const { schema, output, latency } = entry;
      const isSound = schema === SCHEMA && typeof output === "object" && output !== null && typeof latency === "number";
      if (!isSound) return null;
      this.hits += 1;
      return { output, latency };
    } catch {
      return null;
    }
  }

  async put(key: string, { output, latency }: CachedOutput): Promise<void> {
    const path = this.#path(key);
    await mkdir(join(path, ".."), { recursive: true });
    const temporary = `${path}.${process.pid}.${randomBytes(4).toString("hex")}.tmp`;
    try {
      await writeFile(temporary, JSON.stringify({ schema: SCHEMA, output, latency }));
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  #path(key: string): string {
    return join(this.#dir, key.slice(0, 2), `${key}.json`);
  }
}
