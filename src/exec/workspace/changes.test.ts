import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lutimesSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { EnvironmentFile } from "../../core/environment.js";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { getWorkspaceState } from "./snapshot.js";
import { rebuildWorkspace, Workspace } from "./workspace.js";
import { createTestFolder, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();
const made: Workspace[] = [];
afterEach(async () => {
  for (const workspace of made.splice(0)) await workspace.remove();
});

async function create(files: readonly EnvironmentFile[] = [], commands: readonly string[] = []): Promise<Workspace> {
  const workspace = await Workspace.create({ root: folder.path, environment: { files, commands } });
  made.push(workspace);
  return workspace;
}

describe("changes", () => {
  it("lists exactly what was added, modified, deleted and linked", async () => {
    const files = ["same", "text", "gone", "mode", "becomes/same"].map((dest) => ({ dest, content: dest }));
    const workspace = await create(files, ["ln -s same old-link; ln -s same kept-link"]);
    const at = (name: string) => join(workspace.path, name);
    writeTestFile(workspace.path, "text", "changed");
    writeTestFile(workspace.path, "new/ü", Buffer.from([0xff]));
    writeTestFile(workspace.path, "becomes/.git/config", "");
    writeTestFile(workspace.path, ".git/config", "");
    unlinkSync(at("gone"));
    chmodSync(at("mode"), 0o755);
    unlinkSync(at("old-link"));
    symlinkSync("text", at("old-link"));
    mkdirSync(at("empty/inner"), { recursive: true });
    expect(await workspace.collectChanges()).toEqual({
      changes: [
        { path: "empty/inner", status: "folder" },
        { path: "gone", status: "deleted" },
        { path: "mode", status: "modified", content: "mode", executable: true },
        { path: "new/ü", status: "added", content: "/w==", encoding: "base64" },
        { path: "old-link", status: "linked", target: "text" },
        { path: "text", status: "modified", content: "changed" },
      ],
    });
  });

  it("lists folders that were created, emptied and deleted", async () => {
    const files = ["emptied/a", "file"].map((dest) => ({ dest, content: "" }));
    const workspace = await create(files, ["mkdir filled kept gone"]);
    writeTestFile(workspace.path, "filled/b", "b");
    rmSync(join(workspace.path, "emptied/a"));
    rmSync(join(workspace.path, "gone"), { recursive: true });
    rmSync(join(workspace.path, "file"));
    mkdirSync(join(workspace.path, "file"));
    expect(await workspace.collectChanges()).toEqual({
      changes: [
        { path: "emptied", status: "folder" },
        { path: "emptied/a", status: "deleted" },
        { path: "file", status: "folder" },
        { path: "filled/b", status: "added", content: "b" },
        { path: "gone", status: "deleted" },
      ],
    });
  });

  it("detects a change with the same size and time right after the set-up", async () => {
    for (let round = 0; round < 5; round++) {
      const workspace = await create([
        { dest: "a", content: "1234" },
        { dest: "b", content: "1234" },
      ]);
      const at = join(workspace.path, "a");
      const { atime, mtime } = statSync(at);
      writeFileSync(at, "4321");
      utimesSync(at, atime, mtime);
      writeFileSync(join(workspace.path, "c"), "4321");
      utimesSync(join(workspace.path, "c"), atime, mtime);
      renameSync(join(workspace.path, "c"), join(workspace.path, "b"));
      expect((await workspace.collectChanges()).changes).toEqual([
        { path: "a", status: "modified", content: "4321" },
        { path: "b", status: "modified", content: "4321" },
      ]);
    }
  });

  it("ignores a file rewritten with the same content", async () => {
    const workspace = await create([{ dest: "a", content: "same" }], ["ln -s a l"]);
    rmSync(join(workspace.path, "a"));
    writeTestFile(workspace.path, "a", "same");
    utimesSync(join(workspace.path, "a"), 1, 1);
    lutimesSync(join(workspace.path, "l"), 1, 1);
    expect(await workspace.collectChanges()).toEqual({ changes: [] });
  });

  it("reports what is too large, and keeps the rest", async () => {
    const workspace = await create();
    writeTestFile(workspace.path, "node_modules/a/large", Buffer.alloc(10 * 2 ** 20, "x"));
    writeTestFile(workspace.path, "big.txt", Buffer.alloc(9 * 2 ** 20, "x"));
    writeTestFile(workspace.path, "huge", Buffer.alloc(17 * 2 ** 20, "x"));
    writeTestFile(workspace.path, "small", "s");
    const { changes, incomplete } = await workspace.collectChanges();
    expect(changes.map(({ path }) => path)).toEqual(["big.txt", "small"]);
    expect(incomplete).toBe(
      '2 changed files are left out, because the changes exceed 16 MB in total (the largest is "huge", 17.0 MB)',
    );
    await expect(
      rebuildWorkspace({ root: folder.path, changes: { changes, incomplete: String(incomplete) } }),
    ).rejects.toThrow(
      "The folder cannot be recreated, because not all changes were stored: 2 changed files are left out",
    );
  });

  it("counts binary content by its encoded length", async () => {
    const workspace = await create();
    writeTestFile(workspace.path, "raw", Buffer.alloc(13 * 2 ** 20, 0xff));
    expect(await workspace.collectChanges()).toMatchObject({
      changes: [],
      incomplete: expect.stringContaining('"raw", 13.0 MB'),
    });
  });

  it("reports too many changes, and keeps the files people work on", async () => {
    const workspace = await create([], ["mkdir -p node_modules z; cd node_modules; touch $(seq 5000)"]);
    execFileSync("sh", ["-c", "rm -r node_modules; cd z; touch $(seq 10)"], { cwd: workspace.path });
    const { changes, incomplete } = await workspace.collectChanges();
    expect(changes.filter(({ path }) => path.startsWith("z/"))).toHaveLength(10);
    expect(incomplete).toBe("10 changes beyond the first 5000 are left out");
  });

  it("reports a name that is not valid UTF-8, unless the set-up made it", async () => {
    const workspace = await create([], ["touch \"$(printf 'old\\377')\" \"$(printf 'real\\357\\277\\275')\""]);
    expect(await workspace.collectChanges()).toEqual({ changes: [] });
    execFileSync("sh", ["-c", "touch \"$(printf 'x\\377')\" y"], { cwd: workspace.path });
    expect(await workspace.collectChanges()).toEqual({
      changes: [{ path: "y", status: "added", content: "" }],
      incomplete: "a name is not valid UTF-8 and left out",
    });
  });

  it("skips special files such as pipes", async () => {
    const workspace = await create();
    execFileSync("mkfifo", [join(workspace.path, "pipe")]);
    expect(await workspace.collectChanges()).toEqual({ changes: [] });
  });

  it("is fast in a folder with many files", async () => {
    const workspace = await create(
      [],
      ["for d in $(seq 100); do mkdir $d; (cd $d; for f in $(seq 50); do echo $d $f > $f; done); done"],
    );
    writeTestFile(workspace.path, "7/7", "changed");
    const cpuMs = startCpuTimer();
    expect((await workspace.collectChanges()).changes).toEqual([
      { path: "7/7", status: "modified", content: "changed" },
    ]);
    expect(cpuMs()).toBeLessThan(5000);
  });
});

describe("getWorkspaceState", () => {
  it("gives access to the folder while it exists, and serializes to its changes", async () => {
    const workspace = await create([{ dest: "a", content: "1\n" }], ["echo made > b"]);
    writeTestFile(workspace.path, "a", "2\n");
    writeTestFile(workspace.path, "b", "other\n");
    const state = getWorkspaceState(workspace, await workspace.collectChanges());
    expect(state.path).toBe(workspace.path);
    expect(state.diff).toContain("-1\n+2\n");
    expect(state.diff).toContain("-made\n+other\n");
    expect(JSON.parse(JSON.stringify(state))).toEqual({
      changes: [
        { path: "a", status: "modified", content: "2\n" },
        { path: "b", status: "modified", content: "other\n" },
      ],
    });
    expect(structuredClone(state)).not.toHaveProperty("path");
    await workspace.remove();
    expect(state.path).toBeUndefined();
  });
});
