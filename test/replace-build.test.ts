import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { TempProject } from "../src/testing/temp-project.js";

const SCRIPT = pathToFileURL(resolve(import.meta.dirname, "../scripts/replace-build.mjs")).href;

const MANIFEST = '{ "name": "built", "version": "1.0.0", "type": "module", "files": ["dist"] }';

/** Builds a package with one entry and one chunk that it imports on demand. */
function makeBuild(workspace: TempProject, version: string): void {
  workspace.write("next/cli/main.js", `export const load = () => import("../chunks/part-${version}.js");`);
  workspace.write(`next/chunks/part-${version}.js`, `export const version = "${version}";`);
  workspace.write(`next/types/${version}.d.ts`, "");
  const code = `import { replaceBuild } from "${SCRIPT}"; replaceBuild("next", "dist");`;
  execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: workspace.dir });
}

it("keeps the chunks of the previous build for processes that have yet to import them", async () => {
  const workspace = new TempProject({ "package.json": MANIFEST });
  makeBuild(workspace, "1");
  const old = (await import(workspace.path("dist/cli/main.js"))) as { load: () => Promise<{ version: string }> };
  makeBuild(workspace, "2");
  expect((await old.load()).version).toBe("1");
  expect(existsSync(workspace.path("dist/types/1.d.ts"))).toBe(false);
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json"], { cwd: workspace.dir, encoding: "utf8" });
  expect(packed).toContain("dist/chunks/part-2.js");
  expect(packed).not.toContain("part-1.js");
  makeBuild(workspace, "3");
  expect(existsSync(workspace.path("dist/chunks/part-1.js"))).toBe(false);
  expect(existsSync(workspace.path("dist/chunks/part-2.js"))).toBe(true);
});
