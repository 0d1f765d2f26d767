import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";

/** The languages that programs are run in. */
export const LANGUAGES = ["python", "javascript"] as const;
export type Language = (typeof LANGUAGES)[number];

/** A program that runs programs, and what of the file system it needs. */
export interface Interpreter {
  language: Language;
  path: string;
  version: string;
  /** Folders outside of /usr that hold it. */
  folders: readonly string[];
  /** Where Python keeps the packages that were installed. */
  packages: readonly string[];
}

/** The distribution's own comes first: it needs nothing but /usr. */
const PYTHONS = ["/usr/bin/python3", "python3", "python"];

const ASK_PYTHON = `
import json, platform, site, sys
print(json.dumps([sys.executable, sys.base_prefix, platform.python_version(), site.getsitepackages()]))
`;

const run = promisify(execFile);

/** The interpreter of a language that this machine has; null when it has none. */
export async function findInterpreter(language: Language): Promise<Interpreter | null> {
  if (language === "javascript") return ownNode();
  for (const command of PYTHONS) {
    const found = await askPython(command);
    if (found !== null) return found;
  }
  return null;
}

/** A shim such as pyenv's is not an interpreter: what it starts says where it really is. */
async function askPython(command: string): Promise<Interpreter | null> {
  try {
    const { stdout } = await run(command, ["-I", "-c", ASK_PYTHON], { timeout: 10_000 });
    const [executable, prefix, version, packages] = JSON.parse(stdout) as [string, string, string, string[]];
    const path = realpathSync(executable);
    const folders = outsideUsr([prefix, dirname(path), ...packages]);
    return { language: "python", path, version, folders, packages: packages.filter((folder) => existsSync(folder)) };
  } catch {
    return null;
  }
}

function ownNode(): Interpreter {
  const path = realpathSync(process.execPath);
  const folders = outsideUsr([dirname(path)]);
  return { language: "javascript", path, version: process.versions.node, folders, packages: [] };
}

/** No folder that lies in another one of the list. */
function outsideUsr(folders: readonly string[]): string[] {
  const outside = [...new Set(folders)].filter((folder) => !isWithin(folder, "/usr") && existsSync(folder));
  return outside.filter((folder) => !outside.some((other) => other !== folder && isWithin(folder, other)));
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
