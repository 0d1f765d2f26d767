import { join } from "node:path";
import type { Environment, EnvironmentFile } from "../../core/environment.js";
import { messageOf } from "../../core/errors.js";
import { decodeContent } from "./encoded-content.js";
import { FolderWriter } from "./folder-writer.js";
import { checkOut } from "./git-checkout.js";
import { CHECKOUT_SETTINGS, gitCheckoutEnv, writeGitIdentity } from "./git-settings.js";
import { scrubbedEnv } from "./scrubbed-env.js";
import { runStep } from "./step.js";
import type { WorkspacePaths } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";

export interface SetUpOptions extends WorkspacePaths {
  readonly environment: Environment;
  /** For the commands. */
  readonly env: Readonly<Record<string, string>>;
  /** True when the home is one that was there before. */
  readonly isOwnHome: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Does what an environment asks for: the checkout, then the files, then the commands. */
export async function setUp(options: SetUpOptions): Promise<void> {
  const { environment, signal } = options;
  if (!options.isOwnHome) await writeGitIdentity(options.home);
  if (environment.git !== undefined) await checkOutInto(options, environment.git);
  signal.throwIfAborted();
  await writeFiles(options.path, environment.files ?? []);
  for (const command of environment.commands ?? []) await runSetUpCommand(options, command);
}

async function checkOutInto(options: SetUpOptions, { url, ref }: NonNullable<Environment["git"]>): Promise<void> {
  const { root, home, tmp, path, timeoutMs, signal } = options;
  const extra = await gitCheckoutEnv(join(root, "gitconfig"), home);
  const env = scrubbedEnv({ home, tmp, extra: { ...extra, GIT_CEILING_DIRECTORIES: root } });
  const what = `The set-up failed: the checkout of ${url}, in which \`git`;
  const git = (args: readonly string[]) => {
    const step = { command: "git", args: [...CHECKOUT_SETTINGS, ...args], cwd: path, env, timeoutMs, signal };
    return runStep({ what: `${what} ${args[0]}\``, ...step });
  };
  await checkOut({ url, ...(ref !== undefined && { ref }), into: path, scratch: tmp, git });
}

async function writeFiles(path: string, files: readonly EnvironmentFile[]): Promise<void> {
  const writer = new FolderWriter(path);
  for (const file of files) {
    if ("src" in file)
      throw new WorkspaceError(`"${file.src}" has not been read yet: give the environment to inlineEnvironment first.`);
    try {
      await writer.write({ path: file.dest, bytes: decodeContent(file), executable: file.executable });
    } catch (cause) {
      throw new WorkspaceError(`The set-up failed at a file: ${messageOf(cause)}`, { cause });
    }
  }
}

async function runSetUpCommand({ path, env, timeoutMs, signal }: SetUpOptions, command: string): Promise<void> {
  const what = `The set-up failed: the command \`${command}\``;
  await runStep({ what, command, cwd: path, env, timeoutMs, signal });
}
