import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readGitRevision } from "./git.js";
import { createRunId, findRun, makeRunDir } from "./run-folder.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-runs-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

describe("createRunId", () => {
  const now = new Date("2026-11-15T21:33:34.567Z");

  it.each([
    ["needle: 5 systems", "20261115-213334-needle-5-systems"],
    ["../../etc/passwd", "20261115-213334-etc-passwd"],
    ["日本語", "20261115-213334-run"],
    ["a".repeat(100), `20261115-213334-${"a".repeat(40)}`],
    [`${"a".repeat(39)} b`, `20261115-213334-${"a".repeat(39)}`],
  ])("turns %s into a plain name", (title, id) => {
    expect(createRunId(title, now)).toBe(id);
  });
});

describe("makeRunDir", () => {
  it("creates a new folder each time", () => {
    const runs = join(dir, "deep", "runs");
    expect([1, 2, 3].map(() => makeRunDir(runs, "id"))).toEqual(["id", "id-2", "id-3"].map((name) => join(runs, name)));
  });

  it("reports when it cannot", () => {
    writeFileSync(join(dir, "file"), "");
    expect(() => makeRunDir(join(dir, "file"), "id")).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe("findRun", () => {
  function stored(name: string, complete: boolean | null, createdAt?: string): string {
    const run = join(dir, name);
    mkdirSync(run);
    const written = /^(\d{4})(\d{2})(\d{2})-/.exec(name);
    const byName = written === null ? undefined : `${written[1]}-${written[2]}-${written[3]}T00:00:00.000Z`;
    writeFileSync(join(run, "manifest.json"), JSON.stringify({ createdAt: createdAt ?? byName }));
    if (complete !== null) writeFileSync(join(run, "summary.json"), JSON.stringify({ complete }));
    return run;
  }

  const find = (name?: string, runsDir = dir) => findRun({ runsDir, name, isCandidate: () => true });

  it("accepts a path or an id", () => {
    const run = stored("20260101-000000-a", true);
    expect(find(run)).toBe(run);
    expect(find("20260101-000000-a")).toBe(run);
  });

  it("prefers a run to another folder with the same name", () => {
    const run = stored("src", false);
    expect(find("src")).toBe(run);
    expect(find("src", join(dir, "nowhere"))).toBe("src");
  });

  it("says where it looked for a missing run", () => {
    expect(() => find("20260101-000000-a")).toThrow(
      `There is no run folder 20260101-000000-a, neither here nor in ${dir}, and no run there has this tag or title. List the runs with assay runs, or pass the folder that holds them with --runs-dir.`,
    );
  });

  it("returns the latest unfinished run without a name", () => {
    stored("20260101-000000-a", false);
    const killed = stored("20260102-000000-b", null);
    stored("20260103-000000-c", true);
    mkdirSync(join(dir, "20260104-000000-foreign"));
    expect(find()).toBe(killed);
  });

  it("skips runs that are no candidates without a name", () => {
    const older = stored("20260101-000000-a", false);
    const newer = stored("20260102-000000-b", false);
    const isCandidate = (run: string) => run !== newer;
    expect(findRun({ runsDir: dir, name: undefined, isCandidate })).toBe(older);
    expect(findRun({ runsDir: dir, name: newer, isCandidate })).toBe(newer);
  });

  it("treats the last created run as the latest, whatever the folder names", () => {
    const last = stored("20260101-000000-a", true, "2026-06-02T10:00:00.000Z");
    stored("main-run", true, "2026-06-01T10:00:00.000Z");
    expect(find("latest")).toBe(last);
    const same = ["b", "b-2", "b-10", "b-9"].map((name) => stored(name, true, "2026-06-03T10:00:00.000Z"));
    expect(find("latest")).toBe(same[2]);
  });

  it("uses the file date if a manifest has no time", () => {
    stored("20260101-000000-a", true);
    const damaged = stored("b", true);
    for (const text of ["{", "null", '{"createdAt":"then"}']) {
      writeFileSync(join(damaged, "manifest.json"), text);
      expect(find("latest")).toBe(damaged);
    }
  });

  it("reports when there is none", () => {
    stored("20260101-000000-a", true);
    expect(() => find()).toThrow(/no unfinished run/);
    expect(() => find(undefined, join(dir, "nowhere"))).toThrow(/no unfinished run/);
  });
});

describe("readGitRevision", () => {
  const commit = "0123456789abcdef0123456789abcdef01234567";

  function repository(head: string): string {
    const git = join(dir, "repo", ".git");
    mkdirSync(join(git, "refs", "heads"), { recursive: true });
    writeFileSync(join(git, "HEAD"), head);
    mkdirSync(join(dir, "repo", "deep", "er"), { recursive: true });
    return git;
  }

  it("reads a branch, loose or packed, and a detached head, from any folder below", () => {
    const git = repository("ref: refs/heads/main\n");
    const below = join(dir, "repo", "deep", "er");
    expect(readGitRevision(below)).toBeNull();
    writeFileSync(join(git, "packed-refs"), `# pack-refs with: peeled\n${commit} refs/heads/main\n`);
    expect(readGitRevision(below)).toBe(commit);
    writeFileSync(join(git, "refs", "heads", "main"), `${"f".repeat(40)}\n`);
    expect(readGitRevision(below)).toBe("f".repeat(40));
    writeFileSync(join(git, "HEAD"), `${commit}\n`);
    expect(readGitRevision(below)).toBe(commit);
  });

  it("follows a worktree to its repository", () => {
    const git = repository("ref: refs/heads/main\n");
    const linked = join(git, "worktrees", "other");
    mkdirSync(linked, { recursive: true });
    writeFileSync(join(linked, "HEAD"), "ref: refs/heads/side\n");
    writeFileSync(join(linked, "commondir"), "../..\n");
    writeFileSync(join(git, "refs", "heads", "side"), `${commit}\n`);
    const tree = join(dir, "tree");
    mkdirSync(tree);
    writeFileSync(join(tree, ".git"), `gitdir: ${linked}\n`);
    expect(readGitRevision(tree)).toBe(commit);
  });

  it("returns null outside a repository, and in a broken one", () => {
    expect(readGitRevision(dir)).toBeNull();
    mkdirSync(join(dir, ".git"));
    expect(readGitRevision(dir)).toBeNull();
  });
});
