import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { Environment } from "../../core/environment.js";
import { isCommandMissing } from "../../testing/system-command.js";
import { Workspace, type WorkspaceOptions } from "./workspace.js";
import { WorkspaceError } from "./workspace-error.js";
import {
  createTestFolder,
  createTestRepository,
  readFolderContents,
  runGit,
  writeTestFile,
} from "./workspace-testing.js";

const folder = createTestFolder();
const made: Workspace[] = [];
afterEach(async () => {
  for (const workspace of made.splice(0)) await workspace.remove();
});

async function create(environment?: Environment, options: WorkspaceOptions = {}): Promise<Workspace> {
  const workspace = await Workspace.create({ root: folder.path, environment, ...options });
  made.push(workspace);
  return workspace;
}

const OTHER_DISK = "/dev/shm";
const hasOtherDisk = existsSync(OTHER_DISK) && statSync(OTHER_DISK).dev !== statSync(tmpdir()).dev;
if (!hasOtherDisk) console.warn("Keeping a folder on another disk is not tested: there is none at /dev/shm.");
const isRoot = process.getuid?.() === 0;

const hasNoGit = isCommandMissing("git");

describe("Workspace.create", () => {
  it("creates an empty folder with its own home and temporary folder", async () => {
    const workspace = await create();
    expect(readdirSync(workspace.path)).toEqual([]);
    expect(statSync(workspace.root).mode & 0o077).toBe(0);
    expect(workspace.env({ A: "1" })).toMatchObject({ HOME: workspace.home, TMPDIR: workspace.tmp, A: "1" });
    expect(await workspace.collectChanges()).toEqual({ changes: [] });
  });

  it.skipIf(hasNoGit)(
    "writes files, then runs commands in order with the example's variables and none of our keys",
    async () => {
      process.env.ASSAY_TEST_API_KEY = "ours";
      const files = [
        { dest: "bin/run.sh", content: "#!/bin/sh\necho ran $WHO >> log\n", executable: true },
        { dest: "raw", content: "//4=", encoding: "base64" as const },
      ];
      const commands = [
        "./bin/run.sh",
        'echo "[$ASSAY_TEST_API_KEY] $HOME" >> log',
        "git init -q && git commit -q --allow-empty -m x",
      ];
      const workspace = await create({ files, commands, env: { WHO: "me" } });
      delete process.env.ASSAY_TEST_API_KEY;
      expect(readFileSync(join(workspace.path, "log"), "utf8")).toBe(`ran me\n[] ${workspace.home}\n`);
      expect(readFileSync(join(workspace.path, "raw"))).toEqual(Buffer.from([0xff, 0xfe]));
    },
  );

  it("reports which command failed and how, and leaves nothing behind", async () => {
    const failing = create({ commands: ["true", "echo out; echo why >&2; exit 3"] });
    await expect(failing).rejects.toThrow(WorkspaceError);
    await expect(failing).rejects.toThrow(
      "The set-up failed: the command `echo out; echo why >&2; exit 3` failed with exit code 3. Its last output:\nwhy",
    );
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("limits the time of each command, and stops when aborted", async () => {
    await expect(create({ commands: ["sleep 60"] }, { timeoutMs: 200 })).rejects.toThrow(
      "`sleep 60` did not end within 0.2 s.",
    );
    const stop = new AbortController();
    const creating = create({ commands: ["echo > ../started; sleep 60"] }, { signal: stop.signal });
    const reason = new Error("enough");
    setTimeout(() => stop.abort(reason), 200);
    await expect(creating).rejects.toBe(reason);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it("uses a given home and does not delete it", async () => {
    mkdirSync(join(folder.path, "mine"));
    const workspace = await create({ commands: ["echo > $HOME/seen"] }, { home: join(folder.path, "mine") });
    await workspace.remove();
    expect(readdirSync(join(folder.path, "mine"))).toEqual(["seen"]);
  });

  it.skipIf(hasNoGit)("never writes through a link out of the folder", async () => {
    createTestRepository(join(folder.path, "repo"));
    writeTestFile(folder.path, "outside/x", "kept");
    symlinkSync(join(folder.path, "outside"), join(folder.path, "repo/out"));
    symlinkSync(join(folder.path, "outside/x"), join(folder.path, "repo/file"));
    runGit(join(folder.path, "repo"), "add", ".");
    runGit(join(folder.path, "repo"), "commit", "-qm", "links");
    const source = { git: { url: join(folder.path, "repo") } };
    await expect(create({ ...source, files: [{ dest: "out/x", content: "bad" }] })).rejects.toThrow(
      "a link out of the folder",
    );
    const workspace = await create({ ...source, files: [{ dest: "file", content: "new" }] });
    expect(readFileSync(join(workspace.path, "file"), "utf8")).toBe("new");
    expect(readFileSync(join(folder.path, "outside/x"), "utf8")).toBe("kept");
  });
});

describe.skipIf(hasNoGit)("a checkout", () => {
  const checkedOut = async (ref?: string, scheme = "") => {
    const url = `${scheme}${join(folder.path, "repo")}`;
    const { path } = await create({ git: { url, ...(ref !== undefined && { ref }) } });
    return { path, text: readFileSync(join(path, "a.txt"), "utf8").trim() };
  };

  it("accepts a branch, a tag, a commit, a short commit, a revision expression, or the repository's default", async () => {
    const { one, two } = createTestRepository(join(folder.path, "repo"));
    expect((await checkedOut()).text).toBe("two");
    expect((await checkedOut("later", "file://")).text).toBe("three");
    expect((await checkedOut("v1")).text).toBe("one");
    expect((await checkedOut(two)).text).toBe("two");
    expect((await checkedOut(one.slice(0, 9))).text).toBe("one");
    expect((await checkedOut("later~2")).text).toBe("one");
  });

  it("is on the branch with its history and tags, but without later commits and without a remote", async () => {
    const { one, two, three } = createTestRepository(join(folder.path, "repo"));
    const { path } = await checkedOut("main");
    expect(runGit(path, "rev-parse", "--abbrev-ref", "HEAD")).toBe("main");
    expect(runGit(path, "log", "--all", "--format=%H").split("\n")).toEqual([two, one]);
    expect(runGit(path, "tag")).toBe("v1");
    expect(runGit(path, "status", "--porcelain")).toBe("");
    expect(runGit(path, "remote")).toBe("");
    expect(() => runGit(path, "cat-file", "-e", three)).toThrow();
    const short = await checkedOut(one.slice(0, 9));
    expect(() => runGit(short.path, "cat-file", "-e", two)).toThrow();
    expect(runGit(short.path, "for-each-ref", "--format=%(refname)")).toBe("refs/tags/v1");
  });

  it.runIf(isRoot)("reads another user's repository", async () => {
    createTestRepository(join(folder.path, "repo"));
    execFileSync("chown", ["-R", "65534", join(folder.path, "repo")]);
    chownSync(folder.path, 65534, 65534);
    expect((await checkedOut("main")).text).toBe("two");
    expect((await checkedOut("main~1")).text).toBe("one");
  });

  it("runs no hooks", async () => {
    createTestRepository(join(folder.path, "repo"));
    const hook = `#!/bin/sh\necho > ${join(folder.path, "hooked")}\n`;
    mkdirSync(join(folder.path, "home/templates/hooks"), { recursive: true });
    writeFileSync(join(folder.path, "home/templates/hooks/post-checkout"), hook, { mode: 0o755 });
    writeTestFile(folder.path, "home/.gitconfig", `[init]\n\ttemplateDir = ${join(folder.path, "home/templates")}\n`);
    await create({ git: { url: join(folder.path, "repo") } }, { home: join(folder.path, "home") });
    expect(existsSync(join(folder.path, "hooked"))).toBe(false);
  });

  it("reports what is wrong with the ref or the repository", async () => {
    createTestRepository(join(folder.path, "repo"));
    await expect(checkedOut("nope")).rejects.toThrow('has no branch, tag or commit "nope". Check git.ref.');
    await expect(create({ git: { url: "/nowhere/at/all" } })).rejects.toThrow(
      /the checkout of \/nowhere\/at\/all, in which `git ls-remote` failed with exit code 128/,
    );
    runGit(folder.path, "init", "-q", "empty");
    await expect(create({ git: { url: join(folder.path, "empty") } })).rejects.toThrow("has nothing to check out");
  });

  it("does not show a password in the URL", async () => {
    const failing = create({ git: { url: "http://me:hunter2@127.0.0.1:1/x.git" } });
    await expect(failing).rejects.toThrow("http://***@127.0.0.1:1/x.git");
    await expect(failing).rejects.not.toThrow("hunter2");
  });
});

describe("the end of a workspace", () => {
  it("deletes read-only folders too, and nothing outside", async () => {
    writeTestFile(folder.path, "outside/x", "kept");
    if (isRoot) for (const place of ["", "outside", "outside/x"]) chownSync(join(folder.path, place), 65534, 65534);
    // Root may delete anything, so only other users can test this.
    if (isRoot) process.seteuid?.(65534);
    try {
      const workspace = await create();
      symlinkSync(join(folder.path, "outside"), join(workspace.path, "out"));
      writeTestFile(workspace.path, "a/b/c");
      chmodSync(join(workspace.path, "a/b"), 0o500);
      chmodSync(join(workspace.path, "a"), 0);
      expect((await workspace.collectChanges()).incomplete).toBe('"a" cannot be read');
      await workspace.remove();
      expect(existsSync(workspace.root)).toBe(false);
      expect(workspace.exists).toBe(false);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
    expect(readFileSync(join(folder.path, "outside/x"), "utf8")).toBe("kept");
  });

  it("deletes folders nested deeper than the maximum path length", async () => {
    const script =
      'for (let i = 0; i < 30; i++) { const name = "d".repeat(200); fs.mkdirSync(name); process.chdir(name); }';
    const workspace = await create({ commands: [`"${process.execPath}" -e '${script}'`] });
    await workspace.remove();
    expect(existsSync(workspace.root)).toBe(false);
  });

  it.runIf(hasOtherDisk)("copies the folder to another disk, unless its files are too long", async () => {
    const dir = mkdtempSync(join(OTHER_DISK, "assay-kept-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const small = await create({ files: [{ dest: "d/a", content: "1" }], commands: ["ln -s d/a l"] });
    expect(readFolderContents(await small.keep(dir, "small"))).toEqual({ "d/a": "1", l: "-> d/a" });
    const sparse = await create({ commands: ["truncate -s 5T sparse"] });
    await expect(sparse.keep(dir, "sparse")).rejects.toThrow(
      /on another disk: The folder is too large to copy: its files have more than 4096 MB\. Use a folder on the same disk as/,
    );
    expect(readdirSync(dir)).toEqual(["small"]);
    expect(existsSync(join(sparse.path, "sparse"))).toBe(true);
  });

  it("keeps the folder under a unique name", async () => {
    const [one, two] = [
      await create({ files: [{ dest: "a", content: "1" }] }),
      await create({ files: [{ dest: "a", content: "2" }] }),
    ];
    const dir = join(folder.path, "kept/here");
    expect(await one.keep(dir, "claude/task 1")).toBe(join(dir, "claude-task-1"));
    expect(await two.keep(dir, "claude/task 1")).toBe(join(dir, "claude-task-1-2"));
    await two.remove();
    expect(readFolderContents(dir)).toEqual({ "claude-task-1/a": "1", "claude-task-1-2/a": "2" });
    expect(existsSync(one.root)).toBe(false);
  });
});
