import { execFileSync } from "node:child_process";
import { readdirSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { takeSnapshot } from "./snapshot.js";
import { Workspace } from "./workspace.js";
import { createTestFolder, readFolderContents, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();

describe("takeSnapshot", () => {
  it("makes an independent copy with the changes so far", async () => {
    const environment = {
      files: [{ dest: "a", content: "1\n" }],
      commands: ["ln -s a l; echo x > run; chmod +x run; mkdir .git; echo g > .git/g"],
    };
    const workspace = await Workspace.create({ root: folder.path, environment });
    writeTestFile(workspace.path, "deep/big", Buffer.alloc(2 * 2 ** 20, "x"));
    writeTestFile(workspace.path, "a", "2\n");
    const snapshot = await takeSnapshot(workspace);
    writeTestFile(workspace.path, "a", "3\n");
    expect(readFolderContents(snapshot.path)).toEqual({
      a: "2\n",
      l: "-> a",
      run: "x x\n",
      "deep/big": "x".repeat(2 * 2 ** 20),
    });
    expect(snapshot.state.path).toBe(snapshot.path);
    expect(snapshot.state.changes.map(({ path, status }) => `${status} ${path}`)).toEqual([
      "modified a",
      "added deep/big",
    ]);
    expect(snapshot.state.changes[0]).toMatchObject({ content: "2\n" });
    await snapshot.remove();
    expect(snapshot.state.path).toBeUndefined();
    await workspace.remove();
  });

  it("works while files appear and disappear", async () => {
    const workspace = await Workspace.create({
      root: folder.path,
      environment: { commands: ["mkdir d; cd d; touch $(seq 2000)"] },
    });
    let count = 0;
    const churn = setInterval(() => {
      for (let i = 0; i < 50; i++) rmSync(join(workspace.path, "d", String(++count)), { force: true });
    }, 1);
    const snapshot = await takeSnapshot(workspace);
    clearInterval(churn);
    expect(Object.keys(readFolderContents(snapshot.path)).length).toBeGreaterThanOrEqual(
      Object.keys(readFolderContents(workspace.path)).length,
    );
    await workspace.remove();
  });

  it("rejects a folder with too many bytes or files, and leaves nothing behind", async () => {
    const workspace = await Workspace.create({ root: folder.path });
    const sparse = join(workspace.path, "sparse");
    writeTestFile(workspace.path, "sparse");
    truncateSync(sparse, 5 * 2 ** 40);
    await expect(takeSnapshot(workspace)).rejects.toThrow("too large to copy: its files have more than 256 MB");
    rmSync(sparse);
    execFileSync("sh", ["-c", "mkdir d; cd d; seq 20000 | xargs touch"], { cwd: workspace.path });
    await expect(takeSnapshot(workspace)).rejects.toThrow("it has more than 20000 files");
    expect(readdirSync(workspace.root).filter((name) => name.startsWith("snapshot"))).toEqual([]);
    await workspace.remove();
  });

  it("stops when aborted", async () => {
    const workspace = await Workspace.create({ root: folder.path, environment: { commands: ["touch $(seq 3000)"] } });
    const stop = new AbortController();
    const reason = new Error("enough");
    const copying = takeSnapshot(workspace, stop.signal);
    setImmediate(() => stop.abort(reason));
    await expect(copying).rejects.toBe(reason);
    expect(readdirSync(workspace.root).filter((name) => name.startsWith("snapshot"))).toEqual([]);
    await workspace.remove();
  });
});
