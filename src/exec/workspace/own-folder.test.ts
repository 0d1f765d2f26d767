import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { getWorkspaceState, takeSnapshot } from "./snapshot.js";
import { rebuildWorkspace, Workspace } from "./workspace.js";
import { createTestFolder, readFolderContents, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();
const victim = () => join(folder.path, "victim");
beforeEach(() => {
  writeTestFile(folder.path, "victim/secret", "kept");
  writeTestFile(folder.path, "victim/work/secret", "kept");
});

async function create(): Promise<Workspace> {
  return Workspace.create({ root: folder.path, environment: { files: [{ dest: "a", content: "1\n" }] } });
}

/** As an agent can do it from inside. */
function swapByShell(path: string): void {
  const script = `d=$(pwd); cd /; mv "$d" "$d-x"; ln -s "${victim()}" "$d"`;
  execFileSync("sh", ["-c", script], { cwd: path });
}

const SWAPS: [string, (workspace: Workspace) => void][] = [
  ["the folder", ({ path }) => swapByShell(path)],
  ["the folder that holds it", ({ root }) => swapByShell(root)],
  [
    "the folder, by a file",
    ({ path }) => {
      renameSync(path, `${path}-x`);
      writeTestFile(path, "../../runs/work", "a file");
    },
  ],
];

describe("a workspace whose agent replaced", () => {
  it.each(SWAPS)("%s is neither read, copied, kept nor deleted through the link", async (_, swap) => {
    const workspace = await create();
    writeTestFile(workspace.path, "a", "2\n");
    const state = getWorkspaceState(workspace, await workspace.collectChanges());
    swap(workspace);
    const changes = await workspace.collectChanges();
    expect(changes).toEqual({ changes: [], incomplete: expect.stringContaining("the agent replaced the folder") });
    expect(state.path).toBeUndefined();
    expect(workspace.exists).toBe(false);
    await expect(takeSnapshot(workspace)).rejects.toThrow("cannot be copied: the agent replaced the folder");
    await expect(workspace.keep(join(folder.path, "kept"), "one")).rejects.toThrow(
      "cannot be kept: the agent replaced",
    );
    await expect(rebuildWorkspace({ root: folder.path, changes })).rejects.toThrow("the agent replaced the folder");
    await workspace.remove();
    expect(existsSync(workspace.path)).toBe(false);
    expect(existsSync(join(folder.path, "kept"))).toBe(false);
    expect(readFolderContents(victim())).toEqual({ secret: "kept", "work/secret": "kept" });
  });

  it("its root by another folder leaves that folder alone", async () => {
    const workspace = await create();
    renameSync(workspace.root, `${workspace.root}-x`);
    mkdirSync(join(workspace.root, "work"), { recursive: true });
    writeTestFile(workspace.root, "work/not ours", "kept");
    expect((await workspace.collectChanges()).incomplete).toContain("the agent replaced the folder");
    await workspace.remove();
    expect(readFolderContents(workspace.root)).toEqual({ "work/not ours": "kept" });
  });

  it("it by a new folder is read as it is", async () => {
    const workspace = await create();
    rmSync(workspace.path, { recursive: true });
    mkdirSync(workspace.path);
    writeTestFile(workspace.path, "b", "new");
    expect((await workspace.collectChanges()).changes).toEqual([
      { path: "a", status: "deleted" },
      { path: "b", status: "added", content: "new" },
    ]);
    await workspace.remove();
  });

  it("a folder in it by a link contains the link, and nothing of its target", async () => {
    const workspace = await create();
    symlinkSync(victim(), join(workspace.path, "out"));
    expect((await workspace.collectChanges()).changes).toEqual([{ path: "out", status: "linked", target: victim() }]);
    await workspace.remove();
    expect(readFolderContents(victim())).toEqual({ secret: "kept", "work/secret": "kept" });
  });
});

describe("a copy for grading", () => {
  it("is not used when it was replaced by a link", async () => {
    const workspace = await create();
    const snapshot = await takeSnapshot(workspace);
    swapByShell(snapshot.path);
    expect(snapshot.state.path).toBeUndefined();
    await snapshot.remove();
    expect(readFolderContents(victim())).toEqual({ secret: "kept", "work/secret": "kept" });
    expect(lstatSync(workspace.path).isDirectory()).toBe(true);
    await workspace.remove();
  });
});

describe("stored contents of the set-up", () => {
  it("are stored where an agent cannot reach them", async () => {
    const workspace = await create();
    // A pipe would block, a link would be followed.
    for (const name of readdirSync(workspace.root).filter((each) => each.startsWith("baseline"))) {
      rmSync(join(workspace.root, name));
    }
    execFileSync("mkfifo", [join(workspace.root, "baseline")]);
    writeTestFile(workspace.path, "a", "2\n");
    expect(getWorkspaceState(workspace, await workspace.collectChanges()).diff).toContain("-1\n+2\n");
    await workspace.remove();
    expect(workspace.readBefore("a")).toBeNull();
  });

  it("are rejected when the file is a link", async () => {
    const creating = Workspace.create({
      root: folder.path,
      environment: { commands: [`d=$(pwd); cd /; mv "$d" "$d-x"; ln -s "${victim()}" "$d"`] },
    });
    await expect(creating).rejects.toThrow("a command replaced the folder");
    expect(readdirSync(folder.path)).toEqual(["victim"]);
    expect(readFileSync(join(victim(), "secret"), "utf8")).toBe("kept");
  });
});
