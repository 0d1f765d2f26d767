import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lacks } from "../../testing/system-command.js";
import { isAboutGitAlone } from "./git.js";
import { rebuildWorkspace } from "./rebuild.js";
import { Workspace } from "./workspace.js";
import { git, makeRepository, put, testFolder } from "./workspace-testing.js";

const folder = testFolder();
const made: Workspace[] = [];
afterEach(async () => {
  for (const workspace of made.splice(0)) await workspace.remove();
});

async function checkedOut(...commands: string[]): Promise<Workspace> {
  makeRepository(join(folder.path, "repo"));
  const environment = { git: { url: join(folder.path, "repo") }, commands };
  made.push(await Workspace.create({ root: folder.path, environment }));
  return made.at(-1) as Workspace;
}

const commitAll = (at: string) => {
  git(at, "add", ".");
  git(at, "commit", "--quiet", "-m", "work");
};

describe.skipIf(lacks("git"))("git operations of an agent", () => {
  it.each<[string, (at: string) => void]>([
    ["a commit", commitAll],
    ["a commit that is packed", (at) => [commitAll(at), git(at, "gc", "--quiet")]],
    ["a branch", (at) => git(at, "branch", "mine")],
    ["another branch", (at) => git(at, "checkout", "--quiet", "-b", "mine")],
    ["a detached HEAD", (at) => git(at, "checkout", "--quiet", "--detach")],
    ["a stash", (at) => git(at, "stash")],
    ["what is staged", (at) => git(at, "add", ".")],
    ["a tag that is gone", (at) => git(at, "tag", "-d", "v1")],
    ["a repository in it", (at) => git(at, "init", "--quiet", "inner")],
    ["no repository any more", (at) => rmSync(join(at, ".git"), { recursive: true })],
  ])("are reported as not kept: %s", async (_, act) => {
    const workspace = await checkedOut();
    put(workspace.path, "a.txt", "mine\n");
    act(workspace.path);
    const { incomplete = "" } = await workspace.changes();
    expect(isAboutGitAlone(incomplete), incomplete).toBe(true);
    await expect(rebuildWorkspace({ root: folder.path, changes: { changes: [], incomplete } })).rejects.toThrow(
      "what the agent did in git",
    );
  });

  it.each<[string, (at: string) => void]>([
    ["a status, which writes the times of files", (at) => git(at, "status")],
    ["a look at the history", (at) => git(at, "log", "-p", "--all")],
    ["packing", (at) => git(at, "gc", "--quiet")],
    ["staging and taking it back", (at) => [git(at, "add", "."), git(at, "reset", "--quiet")]],
  ])("are not reported after %s", async (_, act) => {
    const workspace = await checkedOut();
    put(workspace.path, "a.txt", "mine\n");
    act(workspace.path);
    const changes = [{ path: "a.txt", status: "modified", content: "mine\n" }];
    expect(await workspace.changes()).toEqual({ changes });
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
      put(path, "c", "");
      git(path, "status");
      expect(await workspace.changes()).toEqual({ changes: [] });
      git(path, "add", "b");
      expect(isAboutGitAlone((await workspace.changes()).incomplete ?? "")).toBe(true);
    },
  );

  it("are detected in a repository with longer ids", async () => {
    const init = "git init -q --object-format=sha256 . && touch a && git add a && git commit -qm one";
    made.push(await Workspace.create({ root: folder.path, environment: { commands: [init] } }));
    const { path } = made.at(-1) as Workspace;
    rmSync(join(path, "a"));
    put(path, "a", "");
    git(path, "status");
    expect(await made.at(-1)?.changes()).toEqual({ changes: [] });
    git(path, "commit", "--quiet", "--allow-empty", "-m", "two");
    expect((await made.at(-1)?.changes())?.incomplete).toContain("in git");
  });

  it("are detected in a repository that stores its refs in tables", async () => {
    const commands = [
      "mkdir -p .git/reftable; cd .git; echo 'ref: refs/heads/.invalid' > HEAD; echo 1 > reftable/tables.list",
    ];
    const workspace = await Workspace.create({ root: folder.path, environment: { commands } });
    made.push(workspace);
    expect(await workspace.changes()).toEqual({ changes: [] });
    put(workspace.path, ".git/reftable/tables.list", "2");
    expect((await workspace.changes()).incomplete).toContain("in git");
  });

  it("are not reported for a folder that is only named .git", async () => {
    made.push(await Workspace.create({ root: folder.path }));
    const { path } = made.at(-1) as Workspace;
    put(path, ".git/config", "");
    expect(await made.at(-1)?.changes()).toEqual({ changes: [] });
  });
});
