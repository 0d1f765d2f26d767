import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProgram } from "./find-program.js";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "assay-path-"));
  for (const name of ["first", "second"]) await mkdir(join(dir, name));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe("findProgram", () => {
  it("returns the first executable", async () => {
    const path = `:${join(dir, "none")}:${join(dir, "first")}:${join(dir, "second")}`;
    await writeFile(join(dir, "first", "tool"), "");
    await mkdir(join(dir, "first", "folder"));
    await writeFile(join(dir, "second", "tool"), "", { mode: 0o755 });
    expect(findProgram("tool", path)).toBe(join(dir, "second", "tool"));
    expect(findProgram("folder", path)).toBeNull();
    await chmod(join(dir, "first", "tool"), 0o755);
    expect(findProgram("tool", path)).toBe(join(dir, "first", "tool"));
    expect(findProgram(join(dir, "first", "tool"), "")).toBe(join(dir, "first", "tool"));
  });

  it("searches PATH by default", () => {
    expect(findProgram("sh")).toMatch(/\/sh$/);
    expect(findProgram("no-such-program-here")).toBeNull();
    expect(findProgram("", "/")).toBeNull();
    expect(findProgram("sh", "")).toBeNull();
  });
});
