import { lstatSync, type Stats } from "node:fs";
import { isGitFolder, walkFolder } from "./folder.js";
import { YieldTimer } from "./yield-timer.js";

const SCAN_INTERVAL_MS = 250;

/** Maximum share of a core used for scanning, however large the folder is. */
const MAX_CPU_SHARE = 0.03;

export interface WatchFolderOptions {
  readonly path: string;
  /** Time without changes before `onQuiet` is called. Default: 300 ms. */
  readonly quietMs?: number;
  /** Maximum time before `onQuiet` is called while changes continue. Default: 2 s. */
  readonly maxWaitMs?: number;
  /** Called with the time of the last change, by `performance.now()`. */
  readonly onQuiet: (changedAt: number) => void;
  /** Paths to ignore, relative to the folder. Default: `.git`. */
  readonly ignore?: (path: string) => boolean;
  /** False when the folder was replaced, so that it is not read. */
  readonly exists?: () => boolean;
}

/** Times of the first and last change, by `performance.now()`. */
interface ChangeTimes {
  readonly firstAt: number;
  readonly lastAt: number;
}

export interface FolderWatch {
  /** Resolves after the first scan; later changes are seen. */
  readonly ready: Promise<void>;
  /** Scans a last time and returns the change times; null when nothing changed. `onQuiet` is not called any more. */
  close(): Promise<ChangeTimes | null>;
}

/**
 * Reports when a folder has changed and is quiet again, by polling file times: that needs no system support, misses
 * nothing, and gives the time of a change however late it is seen.
 * @example
 * const watch = watchFolder({ path: workspace.path, onQuiet: (changedAt) => console.log(changedAt) });
 * const times = await watch.close(); // { firstAt: 210.5, lastAt: 1934.2 }
 */
export function watchFolder(options: WatchFolderOptions): FolderWatch {
  return new ScanningFolderWatch(options);
}

/** Enough to detect any change, because every change updates a time of a file or of its folder. */
interface FolderScan {
  readonly count: number;
  readonly sum: number;
  /** Times of the first change since the previous scan, and of the last change of all. */
  readonly earliestMs: number;
  readonly latestMs: number;
  /** Inodes with the last time. File times move in steps of milliseconds, so a change can have the same one. */
  readonly latestInodes: ReadonlySet<number>;
}

class ScanningFolderWatch implements FolderWatch {
  readonly #options: Required<WatchFolderOptions>;
  #timer: NodeJS.Timeout | undefined;
  readonly ready: Promise<void>;
  #looking: Promise<void>;
  #isClosed = false;
  #last: FolderScan | null = null;
  #lookedAt = performance.now();
  #times: ChangeTimes | null = null;
  /** The first and last change not reported yet. */
  #pending: { since: number; changedAt: number } | null = null;

  constructor(options: WatchFolderOptions) {
    this.#options = { quietMs: 300, maxWaitMs: 2000, ignore: isGitFolder, exists: () => true, ...options };
    this.ready = this.#scanAndReschedule();
    this.#looking = this.ready;
  }

  async close(): Promise<ChangeTimes | null> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#looking;
    await this.#checkForChanges();
    return this.#times;
  }

  #scheduleScan(): void {
    this.#looking = this.#scanAndReschedule();
  }

  async #scanAndReschedule(): Promise<void> {
    const workedMs = await this.#checkForChanges();
    if (!this.#isClosed) this.#notifyQuiet();
    const pauseMs = Math.max(SCAN_INTERVAL_MS, workedMs / MAX_CPU_SHARE);
    // The callback may close the watch.
    if (!this.#isClosed) this.#timer = setTimeout(() => this.#scheduleScan(), pauseMs).unref();
  }

  /** Returns the time the scan took. */
  async #checkForChanges(): Promise<number> {
    if (!this.#options.exists()) return 0;
    const lookedAt = performance.now();
    const { look, workedMs } = await this.#scan();
    this.#compareScan(look, lookedAt);
    return workedMs;
  }

  async #scan(): Promise<{ look: FolderScan; workedMs: number }> {
    const yieldTimer = new YieldTimer();
    const { path, ignore } = this.#options;
    const last = this.#last;
    const latestInodes = new Set<number>();
    let [count, sum, earliestMs, latestMs] = [0, 0, Infinity, 0];
    const isNew = (ms: number, inode: number) =>
      last === null || ms > last.latestMs || (ms === last.latestMs && !last.latestInodes.has(inode));
    const addTime = ({ ctimeMs: ms, ino }: Stats) => {
      if (isNew(ms, ino)) earliestMs = Math.min(earliestMs, ms);
      if (ms > latestMs) latestInodes.clear();
      latestMs = Math.max(latestMs, ms);
      if (ms === latestMs) latestInodes.add(ino);
    };
    // The folder itself, whose time changes when an entry is deleted.
    const folder = lstatSync(path, { throwIfNoEntry: false });
    if (folder !== undefined) addTime(folder);
    await walkFolder(path, {
      ignore,
      yieldTimer,
      visit: ({ stats }) => {
        count += 1;
        // Integers that wrap around, because a floating-point sum would lose small differences.
        sum = (sum + Math.floor(stats.ctimeMs * 1000 + stats.ino)) | 0;
        addTime(stats);
      },
    });
    return {
      look: { count, sum, latestMs, latestInodes, earliestMs: Math.min(earliestMs, latestMs) },
      workedMs: yieldTimer.workedMs,
    };
  }

  #compareScan(look: FolderScan, lookedAt: number): void {
    const last = this.#last;
    const isChanged = last !== null && (last.count !== look.count || last.sum !== look.sum);
    if (isChanged) this.#addChange(look);
    this.#last = look;
    this.#lookedAt = lookedAt;
  }

  #addChange({ earliestMs, latestMs }: FolderScan): void {
    const [now, nowMs] = [performance.now(), Date.now()];
    // If the clock was set meanwhile, keep the time between the last scan and this one.
    const timeOf = (ms: number) => Math.min(now, Math.max(this.#lookedAt, now - (nowMs - ms)));
    const [since, changedAt] = [timeOf(earliestMs), timeOf(latestMs)];
    this.#times = { firstAt: this.#times?.firstAt ?? since, lastAt: changedAt };
    this.#pending = { since: this.#pending?.since ?? since, changedAt };
  }

  #notifyQuiet(): void {
    if (this.#pending === null) return;
    const { since, changedAt } = this.#pending;
    const now = performance.now();
    if (now - changedAt < this.#options.quietMs && now - since < this.#options.maxWaitMs) return;
    this.#pending = null;
    this.#options.onQuiet(changedAt);
  }
}
