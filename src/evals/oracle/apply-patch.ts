import { dirname } from "node:path";
import { type CommandResult, runCommand } from "../../exec/process/index.js";
import { scrubbedEnv } from "../../exec/workspace/index.js";
import { PatchError } from "./patch-error.js";

const TIMEOUT_MS = 120_000;
const LONGEST_WORDS = 2000;

export interface PatchToApply {
  /** The folder that it is applied in; it need not be a repository. */
  readonly folder: string;
  readonly patch: string;
  readonly home: string;
  readonly tmp: string;
  readonly signal: AbortSignal;
}

/** Applies a patch to the files of a folder, all of it or nothing; throws with what git says when it does not apply. */
export async function applyPatch({ folder, patch, home, tmp, signal }: PatchToApply): Promise<void> {
  if (patch.trim() === "") return;
  const ended = await runCommand({
    command: "git",
    args: ["apply", "--whitespace=nowarn", "-"],
    cwd: folder,
    env: scrubbedEnv({ home, tmp, extra: gitSettings(folder) }),
    // Without a line break at its end, git takes the last line for a damaged one.
    input: patch.endsWith("\n") ? patch : `${patch}\n`,
    timeoutMs: TIMEOUT_MS,
    signal,
  });
  if (ended.code !== 0) throw new PatchError(`git apply says: ${wordsOf(ended)}`);
}

/** No settings but the folder's own, no repository that it happens to lie in, and words that are the same everywhere. */
function gitSettings(folder: string): Record<string, string> {
  return {
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CEILING_DIRECTORIES: dirname(folder),
    LC_ALL: "C.UTF-8",
  };
}

function wordsOf({ stderr, stdout, timedOut, code }: CommandResult): string {
  if (timedOut) return `nothing within ${TIMEOUT_MS / 1000} s`;
  const words = (stderr.trim() || stdout.trim()).slice(0, LONGEST_WORDS);
  return words === "" ? `nothing; it ended with exit code ${code}` : words;
}
