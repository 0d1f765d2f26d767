import { chmod, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { type CommandResult, runCommand } from "../exec/index.js";
import { takeLastLines } from "./built-in-grader.js";
import { duration, path, text } from "./config.js";
import { type GradedInput, requireWorkspace, resolveInside } from "./graded-workspace.js";

const DEFAULT_TIMEOUT_MS = 30_000;

/** Config keys shared by graders that run something in the workspace. */
export const runConfig = {
  args: z.array(text, "must be a list of strings").optional(),
  timeout: duration.default(DEFAULT_TIMEOUT_MS),
  sub_path: path.default("."),
  env: z.record(z.string(), text).default({}),
  files: z
    .array(
      z.strictObject({ dest: path, content: text, encoding: z.literal("base64").optional() }),
      "must be a list of { dest, content }",
    )
    .default([]),
};

export type RunSettings = z.output<z.ZodObject<typeof runConfig>>;

export interface FolderCommand {
  readonly command: string;
  /** True if `command` is a shell command line. */
  readonly shell: boolean;
  /** Standard input. Default: none. */
  readonly input?: string;
}

/**
 * Runs a command in the workspace after writing the config's files. Null if `sub_path` is not a folder in it; throws a
 * `UsageError` if the command cannot be started.
 */
export async function runInFolder(
  what: FolderCommand,
  settings: RunSettings,
  graded: GradedInput,
): Promise<CommandResult | null> {
  const folder = requireWorkspace(graded);
  await writeGraderFiles(folder, settings.files);
  const cwd = await resolveInside(folder, settings.sub_path);
  if (cwd === null) return null;
  return runCommand({
    ...what,
    args: settings.args ?? [],
    cwd,
    env: { ...graded.env, ...settings.env },
    timeoutMs: settings.timeout,
    signal: graded.signal,
    folders: [folder],
    box: graded.box ?? undefined,
  });
}

export function describeCommandExit({ code, signal }: CommandResult): string {
  return code === null ? `was killed by ${signal ?? "a signal"}` : `exited with code ${code}`;
}

/** The last lines of each non-empty stream, for evidence. */
export function formatStreams({ stdout, stderr }: CommandResult): string[] {
  const streams = { stdout, stderr };
  return Object.entries(streams).flatMap(([name, output]) => {
    return output.trim() === "" ? [] : [`${name}: ${takeLastLines(output)}`];
  });
}

/** A file that a grader provides. */
interface GraderFile {
  /** Relative to the workspace. */
  readonly dest: string;
  readonly content: string;
  /** The encoding of the content, if it is not text. */
  readonly encoding?: "base64" | undefined;
}

/**
 * Writes files into a folder and overwrites existing ones. Links on the way are removed, not followed: an agent may have
 * left links that lead outside.
 */
async function writeGraderFiles(folder: string, files: readonly GraderFile[]): Promise<void> {
  const root = await realpath(folder);
  for (const { dest, content, encoding = "utf8" } of files) {
    await makeRealFolder(root, dirname(dest));
    const path = join(root, dest);
    await rm(path, { recursive: true, force: true });
    await writeFile(path, content, { encoding, flag: "wx" });
  }
}

async function makeRealFolder(root: string, folder: string): Promise<void> {
  let path = root;
  for (const name of folder.split("/").filter((part) => part !== "" && part !== ".")) {
    await makeFolderWritable(path);
    path = join(path, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isDirectory() === true) continue;
    if (found !== null) await rm(path, { force: true });
    await mkdir(path);
  }
  await makeFolderWritable(path);
}

/** Agents may leave folders that are not writable. */
async function makeFolderWritable(folder: string): Promise<void> {
  const { mode } = await lstat(folder);
  if ((mode & 0o300) !== 0o300) await chmod(folder, mode | 0o700);
}
