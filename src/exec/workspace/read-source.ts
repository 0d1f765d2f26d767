import type { Stats } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { DatasetError, messageOf } from "../../core/errors.js";
import { type EncodedContent, encodeContent } from "./encoded-content.js";
import { isWithin } from "./relative-path.js";

/** For one environment: all of it is held in memory, and written down with the example. */
export const MAX_SOURCE_BYTES = 64 * 2 ** 20;

/** A file as it was found below a `src`. */
interface SourceFile extends EncodedContent {
  /** Below the `src`; empty when that is the file itself. */
  readonly path: string;
  readonly executable?: true;
}

export interface Source {
  readonly files: readonly SourceFile[];
  readonly bytes: number;
}

/** Reads a file, or a folder and all below it but `.git`, in the order of their paths. */
export async function readSource(dir: string, src: string): Promise<Source> {
  const reading = new SourceReading(await realpath(dir), src);
  await reading.read({ path: join(dir, src), name: "", above: [] });
  const files = reading.files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { files, bytes: reading.bytes };
}

export function tooMuch(src: string): DatasetError {
  return new DatasetError(
    `The files of an environment may be ${MAX_SOURCE_BYTES / 2 ** 20} MB together, and "${src}" makes them more. Put them into a repository and name it as \`git\`.`,
  );
}

interface Place {
  readonly path: string;
  /** Below the `src`. */
  readonly name: string;
  /** The real paths of the folders it is in. */
  readonly above: readonly string[];
}

class SourceReading {
  readonly files: SourceFile[] = [];
  bytes = 0;
  readonly #dir: string;
  readonly #src: string;

  constructor(dir: string, src: string) {
    this.#dir = dir;
    this.#src = src;
  }

  async read({ path, name, above }: Place): Promise<void> {
    const real = await this.#whereItIs(path, name);
    const stats = await stat(real);
    if (stats.isFile()) return this.#take({ real, name, stats });
    if (!stats.isDirectory()) throw this.#problem(name, "is neither a file nor a folder. Take it out.");
    if (above.includes(real)) throw this.#problem(name, "is a link to a folder that it lies in. Take it out.");
    for (const inner of await readdir(real)) {
      const innerName = name === "" ? inner : `${name}/${inner}`;
      if (inner !== ".git") await this.read({ path: join(real, inner), name: innerName, above: [...above, real] });
    }
  }

  /** Links are followed, so that a folder is as it looks, but only to what lies beside the dataset too. */
  async #whereItIs(path: string, name: string): Promise<string> {
    const real = await realpath(path).catch((cause: unknown) => {
      const why = (cause as NodeJS.ErrnoException).code === "ENOENT" ? "does not exist" : messageOf(cause);
      throw this.#problem(name, `cannot be read: ${why}. It is looked for in ${this.#dir}.`, cause);
    });
    if (!isWithin(this.#dir, real)) {
      throw this.#problem(name, `is a link that leaves ${this.#dir}. Put what it points to there, or take it out.`);
    }
    return real;
  }

  async #take({ real, name, stats }: { real: string; name: string; stats: Stats }): Promise<void> {
    if (this.bytes + stats.size > MAX_SOURCE_BYTES) throw tooMuch(this.#src);
    const bytes = await readFile(real).catch((cause: unknown) => {
      throw this.#problem(name, `cannot be read: ${messageOf(cause)}.`, cause);
    });
    this.bytes += bytes.length;
    const isExecutable = (stats.mode & 0o100) !== 0;
    this.files.push({ path: name, ...encodeContent(bytes), ...(isExecutable && { executable: true }) });
  }

  #problem(name: string, what: string, cause?: unknown): DatasetError {
    const path = name === "" ? this.#src : `${this.#src}/${name}`;
    return new DatasetError(`"${path}" of an example's environment ${what}`, { cause });
  }
}
