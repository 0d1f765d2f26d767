import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const INSTALL = "node scripts/system-packages.mjs --install (as root on Debian)";

/**
 * True if a required command is missing, so that the suite is skipped with a hint how to install it. With
 * ASSAY_REQUIRE_SYSTEM=1 a missing command is a failure instead.
 * @example
 * it.skipIf(isCommandMissing("git"))("…", () => { … });
 */
export function isCommandMissing(command: string): boolean {
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
