import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { isCommandMissing } from "../../testing/system-command.js";
import { isGitProblemOnly } from "./git.js";
import { rebuildWorkspace, Workspace } from "./workspace.js";
import { createTestFolder, createTestRepository, runGit, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();
const made: Workspace[] = [];
afterEach(async () => {
  for (const workspace of made.splice(0)) await workspace.remove();
});

async function checkedOut(...commands: string[]): Promise<Workspace> {
  createTestRepository(join(folder.path, "repo"));
  const environment = { git: { url: join(folder.path, "repo") }, commands };
  made.push(await Workspace.create({ root: folder.path, environment }));
  return made.at(-1) as Workspace;
}

const commitAll = (at: string) => {
  runGit(at, "add", ".");
  runGit(at, "commit", "--quiet", "-m", "work");
};

describe.skipIf(isCommandMissing("git"))("git operations of an agent", () => {
  it.each<[string, (at: string) => void]>([
    ["a commit", commitAll],
    ["a commit that is packed", (at) => [commitAll(at), runGit(at, "gc", "--quiet")]],
    ["a branch", (at) => runGit(at, "branch", "mine")],
    ["another branch", (at) => runGit(at, "checkout", "--quiet", "-b", "mine")],
    ["a detached HEAD", (at) => runGit(at, "checkout", "--quiet", "--detach")],
    ["a stash", (at) => runGit(at, "stash")],
    ["what is staged", (at) => runGit(at, "add", ".")],
    ["a tag that is gone", (at) => runGit(at, "tag", "-d", "v1")],
    ["a repository in it", (at) => runGit(at, "init", "--quiet", "inner")],
    ["no repository any more", (at) => rmSync(join(at, ".git"), { recursive: true })],
  ])("are reported as not kept: %s", async (_, act) => {
    const workspace = await checkedOut();
    writeTestFile(workspace.path, "a.txt", "mine\n");
    act(workspace.path);
    const { incomplete = "" } = await workspace.collectChanges();
    expect(isGitProblemOnly(incomplete), incomplete).toBe(true);
    await expect(rebuildWorkspace({ root: folder.path, changes: { changes: [], incomplete } })).rejects.toThrow(
      "what the agent did in git",
    );
  });

  it.each<[string, (at: string) => void]>([
    ["a status, which writes the times of files", (at) => runGit(at, "status")],
    ["a look at the history", (at) => runGit(at, "log", "-p", "--all")],
    ["packing", (at) => runGit(at, "gc", "--quiet")],
    ["staging and taking it back", (at) => [runGit(at, "add", "."), runGit(at, "reset", "--quiet")]],
  ])("are not reported after %s", async (_, act) => {
    const workspace = await checkedOut();
    writeTestFile(workspace.path, "a.txt", "mine\n");
    act(workspace.path);
    const changes = [{ path: "a.txt", status: "modified", content: "mine\n" }];
    expect(await workspace.collectChanges()).toEqual({ changes });
  });

  it.each([2, 3, 4])(
    "are distinguished from changed times in an index of version %i, with long names",
    async (version) => {
      const long = `${"deep/".repeat(20)}${"n".repeat(200)}`;
      const workspace = await checkedOut(
        `mkdir -p ${"deep/".repeat(20)}; touch ${long} b c; git add -N b; git add c ${long}; git update-index --index-version ${version}`,
      );
      const { path } = workspace;
      rmSync(join(path, "c"));
      writeTestFile(path, "c", "");
      runGit(path, "status");
      expect(await workspace.collectChanges()).toEqual({ changes: [] });
      runGit(path, "add", "b");
      expect(isGitProblemOnly((await workspace.collectChanges()).incomplete ?? "")).toBe(true);
    },
  );

  it("are detected in a repository with longer ids", async () => {
    const init = "git init -q --object-format=sha256 . && touch a && git add a && git commit -qm one";
    made.push(await Workspace.create({ root: folder.path, environment: { commands: [init] } }));
    const { path } = made.at(-1) as Workspace;
    rmSync(join(path, "a"));
    writeTestFile(path, "a", "");
    runGit(path, "status");
    expect(await made.at(-1)?.collectChanges()).toEqual({ changes: [] });
    runGit(path, "commit", "--quiet", "--allow-empty", "-m", "two");
    expect((await made.at(-1)?.collectChanges())?.incomplete).toContain("in git");
  });

  it("are detected in a repository that stores its refs in tables", async () => {
    const commands = [
      "mkdir -p .git/reftable; cd .git; echo 'ref: refs/heads/.invalid' > HEAD; echo 1 > reftable/tables.list",
    ];
    const workspace = await Workspace.create({ root: folder.path, environment: { commands } });
    made.push(workspace);
    expect(await workspace.collectChanges()).toEqual({ changes: [] });
    writeTestFile(workspace.path, ".git/reftable/tables.list", "2");
    expect((await workspace.collectChanges()).incomplete).toContain("in git");
  });

  it("are not reported for a folder that is only named .git", async () => {
    made.push(await Workspace.create({ root: folder.path }));
    const { path } = made.at(-1) as Workspace;
    writeTestFile(path, ".git/config", "");
    expect(await made.at(-1)?.collectChanges()).toEqual({ changes: [] });
  });
});
