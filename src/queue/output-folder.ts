import { chmodSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf, QueueError } from "../core/errors.js";

/** What workers call the files of large outputs. */
const NAME = /^[0-9a-f]{32}\.json$/;
/** Those, and what a worker that was killed while it wrote has left of them. */
const LEFT = /^[0-9a-f]{32}\.json(?:\.\d+\.[0-9a-f]{8}\.tmp)?$/;
/** What runs are called in Redis. */
const KEY = /^[^/\\]+-[0-9a-f]{8,16}$/;
/** The group of the folder may write, and what is made in it belongs to that group. */
const FOR_GROUP = 0o2770;
const STICKY = 0o1000;

/** Whether a worker gives such a name to a file. */
export function isSharedName(name: string): boolean {
  return NAME.test(name);
}

/**
 * Makes the folder of a run for large outputs, with the rights of the folder it is in, so that workers have nothing to do
 * but write there. Where the outer one lacks, nothing may be mounted: it is not made.
 */
export function makeSharedFolder(sharedDir: string, key: string): void {
  const folder = join(sharedDir, key);
  try {
    const { mode } = statSync(sharedDir);
    mkdirSync(folder, { recursive: true });
    giveRights(folder, (mode & 0o7777 & ~STICKY) | FOR_GROUP);
  } catch (cause) {
    throw new QueueError(
      `The folder for large outputs ${folder} cannot be made: ${messageOf(cause)}. Make or mount ${sharedDir}, with the right to write there.`,
      { cause },
    );
  }
}

/** Somebody else may have made it at an earlier start, and some file systems know no such rights. */
function giveRights(folder: string, mode: number): void {
  try {
    chmodSync(folder, mode);
  } catch {
    // Workers that cannot write there say so.
  }
}

/** Removes a file that is not needed any more. */
export function removeShared(folder: string, name: string): void {
  try {
    rmSync(join(folder, name), { force: true });
  } catch {
    // It goes with the folder, or costs room.
  }
}

/**
 * Removes what workers have left of a run, and its folder. The names come from Redis, so that nothing else is removed,
 * whatever they say.
 */
export function removeSharedFolder(sharedDir: string, key: string): void {
  if (!KEY.test(key)) return;
  const folder = join(sharedDir, key);
  try {
    for (const name of readdirSync(folder)) if (LEFT.test(name)) rmSync(join(folder, name), { force: true });
    rmdirSync(folder);
  } catch {
    // It is not seen from here, or somebody has put something else there.
  }
}
