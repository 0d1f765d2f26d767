import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const INSTALL = "node scripts/system-packages.mjs --install (as root on Debian)";

/**
 * True when a command that a suite needs is missing, so that the suite is skipped, with the reason and the command that
 * installs it. With ASSAY_REQUIRE_SYSTEM=1 a missing command is a failure instead.
 * @example
 * it.skipIf(lacks("git"))("…", () => { … });
 */
export function lacks(command: string): boolean {
  if (isOnPath(command)) return false;
  if (process.env.ASSAY_REQUIRE_SYSTEM === "1") {
    throw new Error(`The command "${command}" is missing. Run: ${INSTALL}`);
  }
  console.warn(`skipped: the command "${command}" is missing. To run these tests: ${INSTALL}`);
  return true;
}

function isOnPath(command: string): boolean {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
