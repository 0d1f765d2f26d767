import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeTestRun } from "../src/store/history/run-testing.js";
import { runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = [
  { id: 1, question: "France?", answer: "Paris" },
  { id: 2, question: "Italy?", answer: "Rome" },
];

function project(): TempProject {
  return new TempProject({
    "q.jsonl": QUESTIONS,
    "right.jsonl": QUESTIONS.map(({ id, answer }) => ({ id, response: answer })),
    "wrong.jsonl": QUESTIONS.map(({ id }) => ({ id, response: "no idea" })),
  });
}

function measure(space: TempProject, file: string, ...flags: string[]) {
  return runAssay(space.dir, "--replay", file, "--dataset", "q.jsonl", "--quiet", ...flags);
}

/** Stored runs of consecutive days, oldest first; written as the journal does. */
function storedRuns(...names: string[]): TempProject {
  const space = new TempProject();
  for (const [day, name] of names.entries())
    writeTestRun(space.path(".assay/runs", name), {
      manifest: { createdAt: `2026-11-0${day + 1}T10:00:00.000Z`, planned: 2 },
      rows: [1, 2].map((exampleId) => ({ ...ROW, exampleId })),
    });
  return space;
}

const ROW = {
  ...{ system: "one", dataset: "d", trial: 0, outcome: "pass", errorCategory: "none", scores: { em: 1 } },
  ...{ primaryField: "em", passed: true, inputTokens: 1, outputTokens: 1 },
};

interface RunsReport {
  total: number;
  runs: { id: string; title: string; tags: string[]; systems: { passRate: number | null }[]; status: string }[];
}

async function list(space: TempProject, ...flags: string[]): Promise<RunsReport> {
  const { stdout, stderr, code } = await runAssay(space.dir, "runs", "--output", "json", ...flags);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout) as RunsReport;
}

describe("a run that was tagged and renamed", () => {
  it("keeps the tags that several processes give it at once", async () => {
    const space = storedRuns("a");
    const tags = ["t1", "t2", "t3", "t4", "t5"];
    await Promise.all(tags.map((tag) => runAssay(space.dir, "runs", "tag", "a", tag)));
    expect((await list(space)).runs[0]?.tags).toEqual(tags);
    expect(readdirSync(space.path(".assay/runs/a"))).not.toContain("labels.lock");
  });

  it("is listed with both, and other commands take them for it", async () => {
    const space = project();
    expect((await measure(space, "right.jsonl", "--tag", "nightly", "--tag", "baseline")).code).toBe(0);
    expect((await measure(space, "wrong.jsonl", "--title", "second try")).code).toBe(0);
    const [second, first] = (await list(space)).runs;
    expect(first).toMatchObject({ tags: ["baseline", "nightly"], systems: [{ passRate: 1 }], status: "complete" });
    expect(second).toMatchObject({ title: "second try", tags: [], systems: [{ passRate: 0 }] });

    await runAssay(space.dir, "runs", "rename", "nightly", "all right");
    const table = await runAssay(space.dir, "runs");
    expect(table.stdout).toContain("all right");
    const reported = await runAssay(space.dir, "report", "all right");
    expect(reported.stdout).toContain("all right");
    expect((await runAssay(space.dir, "export", "nightly", "--format", "csv")).stdout).toContain(",right,");
    expect((await runAssay(space.dir, "show", "second try")).stdout).toContain("# second try");

    const compared = await runAssay(
      space.dir,
      "compare",
      "baseline",
      "second try",
      "--max-drop",
      "0.1",
      "--system-a",
      "right",
      "--system-b",
      "wrong",
    );
    expect(compared.code).toBe(1);
    const queried = await runAssay(
      space.dir,
      "query",
      "select title, tags from runs order by created_at",
      "--output",
      "jsonl",
    );
    expect(
      queried.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { title: "all right", tags: ["baseline", "nightly"] },
      { title: "second try", tags: [] },
    ]);
  });

  it("is compared with the baseline if it is named alone", async () => {
    const space = project();
    space.write(
      "s.jsonl",
      QUESTIONS.map(({ id, answer }) => ({ id, response: answer })),
    );
    await measure(space, "s.jsonl");
    const lonely = await runAssay(space.dir, "compare", "latest");
    expect(lonely.code).toBe(2);
    expect(lonely.stderr).toContain("assay baseline set BEFORE");
    await runAssay(space.dir, "baseline", "set", "latest");
    await measure(space, "s.jsonl");
    const compared = await runAssay(space.dir, "compare", "latest");
    expect(compared.code).toBe(0);
    expect(compared.stderr).toContain("Comparing the baseline");
    const shown = await runAssay(space.dir, "baseline");
    expect(shown.stdout.trim()).toBe(basename(space.runs()[0] ?? ""));
    expect((await runAssay(space.dir, "baseline", "clear")).stderr).toContain("is no longer the baseline");
    expect((await runAssay(space.dir, "compare", "baseline", "latest")).stderr).toContain("There is no baseline");
  });
});

describe("assay runs", () => {
  it("lists the newest first, and filters", async () => {
    const space = storedRuns("a", "b", "c");
    await runAssay(space.dir, "runs", "tag", "b", "good", "x.y_z-1");
    const ids = async (...flags: string[]) => (await list(space, ...flags)).runs.map(({ id }) => id);
    expect(await ids()).toEqual(["c", "b", "a"]);
    expect(await ids("-n", "2")).toEqual(["c", "b"]);
    expect(await ids("--tag", "good")).toEqual(["b"]);
    expect(await ids("--since", "2026-11-02")).toEqual(["c", "b"]);
    expect(await ids("--system", "one", "--dataset", "d")).toEqual(["c", "b", "a"]);
    expect(await ids("--system", "two")).toEqual([]);
    expect(await ids("--status", "complete", "x.y_z")).toEqual(["b"]);
    const short = await runAssay(space.dir, "runs", "-n", "1");
    expect(short.stderr).toBe("Showing 1 of 3 runs. Use -n 3 to list all.\n");
    expect((await runAssay(space.dir, "runs", "nothing", "like", "it")).stderr).toBe("None of the 3 runs match.\n");
  });

  it.each([
    [["--status", "done"], 'Unknown status "done".'],
    [["--since", "yesterday"], "--since takes a date such as 2026-11-01"],
    [["--output", "csv"], 'Unknown output format "csv".'],
    [["--runs-dir", "nowhere"], "There is no folder nowhere. Start a run"],
    [["-n", "0"], "It must be at least 1"],
    [["tag", "a"], "missing required argument 'tags'"],
    [["tag", "a", "two words"], '"two words" cannot be a tag'],
    [["tag", "a", "latest"], '"latest" always means the run that was started last'],
    [["tag", "a", "good", "--remove"], "a does not have the tag good. Its tags: none."],
    [["tag", "bb", "good"], 'Did you mean "b"?'],
    [["rename", "a", " "], "The title is empty"],
    [["rename", "a", "x", "y"], "too many arguments"],
    [["rm"], "missing required argument 'runs'"],
    [["rm", "a"], "Nothing was deleted, because there is no terminal"],
    [["rm", "/etc"], "/etc is not a run folder"],
    [["rm", "..", "--yes"], "is not a run folder"],
    [["rm", "test", "--yes"], '2 runs have the title "test": b, a. Name those to delete by id.'],
  ])("%j is answered with what to do", async (args, says) => {
    const space = storedRuns("a", "b");
    const { code, stderr, stdout } = await runAssay(space.dir, "runs", ...args);
    expect(stderr).toContain(says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(space.runs().map((dir) => basename(dir))).toEqual(["a", "b"]);
  });
});

describe("assay runs rm", () => {
  it("deletes the named runs and nothing else", async () => {
    const space = storedRuns("a", "b", "c");
    space.write("precious/file.txt", "keep");
    symlinkSync(space.path("precious"), space.path(".assay/runs/a/link"));
    const removed = await runAssay(space.dir, "runs", "rm", "a", "latest", "--yes");
    expect(removed).toMatchObject({ code: 0, stdout: "" });
    expect(removed.stderr).toContain('a "test", 2 trials');
    expect(space.runs().map((dir) => basename(dir))).toEqual(["b"]);
    expect(space.read("precious/file.txt")).toBe("keep");
  });

  it("removes a link in the folder, not what it points to", async () => {
    const space = storedRuns("a");
    writeTestRun(space.path("elsewhere"), {});
    symlinkSync(space.path("elsewhere"), space.path(".assay/runs/linked"));
    expect((await runAssay(space.dir, "runs", "rm", "linked", "--yes")).code).toBe(0);
    expect(existsSync(space.path("elsewhere/manifest.json"))).toBe(true);
    expect(readdirSync(space.path(".assay/runs"))).toEqual(["a"]);
    const outside = await runAssay(space.dir, "runs", "rm", "elsewhere", "--yes");
    expect(outside.stderr).toContain("elsewhere is not in .assay/runs");
    expect(existsSync(space.path("elsewhere/manifest.json"))).toBe(true);
  });

  it("refuses a run that is being written, before it deletes any other", async () => {
    const space = storedRuns("a", "b");
    // This process is alive, so it counts as the writer.
    writeFileSync(
      space.path(".assay/runs/b/lock"),
      JSON.stringify({ pid: process.pid, host: hostname(), start: null }),
    );
    const { code, stderr } = await runAssay(space.dir, "runs", "rm", "a", "b", "--yes");
    expect(stderr).toContain("is being written by another process");
    expect(code).toBe(2);
    expect(space.runs().map((dir) => basename(dir))).toEqual(["a", "b"]);
  });

  it("deletes a run with a damaged manifest, but no other folder", async () => {
    const space = storedRuns("a");
    space.write(".assay/runs/broken/manifest.json", "{");
    mkdirSync(space.path(".assay/runs/notes"));
    expect((await runAssay(space.dir, "runs", "rm", "broken", "--yes")).code).toBe(0);
    expect((await runAssay(space.dir, "runs", "rm", "notes", "--yes")).code).toBe(2);
    expect(readdirSync(join(space.dir, ".assay/runs"))).toEqual(["a", "notes"]);
  });
});

describe("--tag", () => {
  it("is checked before anything runs, and is for new runs", async () => {
    const space = project();
    const bad = await measure(space, "right.jsonl", "--tag", "two words");
    expect(bad.stderr).toContain('"two words" cannot be a tag');
    expect([bad.code, space.runs()]).toEqual([2, []]);
    const late = await runAssay(space.dir, "--resume", "--tag", "x");
    expect(late.stderr).toContain("assay runs tag RUN x");
    expect(late.code).toBe(2);
  });
});
