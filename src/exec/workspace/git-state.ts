import { hash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { bytesAt, linkTarget } from "./file-content.js";
import { stagedIn } from "./git-index.js";
import { walkFolder } from "./walk-folder.js";

/** All that is said of it when files alone are kept. */
const GIT_NOT_KEPT = "what the agent did in git, such as a commit, is not kept";

/** No ref is this long, and an index of that length is of a million files. */
const MAX_BYTES = 128 * 2 ** 20;

/** By the paths of their `.git`: a digest of what git knows of the work in each repository. */
export type GitStates = ReadonlyMap<string, string>;

/** Of the repositories whose `.git` are at these paths below a folder. */
export async function gitStatesIn(folder: string, paths: readonly string[]): Promise<GitStates> {
  const states = new Map<string, string>();
  for (const path of paths) {
    const state = await stateOf(join(folder, path));
    if (state !== null) states.set(path, state);
  }
  return states;
}

/** What there is to say when git knows something else than before; null when it does not. */
export function gitProblem(before: GitStates, now: GitStates): string | null {
  const isSame = before.size === now.size && [...before].every(([path, state]) => now.get(path) === state);
  return isSame ? null : GIT_NOT_KEPT;
}

/** True when the changes to files are all there, and only what git knows of them is not. */
export function isAboutGitAlone(incomplete: string): boolean {
  return incomplete === GIT_NOT_KEPT;
}

/** Where HEAD and all refs are, and what is staged; null when it is no repository. */
async function stateOf(git: string): Promise<string | null> {
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return stats === undefined ? null : pointerOf(git);
  const head = textAt(join(git, "HEAD"));
  if (head === null) return null;
  const index = fileAt(join(git, "index"));
  const staged = index === null ? "" : stagedIn(index);
  return digestOf([head, await refsOf(git), textAt(join(git, "reftable", "tables.list")) ?? "", staged]);
}

/** Of a worktree or a submodule, whose repository lies elsewhere. */
function pointerOf(git: string): string | null {
  const target = linkTarget(git) ?? textAt(git);
  return target === null ? null : digestOf([target]);
}

/** By their names, wherever git has put them: it packs them now and then. */
async function refsOf(git: string): Promise<string> {
  const refs = new Map<string, string>();
  for (const line of (textAt(join(git, "packed-refs")) ?? "").split("\n")) {
    const [, id, name] = /^([0-9a-f]+) (\S+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  await walkFolder(join(git, "refs"), {
    ignore: () => false,
    visit: ({ path, place, stats }) => {
      if (stats.isFile()) refs.set(`refs/${path}`, (textAt(place) ?? "").trim());
    },
  });
  return JSON.stringify([...refs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textAt(place: string): string | null {
  return fileAt(place)?.toString("utf8") ?? null;
}

/** Null for what is no file, such as a pipe, which would be waited for. */
function fileAt(place: string): Buffer | null {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_BYTES ? bytesAt(place) : null;
}

function digestOf(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "base64");
}
