import { hash } from "node:crypto";
import { lstatSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bytesAt, linkTarget } from "./diff.js";
import { walkFolder } from "./folder.js";
import { WorkspaceError } from "./workspace-error.js";

export interface CheckoutOptions {
  readonly url: string;
  readonly ref?: string;
  /** An empty folder. */
  readonly into: string;
  /** A place for what is only needed meanwhile. */
  readonly scratch: string;
  /** Runs git with these arguments in `into`, and gives back what it prints. */
  readonly git: (args: readonly string[]) => Promise<string>;
}

/** What is fetched, and the branch it becomes; without one, HEAD is detached as after a checkout of a commit. */
interface Target {
  readonly source: string;
  readonly branch?: string;
}

const MEANWHILE = "refs/assay/target";

/**
 * Checks a repository out with the history of the ref alone, and without a remote: what came later, which may hold the
 * solution, is not there, and nothing can be pushed to a repository of the user's.
 */
export async function checkOut(options: CheckoutOptions): Promise<void> {
  const { into, git } = options;
  await git(["init", "--quiet", "--template="]);
  const target = await findTarget(options);
  if (target === null || !(await isFetched(options, target))) await fetchByRevision(options);
  if (target?.branch !== undefined) await git(["symbolic-ref", "HEAD", `refs/heads/${target.branch}`]);
  await git(["checkout", "--quiet", "--force", ...(target?.branch === undefined ? ["--detach"] : []), refOf(target)]);
  if (target?.branch === undefined) await git(["update-ref", "-d", MEANWHILE]);
  await rm(join(into, ".git", "FETCH_HEAD"), { force: true });
}

/** Null when the repository does not list it: a short commit id, for example. */
async function findTarget({ url, ref, git }: CheckoutOptions): Promise<Target | null> {
  const branch = `refs/heads/${ref}`;
  const tag = `refs/tags/${ref}`;
  const wanted = ref === undefined ? ["HEAD"] : [branch, tag, ref];
  const listed = await git(["ls-remote", "--symref", "--", url, ...wanted]);
  const names = new Set(listed.split("\n").map((line) => line.split("\t")[1]));
  if (ref === undefined) return headOf(listed, names.has("HEAD"), url);
  if (names.has(branch)) return { source: branch, branch: ref };
  if (names.has(tag)) return { source: tag };
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref) ? { source: ref } : null;
}

function headOf(listed: string, isThere: boolean, url: string): Target {
  if (!isThere)
    throw new WorkspaceError(`The repository ${url} has nothing to check out. Commit something, or name a ref.`);
  const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed)?.[1];
  return branch === undefined ? { source: "HEAD" } : { source: `refs/heads/${branch}`, branch };
}

function refOf(target: Target | null): string {
  if (target?.branch !== undefined) return target.branch;
  return target?.source.startsWith("refs/tags/") === true ? target.source : MEANWHILE;
}

/** False when the server does not give it by its id. */
async function isFetched({ url, git }: CheckoutOptions, target: Target): Promise<boolean> {
  try {
    await fetchOne(git, url, target);
    return true;
  } catch (error) {
    const isId = !target.source.startsWith("refs/") && target.source !== "HEAD";
    if (isId && error instanceof WorkspaceError) return false;
    throw error;
  }
}

function fetchOne(git: CheckoutOptions["git"], url: string, { source, branch }: Target): Promise<string> {
  const into = branch !== undefined || source.startsWith("refs/tags/") ? source : MEANWHILE;
  // Tags in the history come along, for programs that name their version after them.
  return git(["fetch", "--quiet", "--update-head-ok", "--update-shallow", "--", url, `+${source}:${into}`]);
}

/** For anything else that git understands, all of the repository is needed to look it up. */
async function fetchByRevision({ url, ref, scratch, git }: CheckoutOptions): Promise<void> {
  const all = join(scratch, "all.git");
  try {
    await git(["clone", "--quiet", "--bare", "--template=", "--", url, all]);
    const commit = await commitOf({ git, all, url, ref: String(ref) });
    await git(["-C", all, "update-ref", "refs/heads/assay-target", commit]);
    await fetchOne(git, all, { source: commit });
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}

interface Revision extends Pick<CheckoutOptions, "git" | "url"> {
  readonly all: string;
  readonly ref: string;
}

async function commitOf({ git, all, url, ref }: Revision): Promise<string> {
  try {
    return (await git(["-C", all, "rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`])).trim();
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    throw new WorkspaceError(`The repository ${url} has no branch, tag or commit "${ref}". Check git.ref.`, { cause });
  }
}

const IDENTITY = "[user]\n\tname = agent\n\temail = agent@localhost\n[init]\n\tdefaultBranch = main\n";

/** So that what is run in the folder can commit: with an empty home git does not know who does. */
export function writeGitIdentity(home: string): Promise<void> {
  return writeFile(join(home, ".gitconfig"), IDENTITY);
}

/**
 * Variables for a checkout: the user's git without their system's settings, prompts and helpers. A repository that
 * belongs to someone else is read all the same: nothing of it is run.
 */
export async function gitCheckoutEnv(settings: string, home: string): Promise<Record<string, string>> {
  const own = join(home, ".gitconfig").replaceAll(/["\\]/g, "\\$&");
  await writeFile(settings, `[include]\n\tpath = "${own}"\n[safe]\n\tdirectory = *\n`);
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: settings,
    GIT_TERMINAL_PROMPT: "0",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  };
}

/** No hooks, nothing that goes on in the background, and no record of where it came from. */
export const CHECKOUT_SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.logAllRefUpdates", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

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

/** Times, owners and sizes of files, which git writes anew whenever it is asked for a status. */
const FILE_FIGURES = 40;
const [MODE_AT, MODE_BYTES] = [24, 4];
const HEADER = 12;

/** What is staged in a repository, told by a digest that stays the same when only times in the index have changed. */
function stagedIn(index: Buffer): string {
  for (const idBytes of [20, 32]) {
    const staged = entriesOf(index, idBytes);
    if (staged !== null) return hash("sha256", staged, "base64");
  }
  return hash("sha256", index, "base64");
}

/** All entries without what changes by itself; null when they cannot be read with ids of this length. */
function entriesOf(index: Buffer, idBytes: number): Buffer | null {
  if (index.length < HEADER || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const parts: Buffer[] = [];
  let at = HEADER;
  for (let number = 0; number < count; number++) {
    const next = endOfEntry(index, { at, idBytes, version });
    if (next === null) return null;
    parts.push(index.subarray(at + MODE_AT, at + MODE_AT + MODE_BYTES), index.subarray(at + FILE_FIGURES, next));
    at = next;
  }
  return Buffer.concat(parts);
}

interface EntryPlace {
  readonly at: number;
  readonly idBytes: number;
  readonly version: number;
}

/** Null when it is not one. */
function endOfEntry(index: Buffer, { at, idBytes, version }: EntryPlace): number | null {
  const flagsAt = at + FILE_FIGURES + idBytes;
  if (flagsAt + 4 > index.length) return null;
  const flags = index.readUInt16BE(flagsAt);
  const isExtended = (flags & 0x4000) !== 0;
  if (isExtended && version === 2) return null;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  const nameEnd = index.indexOf(0, version === 4 ? afterNumber(index, nameAt) : nameAt);
  if (nameEnd === -1) return null;
  if (version === 4) return nameEnd + 1;
  // The length in the flags ends at 4095; that of a longer name is found by its end.
  const isNamed = nameEnd > nameAt && Math.min(nameEnd - nameAt, 0xfff) === (flags & 0xfff);
  return isNamed ? at + Math.ceil((nameEnd - at + 1) / 8) * 8 : null;
}

/** In the fourth version a name begins with a number, whose bytes have their highest bit set but for the last. */
function afterNumber(index: Buffer, at: number): number {
  let end = at;
  while (((index[end] ?? 0) & 0x80) !== 0) end += 1;
  return end + 1;
}
