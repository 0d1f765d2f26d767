import { execFile } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

export interface ShellResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A folder as a user has one: the examples, `assay` as an installed package, and `npx assay`. */
export class DocsProject {
  readonly dir: string;

  constructor(dir: string) {
    if (!existsSync(join(ROOT, "dist/cli/main.js"))) throw new Error("dist/ is missing: run `npm run build` first.");
    this.dir = dir;
    mkdirSync(join(dir, "node_modules"), { recursive: true });
    mkdirSync(join(dir, "bin"));
    cpSync(join(ROOT, "examples"), join(dir, "examples"), { recursive: true });
    symlinkSync(ROOT, join(dir, "node_modules", "assay"));
    const npx = join(dir, "bin", "npx");
    writeFileSync(npx, `#!/bin/sh\n[ "$1" = assay ] || exit 127\nshift\nexec node "${ROOT}/bin/assay.js" "$@"\n`);
    chmodSync(npx, 0o755);
  }

  write(name: string, text: string): void {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Runs shell commands as written in a page, and stops at the first failure. */
  shell(commands: string): Promise<ShellResult> {
    return this.#run("sh", ["-e", "-c", commands]);
  }

  /** Runs a command line without quotes. */
  assay(line: string): Promise<ShellResult> {
    return this.#run(process.execPath, [join(ROOT, "bin/assay.js"), ...line.split(" ").filter(Boolean)]);
  }

  node(...args: string[]): Promise<ShellResult> {
    return this.#run(process.execPath, args);
  }

  #run(command: string, args: string[]): Promise<ShellResult> {
    const env = { ...process.env, PATH: `${join(this.dir, "bin")}:${process.env.PATH}` };
    return new Promise((resolve) => {
      const options = { cwd: this.dir, env, maxBuffer: 1 << 26 };
      const child = execFile(command, args, options, (_error, stdout, stderr) =>
        resolve({ code: child.exitCode ?? -1, stdout, stderr }),
      );
    });
  }
}
