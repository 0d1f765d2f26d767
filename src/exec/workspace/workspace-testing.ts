import { execFileSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterEach, beforeEach } from "vitest";

/** Creates a folder for each test. */
export function createTestFolder(): { readonly path: string } {
  const folder = { path: "" };
  beforeEach(() => {
    folder.path = mkdtempSync(join(tmpdir(), "assay-workspace-test-"));
  });
  afterEach(() => rmSync(folder.path, { recursive: true, force: true }));
  return folder;
}

/**
 * The time of a file written now, by `performance.now()`. The kernel's clock for files stands still while the processor
 * that moves it is busy elsewhere, so it can be far behind.
 */
export function readFileClock(): number {
  const folder = mkdtempSync(join(tmpdir(), "assay-file-clock-"));
  const { ctimeMs } = lstatSync(folder);
  rmSync(folder, { recursive: true });
  return performance.now() - (Date.now() - ctimeMs);
}

export function writeTestFile(folder: string, path: string, content: string | Buffer = ""): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Everything that counts in a folder: files with bytes and mode, links with targets, empty folders. */
export function readFolderContents(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true });
  const counted = entries.filter((entry) => !entry.isDirectory() || isEmptyFolder(join(entry.parentPath, entry.name)));
  const paths = counted.map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().flatMap((path) => {
      const name = relative(folder, path);
      return name.split("/").includes(".git") ? [] : [[name, readEntryContent(path)]];
    }),
  );
}

function isEmptyFolder(folder: string): boolean {
  return readdirSync(folder).length === 0;
}

function readEntryContent(path: string): string {
  if (lstatSync(path).isDirectory()) return "(empty)";
  try {
    return `-> ${readlinkSync(path)}`;
  } catch {
    return `${(statSync(path).mode & 0o100) === 0 ? "" : "x "}${readFileSync(path).toString("latin1")}`;
  }
}

/** Runs git with a fixed identity and without the user's settings. */
export function runGit(folder: string, ...args: string[]): string {
  const who = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  return execFileSync("git", [...who, ...args], { cwd: folder, env, encoding: "utf8", stdio: "pipe" }).trim();
}

/** A repository with the commits `one` (tagged v1), `two` and, on a branch `later`, `three`; each writes its name to a.txt. */
export function createTestRepository(folder: string): { one: string; two: string; three: string } {
  mkdirSync(folder, { recursive: true });
  runGit(folder, "init", "--quiet", "--initial-branch=main");
  const commit = (text: string) => {
    writeTestFile(folder, "a.txt", `${text}\n`);
    runGit(folder, "add", ".");
    runGit(folder, "commit", "--quiet", "-m", text);
    return runGit(folder, "rev-parse", "HEAD");
  };
  const one = commit("one");
  runGit(folder, "tag", "v1");
  const two = commit("two");
  runGit(folder, "checkout", "--quiet", "-b", "later");
  const three = commit("three");
  runGit(folder, "checkout", "--quiet", "main");
  return { one, two, three };
}
