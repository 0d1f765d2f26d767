import { lstatSync } from "node:fs";
import { Breather } from "./breather.js";
import { isGit, walkFolder } from "./folder.js";

const LOOK_EVERY_MS = 250;

/** Looking takes at most this share of a core, however large the folder is. */
const MAX_SHARE = 0.03;

export interface WatchOptions {
  readonly path: string;
  /** How long nothing may change before it is told; 300 ms unless told. */
  readonly quietMs?: number;
  /** Told after this time even when changes go on; 2 s unless told. */
  readonly maxWaitMs?: number;
  /** With the time of the last change seen, on the clock of `performance.now()`. */
  readonly onQuiet: (changedAt: number) => void;
  /** By the path below the folder; `.git` unless told. */
  readonly ignore?: (path: string) => boolean;
  /** False when something else is at the path, which is not looked at. */
  readonly isThere?: () => boolean;
}

/** When a folder first and last changed, on the clock of `performance.now()`. */
interface ChangeTimes {
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface FolderWatch {
  /** Resolves after the first look: what changes from then on is seen. */
  readonly ready: Promise<void>;
  /** Looks a last time, tells nothing more, and says when it changed; null when it did not. */
  close(): Promise<ChangeTimes | null>;
}

/**
 * Tells when a folder has changed and come to rest. It looks at the times of all files now and then: that needs nothing of
 * the system, misses nothing, and the times say when the change was, however late it is seen.
 * @example
 * const watch = watchFolder({ path: workspace.path, onQuiet: (changedAt) => console.log(changedAt) });
 * const times = await watch.close(); // { firstAt: 210.5, lastAt: 1934.2 }
 */
export function watchFolder(options: WatchOptions): FolderWatch {
  return new ScanningWatch(options);
}

/** Enough of a folder to tell that something in it changed: whatever does changes a time of a file or of its folder. */
interface Look {
  readonly count: number;
  readonly sum: number;
  /** Of the change after the look before this one that came first, and of the last of all. */
  readonly earliestMs: number;
  readonly latestMs: number;
}

class ScanningWatch implements FolderWatch {
  readonly #options: Required<WatchOptions>;
  #timer: NodeJS.Timeout | undefined;
  readonly ready: Promise<void>;
  #looking: Promise<void>;
  #isClosed = false;
  #last: Look | null = null;
  #lookedAt = performance.now();
  #times: ChangeTimes | null = null;
  /** The first and the last change that is not told yet. */
  #pending: { since: number; changedAt: number } | null = null;

  constructor(options: WatchOptions) {
    this.#options = { quietMs: 300, maxWaitMs: 2000, ignore: isGit, isThere: () => true, ...options };
    this.ready = this.#lookAndGoOn();
    this.#looking = this.ready;
  }

  async close(): Promise<ChangeTimes | null> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#look();
    return this.#times;
  }

  #goOn(): void {
    this.#looking = this.#lookAndGoOn();
  }

  async #lookAndGoOn(): Promise<void> {
    const workedMs = await this.#look();
    if (!this.#isClosed) this.#tell();
    const pauseMs = Math.max(LOOK_EVERY_MS, workedMs / MAX_SHARE);
    // Who is told may close it.
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#goOn(), pauseMs).unref();
  }

  /** Gives the time that looking took. */
  async #look(): Promise<number> {
    if (!this.#options.isThere()) return 0;
    const lookedAt = performance.now();
    const { look, workedMs } = await this.#scan();
    this.#note(look, lookedAt);
    return workedMs;
  }

  async #scan(): Promise<{ look: Look; workedMs: number }> {
    const breather = new Breather();
    const { path, ignore } = this.#options;
    const seenMs = this.#last?.latestMs ?? 0;
    let [count, sum, earliestMs, latestMs] = [0, 0, Infinity, 0];
    const time = (ms: number) => {
      latestMs = Math.max(latestMs, ms);
      if (ms > seenMs) earliestMs = Math.min(earliestMs, ms);
    };
    // Of the folder itself, which tells when something was deleted from it.
    time(lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0);
    await walkFolder(path, {
      ignore,
      breather,
      visit: ({ stats }) => {
        count += 1;
        // As whole numbers that wrap around: a sum of such large ones would lose their small parts.
        sum = (sum + Math.floor(stats.ctimeMs * 1000 + stats.ino)) | 0;
        time(stats.ctimeMs);
      },
    });
    return { look: { count, sum, latestMs, earliestMs: Math.min(earliestMs, latestMs) }, workedMs: breather.workedMs };
  }

  #note(look: Look, lookedAt: number): void {
    const last = this.#last;
    const isChanged = last !== null && (last.count !== look.count || last.sum !== look.sum);
    if (isChanged) this.#addChange(look);
    this.#last = look;
    this.#lookedAt = lookedAt;
  }

  #addChange({ earliestMs, latestMs }: Look): void {
    const [now, nowMs] = [performance.now(), Date.now()];
    // A clock that was set meanwhile must not put it before the last look or after this one.
    const timeOf = (ms: number) => Math.min(now, Math.max(this.#lookedAt, now - (nowMs - ms)));
    const [since, changedAt] = [timeOf(earliestMs), timeOf(latestMs)];
    this.#times = { firstAt: this.#times?.firstAt ?? since, lastAt: changedAt };
    this.#pending = { since: this.#pending?.since ?? since, changedAt };
  }

  #tell(): void {
    if (this.#pending === null) return;
    const { since, changedAt } = this.#pending;
    const now = performance.now();
    if (now - changedAt < this.#options.quietMs && now - since < this.#options.maxWaitMs) return;
    this.#pending = null;
    this.#options.onQuiet(changedAt);
  }
}
