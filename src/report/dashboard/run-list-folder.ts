import { readdirSync, type Stats, statSync } from "node:fs";
import { basename, join } from "node:path";
import { RUN_FILES } from "../../store/journal.js";
import { isRunLocked } from "../../store/lock.js";
import { CARD_FILE, type CardSources } from "./cards.js";

/** The current state of a run folder. */
export interface RunFolder {
  readonly id: string;
  readonly dir: string;
  readonly isRunning: boolean;
  /** Changes when one of the files changes that a card is made from. */
  readonly state: string;
  /** When its manifest was written. */
  readonly writtenAt: Date;
  /** The sources of a stored card; null when there is no card, or it is older than its sources. */
  readonly cardSources: CardSources | null;
  /** True when rows were written after the summary. */
  readonly hasNewerRows: boolean;
}

/** Checks a folder without reading its files; null when it is not a run. */
export function inspectRunFolder(dir: string): RunFolder | null {
  const manifest = statRunFile(join(dir, RUN_FILES.manifest));
  if (manifest === undefined) return null;
  const [summary, rows, card] = [RUN_FILES.summary, RUN_FILES.rows, CARD_FILE].map((name) =>
    statRunFile(join(dir, name)),
  );
  const lock = join(dir, RUN_FILES.lock);
  const isRunning = statRunFile(lock) !== undefined && isRunLocked(lock);
  const files = [manifest, summary, rows].map((file) => (file === undefined ? "-" : `${file.mtimeMs} ${file.size}`));
  return {
    id: basename(dir),
    dir,
    isRunning,
    state: [isRunning, ...files].join(" "),
    writtenAt: manifest.mtime,
    cardSources: isNewestFile(card, [manifest, summary, rows]) ? [manifest, summary, rows] : null,
    hasNewerRows: (rows?.mtimeMs ?? 0) > (summary?.mtimeMs ?? 0),
  };
}

function isNewestFile(card: Stats | undefined, others: readonly (Stats | undefined)[]): boolean {
  return card !== undefined && others.every((other) => other !== undefined && other.mtimeMs <= card.mtimeMs);
}

/** Empty when the folder does not exist. */
export function listFolderNames(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

function statRunFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
