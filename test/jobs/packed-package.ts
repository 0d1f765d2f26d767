import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");

/** The package as strangers get it: the tarball, unpacked, with its dependencies beside it. */
export class PackedPackage {
  readonly #dir = mkdtempSync(join(tmpdir(), "assay-packed-"));

  constructor() {
    const pack = ["pack", "--silent", "--ignore-scripts", "--pack-destination", this.#dir];
    const tarball = execFileSync("npm", pack, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    execFileSync("tar", ["-xzf", join(this.#dir, tarball.trim()), "-C", this.#dir]);
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      dependencies: Record<string, string>;
    };
    for (const name of [...Object.keys(dependencies), "@types/node", "typescript"]) this.#link(name);
    symlinkSync(join(this.#dir, "package"), join(this.#dir, "node_modules", "assay"));
  }

  #link(name: string): void {
    const path = join(this.#dir, "node_modules", name);
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), path);
  }

  /** Installs the package into a folder. Returns a folder for PATH, in which `npx` finds the package. */
  installIn(folder: string): string {
    mkdirSync(folder, { recursive: true });
    symlinkSync(join(this.#dir, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
    const bin = mkdtempSync(join(this.#dir, "bin-"));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const npx = `#!/bin/sh\nname=$1\nshift\ncase $name in\n  assay) exec node "${join(this.#dir, "package/bin/assay.js")}" "$@" ;;\n  tsc) exec node "${tsc}" "$@" ;;\nesac\nexit 127\n`;
    writeFileSync(join(bin, "npx"), npx);
    chmodSync(join(bin, "npx"), 0o755);
    return bin;
  }

  remove(): void {
    rmSync(this.#dir, { recursive: true, force: true });
  }
}
