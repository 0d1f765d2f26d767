import { rm } from "node:fs/promises";
import { join } from "node:path";
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
