import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { FileChange, WorkspaceChanges } from "../../core/environment.js";
import { Breather } from "./breather.js";
import { isDependency } from "./dependency-folders.js";
import { encodeContent } from "./encoded-content.js";
import { bytesAt } from "./file-content.js";

const MAX_CHANGES = 5000;
const MAX_BYTES = 16 * 2 ** 20;

/** Something that is not as it was; its content is not read yet. */
export type Difference =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly status: "added" | "modified";
      readonly size: number;
      readonly isExecutable: boolean;
    }
  /** The target is null when it cannot be told. */
  | { readonly kind: "link"; readonly path: string; readonly target: string | null }
  | { readonly kind: "deleted" | "folder"; readonly path: string };

type ChangedFile = Extract<Difference, { kind: "file" }>;

export interface Differences {
  readonly differences: readonly Difference[];
  readonly folder: string;
  /** Why there may be others. */
  readonly problems: readonly string[];
}

/** The changes with their content, as far as they are small enough to be stored; what people work on comes first. */
export async function keepChanges({ differences, folder, problems }: Differences): Promise<WorkspaceChanges> {
  const keeping = new Keeping(folder);
  const breather = new Breather();
  for (const difference of byInterest(differences)) {
    keeping.take(difference);
    const pause = breather.due();
    if (pause !== null) await pause;
  }
  const incomplete = [...problems, ...keeping.problems()].join("; ");
  const changes = keeping.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return incomplete === "" ? { changes } : { changes, incomplete };
}

function byInterest(differences: readonly Difference[]): readonly Difference[] {
  const ranked = differences.map((difference) => ({ difference, rank: isDependency(difference.path) ? 1 : 0 }));
  ranked.sort((a, b) => a.rank - b.rank || (a.difference.path < b.difference.path ? -1 : 1));
  return ranked.map(({ difference }) => difference);
}

class Keeping {
  readonly changes: FileChange[] = [];
  readonly #folder: string;
  readonly #tooLarge: ChangedFile[] = [];
  readonly #unreadable: string[] = [];
  #tooMany = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  take(difference: Difference): void {
    if (this.changes.length >= MAX_CHANGES) this.#tooMany += 1;
    else if (difference.kind === "file") this.#takeFile(difference);
    else if (difference.kind === "link") this.#takeLink(difference);
    else this.changes.push({ path: difference.path, status: difference.kind });
  }

  #takeLink({ path, target }: Extract<Difference, { kind: "link" }>): void {
    if (target === null) this.#unreadable.push(path);
    else this.changes.push({ path, status: "linked", target });
  }

  #takeFile(file: ChangedFile): void {
    const { path, status, size, isExecutable } = file;
    const bytes = this.#bytes + size > MAX_BYTES ? null : bytesAt(join(this.#folder, path));
    const encoded = bytes === null ? null : encodeContent(bytes);
    const length = Math.max(size, encoded?.encoding === undefined ? (bytes?.length ?? 0) : encoded.content.length);
    if (this.#bytes + length > MAX_BYTES) this.#tooLarge.push(file);
    else if (encoded === null) this.#missFile(file);
    else {
      this.#bytes += length;
      this.changes.push({ path, status, ...encoded, ...(isExecutable && { executable: true }) });
    }
  }

  /** What is still at work in the folder may have removed it since it was seen. */
  #missFile({ path, status }: ChangedFile): void {
    if (lstatSync(join(this.#folder, path), { throwIfNoEntry: false }) !== undefined) this.#unreadable.push(path);
    else if (status === "modified") this.changes.push({ path, status: "deleted" });
  }

  problems(): string[] {
    const [largest] = this.#tooLarge.sort((a, b) => b.size - a.size);
    const unreadable = this.#unreadable.map((path) => `"${path}" cannot be read`);
    return [
      ...(largest === undefined ? [] : [tooLargeText(this.#tooLarge.length, largest)]),
      ...(this.#tooMany === 0 ? [] : [`${this.#tooMany} changes beyond the first ${MAX_CHANGES} are left out`]),
      ...(unreadable.length > 3 ? [...unreadable.slice(0, 3), `nor can ${unreadable.length - 3} others`] : unreadable),
    ];
  }
}

function tooLargeText(count: number, largest: ChangedFile): string {
  const what = count === 1 ? "a changed file is" : `${count} changed files are`;
  const megabytes = (largest.size / 2 ** 20).toFixed(1);
  return `${what} left out, for more than ${MAX_BYTES / 2 ** 20} MB in all (the largest is "${largest.path}", ${megabytes} MB)`;
}
