import { hash } from "node:crypto";
import { lstatSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { tryReadBytes, tryReadLinkTarget } from "./diff.js";
import { walkFolder } from "./folder.js";
import { WorkspaceError } from "./workspace-error.js";

export interface CheckoutOptions {
  readonly url: string;
  readonly ref?: string;
  readonly into: string;
  /** A temporary folder. */
  readonly scratch: string;
  /** Runs git in `into` and returns its output. */
  readonly git: (args: readonly string[]) => Promise<string>;
}

/** The ref to fetch and the local branch to create; without a branch, HEAD is detached. */
interface CheckoutTarget {
  readonly source: string;
  readonly branch?: string;
}

const TARGET_REF = "refs/assay/target";

/**
 * Checks out a repository with the history of the ref only and without a remote: later commits, which may contain the
 * solution, are not available, and nothing can be pushed to the user's repository.
 */
export async function checkOut(options: CheckoutOptions): Promise<void> {
  const { into, git } = options;
  await git(["init", "--quiet", "--template="]);
  const target = await findTarget(options);
  if (target === null || !(await tryFetchTarget(options, target))) await fetchByRevision(options);
  if (target?.branch !== undefined) await git(["symbolic-ref", "HEAD", `refs/heads/${target.branch}`]);
  await git([
    "checkout",
    "--quiet",
    "--force",
    ...(target?.branch === undefined ? ["--detach"] : []),
    getTargetRef(target),
  ]);
  if (target?.branch === undefined) await git(["update-ref", "-d", TARGET_REF]);
  await rm(join(into, ".git", "FETCH_HEAD"), { force: true });
}

/** Null when the repository does not list the ref, such as a short commit id. */
async function findTarget({ url, ref, git }: CheckoutOptions): Promise<CheckoutTarget | null> {
  const branch = `refs/heads/${ref}`;
  const tag = `refs/tags/${ref}`;
  const wanted = ref === undefined ? ["HEAD"] : [branch, tag, ref];
  const listed = await git(["ls-remote", "--symref", "--", url, ...wanted]);
  const names = new Set(listed.split("\n").map((line) => line.split("\t")[1]));
  if (ref === undefined) return parseHeadTarget(listed, names.has("HEAD"), url);
  if (names.has(branch)) return { source: branch, branch: ref };
  if (names.has(tag)) return { source: tag };
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref) ? { source: ref } : null;
}

function parseHeadTarget(listed: string, isThere: boolean, url: string): CheckoutTarget {
  if (!isThere)
    throw new WorkspaceError(`The repository ${url} has nothing to check out. Commit something, or name a ref.`);
  const branch = /^ref: refs\/heads\/(.+)\tHEAD$/m.exec(listed)?.[1];
  return branch === undefined ? { source: "HEAD" } : { source: `refs/heads/${branch}`, branch };
}

function getTargetRef(target: CheckoutTarget | null): string {
  if (target?.branch !== undefined) return target.branch;
  return target?.source.startsWith("refs/tags/") === true ? target.source : TARGET_REF;
}

/** False when the server does not allow fetching by commit id. */
async function tryFetchTarget({ url, git }: CheckoutOptions, target: CheckoutTarget): Promise<boolean> {
  try {
    await fetchTarget(git, url, target);
    return true;
  } catch (error) {
    const isId = !target.source.startsWith("refs/") && target.source !== "HEAD";
    if (isId && error instanceof WorkspaceError) return false;
    throw error;
  }
}

function fetchTarget(git: CheckoutOptions["git"], url: string, { source, branch }: CheckoutTarget): Promise<string> {
  const into = branch !== undefined || source.startsWith("refs/tags/") ? source : TARGET_REF;
  // Includes tags in the history, for programs that derive their version from them.
  return git(["fetch", "--quiet", "--update-head-ok", "--update-shallow", "--", url, `+${source}:${into}`]);
}

/** Other revisions can only be resolved in a full clone. */
async function fetchByRevision({ url, ref, scratch, git }: CheckoutOptions): Promise<void> {
  const all = join(scratch, "all.git");
  try {
    await git(["clone", "--quiet", "--bare", "--template=", "--", url, all]);
    const commit = await resolveCommit({ git, all, url, ref: String(ref) });
    await git(["-C", all, "update-ref", "refs/heads/assay-target", commit]);
    await fetchTarget(git, all, { source: commit });
  } finally {
    await rm(all, { recursive: true, force: true });
  }
}

interface Revision extends Pick<CheckoutOptions, "git" | "url"> {
  readonly all: string;
  readonly ref: string;
}

async function resolveCommit({ git, all, url, ref }: Revision): Promise<string> {
  try {
    return (await git(["-C", all, "rev-parse", "--verify", "--quiet", "--end-of-options", `${ref}^{commit}`])).trim();
  } catch (cause) {
    if (!(cause instanceof WorkspaceError)) throw cause;
    throw new WorkspaceError(`The repository ${url} has no branch, tag or commit "${ref}". Check git.ref.`, { cause });
  }
}

const GIT_IDENTITY = "[user]\n\tname = agent\n\temail = agent@localhost\n[init]\n\tdefaultBranch = main\n";

/** Lets commands in the folder commit: with an empty home git has no identity. */
export function writeGitIdentity(home: string): Promise<void> {
  return writeFile(join(home, ".gitconfig"), GIT_IDENTITY);
}

/**
 * Environment for a checkout: the user's git settings without system settings, prompts and helpers. Repositories of other
 * users are allowed, because nothing in them is run.
 */
export async function createGitCheckoutEnv(settings: string, home: string): Promise<Record<string, string>> {
  const own = join(home, ".gitconfig").replaceAll(/["\\]/g, "\\$&");
  await writeFile(settings, `[include]\n\tpath = "${own}"\n[safe]\n\tdirectory = *\n`);
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: settings,
    GIT_TERMINAL_PROMPT: "0",
    GIT_SSH_COMMAND: "ssh -oBatchMode=yes",
  };
}

/** No hooks, no background tasks, and no record of the source. */
export const CHECKOUT_SETTINGS = [
  ["core.hooksPath", "/dev/null"],
  ["core.logAllRefUpdates", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["advice.detachedHead", "false"],
].flatMap(([name, value]) => ["-c", `${name}=${value}`]);

/** Recorded because only files are kept. */
const GIT_WORK_LOST = "what the agent did in git, such as a commit, is not kept";

/** More than any ref; an index of this size has a million files. */
const MAX_BYTES = 128 * 2 ** 20;

/** Path of each `.git` → digest of its repository's state. */
export type GitStates = ReadonlyMap<string, string>;

/** `paths` are the paths of the `.git` folders. */
export async function readGitStates(folder: string, paths: readonly string[]): Promise<GitStates> {
  const states = new Map<string, string>();
  for (const path of paths) {
    const state = await readGitState(join(folder, path));
    if (state !== null) states.set(path, state);
  }
  return states;
}

/** Returns what to report when a git state changed; null when none did. */
export function describeGitProblem(before: GitStates, now: GitStates): string | null {
  const isSame = before.size === now.size && [...before].every(([path, state]) => now.get(path) === state);
  return isSame ? null : GIT_WORK_LOST;
}

/** True when all file changes are included and only git's state is missing. */
export function isGitProblemOnly(incomplete: string): boolean {
  return incomplete === GIT_WORK_LOST;
}

/** HEAD, all refs and what is staged; null when it is not a repository. */
async function readGitState(git: string): Promise<string | null> {
  const stats = lstatSync(git, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return stats === undefined ? null : resolveGitPointer(git);
  const head = tryReadGitText(join(git, "HEAD"));
  if (head === null) return null;
  const index = tryReadGitFile(join(git, "index"));
  const staged = index === null ? "" : describeStaged(index);
  return hashParts([head, await readGitRefs(git), tryReadGitText(join(git, "reftable", "tables.list")) ?? "", staged]);
}

/** For worktrees and submodules, whose repository is elsewhere. */
function resolveGitPointer(git: string): string | null {
  const target = tryReadLinkTarget(git) ?? tryReadGitText(git);
  return target === null ? null : hashParts([target]);
}

/** Sorted by name, whether loose or packed. */
async function readGitRefs(git: string): Promise<string> {
  const refs = new Map<string, string>();
  for (const line of (tryReadGitText(join(git, "packed-refs")) ?? "").split("\n")) {
    const [, id, name] = /^([0-9a-f]+) (\S+)$/.exec(line) ?? [];
    if (id !== undefined && name !== undefined) refs.set(name, id);
  }
  await walkFolder(join(git, "refs"), {
    ignore: () => false,
    visit: ({ path, place, stats }) => {
      if (stats.isFile()) refs.set(`refs/${path}`, (tryReadGitText(place) ?? "").trim());
    },
  });
  return JSON.stringify([...refs].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function tryReadGitText(place: string): string | null {
  return tryReadGitFile(place)?.toString("utf8") ?? null;
}

/** Null for special files such as pipes, which would block. */
function tryReadGitFile(place: string): Buffer | null {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  return stats?.isFile() === true && stats.size <= MAX_BYTES ? tryReadBytes(place) : null;
}

function hashParts(parts: readonly string[]): string {
  return hash("sha256", JSON.stringify(parts), "base64");
}

/** Times, owners and sizes of files, which git rewrites on every status. */
const STAT_BYTES = 40;
const [MODE_AT, MODE_BYTES] = [24, 4];
const HEADER_BYTES = 12;

/** A digest of the staged files that ignores changed times in the index. */
function describeStaged(index: Buffer): string {
  for (const idBytes of [20, 32]) {
    const staged = extractIndexEntries(index, idBytes);
    if (staged !== null) return hash("sha256", staged, "base64");
  }
  return hash("sha256", index, "base64");
}

/** All entries without volatile fields; null when they cannot be parsed with this id length. */
function extractIndexEntries(index: Buffer, idBytes: number): Buffer | null {
  if (index.length < HEADER_BYTES || index.toString("latin1", 0, 4) !== "DIRC") return null;
  const [version, count] = [index.readUInt32BE(4), index.readUInt32BE(8)];
  if (version < 2 || version > 4) return null;
  const parts: Buffer[] = [];
  let at = HEADER_BYTES;
  for (let number = 0; number < count; number++) {
    const next = findEntryEnd(index, { at, idBytes, version });
    if (next === null) return null;
    parts.push(index.subarray(at + MODE_AT, at + MODE_AT + MODE_BYTES), index.subarray(at + STAT_BYTES, next));
    at = next;
  }
  return Buffer.concat(parts);
}

interface IndexEntryPosition {
  readonly at: number;
  readonly idBytes: number;
  readonly version: number;
}

/** Null when it is not a valid entry. */
function findEntryEnd(index: Buffer, { at, idBytes, version }: IndexEntryPosition): number | null {
  const flagsAt = at + STAT_BYTES + idBytes;
  if (flagsAt + 4 > index.length) return null;
  const flags = index.readUInt16BE(flagsAt);
  const isExtended = (flags & 0x4000) !== 0;
  if (isExtended && version === 2) return null;
  const nameAt = flagsAt + (isExtended ? 4 : 2);
  const nameEnd = index.indexOf(0, version === 4 ? skipNumber(index, nameAt) : nameAt);
  if (nameEnd === -1) return null;
  if (version === 4) return nameEnd + 1;
  // Name lengths in the flags end at 4095; longer names end with a null byte.
  const isNamed = nameEnd > nameAt && Math.min(nameEnd - nameAt, 0xfff) === (flags & 0xfff);
  return isNamed ? at + Math.ceil((nameEnd - at + 1) / 8) * 8 : null;
}

/** In version 4 a name begins with a variable-length number, whose bytes all have the high bit set except the last. */
function skipNumber(index: Buffer, at: number): number {
  let end = at;
  while (((index[end] ?? 0) & 0x80) !== 0) end += 1;
  return end + 1;
}
