import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The current commit of a folder, read without starting git; null outside a repository. */
export function readGitRevision(dir: string): string | null {
  try {
    const gitDir = findGitDir(resolve(dir));
    return gitDir === null ? null : resolveHead(gitDir);
  } catch {
    return null;
  }
}

function findGitDir(dir: string): string | null {
  const path = join(dir, ".git");
  if (existsSync(path)) return statSync(path).isDirectory() ? path : resolveLinkedGitDir(path);
  const parent = dirname(dir);
  return parent === dir ? null : findGitDir(parent);
}

/** A worktree's `.git` is a file that names the real folder. */
function resolveLinkedGitDir(path: string): string {
  return resolve(
    dirname(path),
    readFileSync(path, "utf8")
      .replace(/^gitdir:\s*/, "")
      .trim(),
  );
}

function resolveHead(gitDir: string): string | null {
  const head = readFileSync(join(gitDir, "HEAD"), "utf8").trim();
  if (!head.startsWith("ref: ")) return head;
  const ref = head.slice("ref: ".length);
  const commonFile = join(gitDir, "commondir");
  const common = existsSync(commonFile) ? resolve(gitDir, readFileSync(commonFile, "utf8").trim()) : gitDir;
  const loose = join(common, ref);
  if (existsSync(loose)) return readFileSync(loose, "utf8").trim();
  const packed = join(common, "packed-refs");
  if (!existsSync(packed)) return null;
  const line = readFileSync(packed, "utf8")
    .split("\n")
    .find((entry) => entry.endsWith(` ${ref}`));
  return line?.split(" ")[0] ?? null;
}
