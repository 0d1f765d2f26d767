import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * True when a command that a suite needs is not there, so that the suite is skipped; `npm test` has printed how to
 * install it (scripts/system-packages.mjs). With ASSAY_REQUIRE_SYSTEM=1 a missing command is a failure instead.
 * @example
 * it.skipIf(lacks("git"))("…", () => { … });
 */
export function lacks(command: string): boolean {
  if (isOnPath(command)) return false;
  if (process.env.ASSAY_REQUIRE_SYSTEM === "1") {
    throw new Error(`The command "${command}" is missing. Run: node scripts/system-packages.mjs`);
  }
  console.warn(`skipped: the command "${command}" is missing (node scripts/system-packages.mjs says how to get it)`);
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
