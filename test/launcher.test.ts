import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { TempProject } from "../src/testing/temp-project.js";

const LAUNCHER = readFileSync(resolve(import.meta.dirname, "../bin/assay.js"), "utf8");

it("says what to do if nothing is built", () => {
  const workspace = new TempProject({ "package.json": '{ "type": "module" }', "bin/assay.js": LAUNCHER });
  const { status, stderr } = spawnSync(process.execPath, [workspace.path("bin/assay.js")], { encoding: "utf8" });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^Assay is not built yet.*npm run build\n$/);
});
