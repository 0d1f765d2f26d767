import { statfs } from "node:fs/promises";
import { walkFolder } from "../workspace/folder.js";

const POLL_INTERVAL_MS = 250;

/** A program that makes this many files is filling the disk too. */
const MAX_FILES = 2_000_000;

const BLOCK_BYTES = 512;

/** Room on the disk of a folder. */
interface FreeSpace {
  readonly bytes: number;
  readonly files: number;
}

/** What counts as use of the disk. */
export interface DiskUse {
  readonly folders: readonly string[];
  /** Where free space is looked at. Default: the first folder. */
  readonly disks?: readonly string[];
  /** Bytes besides those of the folders. */
  readonly measureMore?: () => Promise<number>;
}

/**
 * Calls `exceeded` when the folders take more of the disk than allowed. Looking at the free space is cheap; the folders are
 * only measured when so much is gone from a disk that it could be theirs. Returns a function that stops watching.
 */
export function watchDisk(
  { folders, disks = folders.slice(0, 1), measureMore }: DiskUse,
  limitBytes: number,
  exceeded: () => void,
): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const before = new Map<string, FreeSpace>();
  const isLess = async (disk: string) => {
    const now = await measureFreeSpace(disk);
    const then = before.get(disk) ?? now;
    if (then !== null) before.set(disk, then);
    return now !== null && then !== null && mayBeTooMuch(then, now, limitBytes);
  };
  const look = async () => {
    if ((await Promise.all(disks.map(isLess))).includes(true)) {
      const used = await measureFolders(folders);
      const bytes = used.bytes + ((await measureMore?.()) ?? 0);
      if (!isOver && (bytes > limitBytes || used.files > MAX_FILES)) return exceeded();
    }
    if (!isOver) timer = setTimeout(() => void look(), POLL_INTERVAL_MS).unref();
  };
  void look();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Half of the limit may have been there before, as part of the set-up. */
function mayBeTooMuch(before: FreeSpace, now: FreeSpace, limitBytes: number): boolean {
  return before.bytes - now.bytes > limitBytes / 2 || before.files - now.files > MAX_FILES / 2;
}

async function measureFreeSpace(folder: string): Promise<FreeSpace | null> {
  try {
    const { bsize, bfree, ffree } = await statfs(folder);
    return { bytes: bsize * bfree, files: ffree };
  } catch {
    return null;
  }
}

async function measureFolders(folders: readonly string[]): Promise<FreeSpace> {
  let [bytes, files] = [0, 0];
  const visit = ({ stats }: { stats: { blocks: number } }) => {
    bytes += BLOCK_BYTES * stats.blocks;
    files += 1;
  };
  for (const folder of folders) await walkFolder(folder, { ignore: () => false, visit });
  return { bytes, files };
}
