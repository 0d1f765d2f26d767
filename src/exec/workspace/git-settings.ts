import { writeFile } from "node:fs/promises";
import { join } from "node:path";

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
