import { mkdtemp, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMarker, filterOwnFolders } from "./process-marker.js";

describe("filterOwnFolders", () => {
  it("omits folders that others work in too", () => {
    expect(filterOwnFolders(["", "/", ".", "..", process.cwd(), homedir(), dirname(homedir()), tmpdir()])).toEqual([]);
  });

  it("returns real paths", async () => {
    const dir = await mkdtemp(join(tmpdir(), "assay-folders-"));
    try {
      await symlink(dir, join(dir, "link"));
      expect(filterOwnFolders([join(dir, "link"), join(dir, "gone")])).toEqual([dir, join(dir, "gone")]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});

describe("createMarker", () => {
  it("appends to this process's own marker", () => {
    expect(createMarker(undefined, "x")).toBe(`${process.pid}-x`);
    expect(createMarker("", "x")).toBe(`${process.pid}-x`);
    expect(createMarker("1-a", "x")).toBe(`1-a:${process.pid}-x`);
  });
});
