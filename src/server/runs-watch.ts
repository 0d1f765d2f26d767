import { statSync } from "node:fs";
import { join } from "node:path";
import { lookAt, namesIn, QueueFile, takingTurns, workersNow } from "../report/dashboard/index.js";

const LOOK_EVERY_MS = 2000;
/** Folders of runs that have ended are looked at in rounds, so many at a time: one of those may be gone on with. */
const LOOKS_AT_A_TIME = 500;

/** What was seen of a run folder. */
interface Seen {
  /** Changes when a file of the folder is made, replaced or removed. */
  mtimeMs: number | null;
  /** What lists show of a run that is going on; null for one that is not. */
  going: string | null;
}

/**
 * Tells when the list of runs has changed: one watch for all who listen, and none while nobody does. A look costs the
 * state of the folder, of the runs that are going on, and of some of the others, however many there are.
 */
export class RunsWatch {
  readonly #runsDir: string;
  readonly #everyMs: number;
  readonly #listeners = new Set<() => void>();
  readonly #seen = new Map<string, Seen>();
  #folderMtimeMs: number | null = null;
  /** The names whose turn is still to come in this round. */
  #round: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(runsDir: string, everyMs: number = LOOK_EVERY_MS) {
    this.#runsDir = runsDir;
    this.#everyMs = everyMs;
  }

  /** Listens until the returned function is called. What changes after this has resolved is told. */
  async listen(listener: () => void): Promise<() => void> {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) await this.#lookAtAll();
    if (this.#listeners.size > 0) this.#lookSoon();
    return () => this.#leave(listener);
  }

  #leave(listener: () => void): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#seen.clear();
  }

  #lookSoon(): void {
    this.#timer ??= setTimeout(() => void this.#look(), this.#everyMs);
  }

  async #look(): Promise<void> {
    const isNew = mtimeOf(this.#runsDir) !== this.#folderMtimeMs ? await this.#lookAtAll() : this.#lookAtSome();
    this.#timer = null;
    if (this.#listeners.size === 0) return;
    if (isNew) for (const listener of this.#listeners) listener();
    this.#lookSoon();
  }

  async #lookAtAll(): Promise<boolean> {
    this.#folderMtimeMs = mtimeOf(this.#runsDir);
    const names = namesIn(this.#runsDir);
    const pause = takingTurns();
    let isNew = names.length !== this.#seen.size;
    for (const name of names) {
      if (this.#isChanged(name)) isNew = true;
      await pause();
    }
    const known = new Set(names);
    for (const name of this.#seen.keys()) if (!known.has(name)) this.#seen.delete(name);
    this.#round = names;
    return isNew;
  }

  #lookAtSome(): boolean {
    const going = [...this.#seen].flatMap(([name, seen]) => (seen.going === null ? [] : name));
    if (this.#round.length === 0) this.#round = [...this.#seen.keys()];
    const names = new Set([...going, ...this.#round.splice(-LOOKS_AT_A_TIME)]);
    // All are looked at, whatever the first ones say.
    return [...names].filter((name) => this.#isChanged(name)).length > 0;
  }

  #isChanged(name: string): boolean {
    const dir = join(this.#runsDir, name);
    const known = this.#seen.get(name);
    const mtimeMs = mtimeOf(dir);
    if (known !== undefined && known.going === null && known.mtimeMs === mtimeMs) return false;
    const going = stateOfGoing(dir);
    this.#seen.set(name, { mtimeMs, going });
    return known?.mtimeMs !== mtimeMs || known?.going !== going;
  }
}

function mtimeOf(path: string): number | null {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? null;
  } catch {
    return null;
  }
}

function stateOfGoing(dir: string): string | null {
  const folder = lookAt(dir);
  if (folder === null || !folder.isRunning) return null;
  return `${folder.state} ${workersNow(new QueueFile(dir).look({ isGoing: true }))}`;
}
