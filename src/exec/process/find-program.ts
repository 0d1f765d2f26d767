import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * Finds a program in the folders of PATH; null when it is not there.
 * @example
 * findProgram("git"); // "/usr/bin/git"
 */
export function findProgram(name: string, path: string | undefined = process.env.PATH): string | null {
  if (name === "") return null;
  if (name.includes("/")) return isProgram(name) ? name : null;
  const folders = (path ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
