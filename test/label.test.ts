import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { LAUNCHER, parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const COUNT = 60;

/** Two systems, of which one is right more often; the evaluator passes both too often. */
function project(): TempProject {
  const system = (name: string, rate: number) =>
    `export default { name: "${name}", process: ({ id, answer }) => ({ response: (id * 7919) % 100 < ${rate} ? answer : "no" }) };`;
  return new TempProject({
    "q.jsonl": Array.from({ length: COUNT }, (_, id) => ({ id, question: `What is ${id}?`, answer: `number ${id}` })),
    "a.mjs": system("a", 80),
    "b.mjs": system("b", 50),
  });
}

const RUN = ["run", "--dataset", "q.jsonl", "--quiet"];

/** Types one command per line. */
function label(space: TempProject, lines: readonly string[], ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, "label", ...args], {
    cwd: space.dir,
    input: `${lines.join("\n")}\n`,
    encoding: "utf8",
  });
  return { code: status, stdout, stderr };
}

const readLines = (space: TempProject, run: string) =>
  readFileSync(join(space.dir, run, "labels.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

async function measure(space: TempProject, ...systems: string[]): Promise<string> {
  const { stderr } = await runAssay(space.dir, ...RUN, ...systems.flatMap((name) => ["--system", `./${name}.mjs`]));
  return /Stored in (\S+)/.exec(stderr)?.[1] ?? "";
}

describe("assay label", () => {
  it("is blind, stores each label at once, goes on where it ended, and takes labels back", async () => {
    const space = project();
    const run = await measure(space, "a", "b");
    const first = label(space, ["r", "n it is close", "w", "u", "w", "s", "x", "q"], "latest", "-n", "20");
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('Unknown key "x"') });
    expect(first.stderr).toContain("2 of 20 labeled. Go on with: assay label latest");
    expect(first.stdout).toMatch(/QUESTION\nWhat is \d+\?\n\nEXPECTED\nnumber \d+\n\nANSWER\n(?:no|number \d+)/);
    expect(first.stdout.split("## Corrected by labels")[0]).not.toMatch(/pass|fail|\ba\b:|\bb\b:/);
    const lines = readLines(space, run);
    expect(lines.map(({ verdict, note, blind }) => [verdict, note, blind])).toEqual([
      ["right", "", true],
      ["wrong", "it is close", true],
      [null, "", true],
      ["wrong", "", true],
    ]);
    const second = label(space, Array(18).fill("r"), "latest");
    expect(second.stderr).not.toContain("Go on with");
    expect(label(space, [], "latest").stderr).toContain("All 20 chosen trials have a label.");
    const { stdout } = await runAssay(
      space.dir,
      "report",
      "latest",
      "--labels",
      "--output",
      "json",
      "--half-width",
      "0.2",
    );
    const { labels } = JSON.parse(stdout);
    expect(labels).toMatchObject({
      halfWidth: 0.2,
      notes: [],
      systems: [
        { system: "a", labels: 10 },
        { system: "b", labels: 10 },
      ],
    });
    const { corrected, judgeAlone } = labels.systems[0];
    expect(corrected.value).not.toBe(judgeAlone);
    expect(corrected.low).toBeLessThan(corrected.value);
  });

  it("corrects a comparison of two systems, and of two runs labeled on the same examples", async () => {
    const space = project();
    await measure(space, "a", "b");
    label(space, Array(30).fill("r"), "latest", "-n", "30");
    const pair = ["--system-a", "a", "--system-b", "b", "--labels"];
    const own = await runAssay(space.dir, "compare", "latest", ...pair);
    expect(own).toMatchObject({ code: 0, stdout: expect.stringContaining("## Corrected by labels") });
    expect(own.stdout).toMatch(/b − a: judge alone -0\.\d+, corrected 0 \[-0\.\d+, 0\.\d+\] by 15 labels/);
    const before = await measure(space, "a");
    const after = await measure(space, "b");
    expect(label(space, [], after, "--like", before).stderr).toContain(`Begin with: assay label ${before} -n 60`);
    label(space, Array(20).fill("r"), before, "-n", "20");
    const like = label(space, Array(20).fill("w"), after, "--like", before);
    expect(like.code).toBe(0);
    const both = await runAssay(space.dir, "compare", before, after, "--labels", "--output", "json");
    expect(JSON.parse(both.stdout).labels.systems).toMatchObject([
      { system: "b − a", labels: 20, corrected: { value: -1 } },
    ]);
  });

  it("reads labels of the run from a file, and labels of another set with what the judge said", async () => {
    const space = project();
    await measure(space, "a");
    space.write(
      "mine.csv",
      `ID,Label\n${Array.from({ length: 20 }, (_, id) => `${id},${id < 10 ? "right" : "wrong"}`).join("\n")}\n`,
    );
    const mine = await runAssay(space.dir, "report", "latest", "--labels", "mine.csv");
    expect(mine.stdout).toContain("by 20 labels");
    expect(mine.stdout).toContain("the labels of the file are taken to be a random sample of the trials");
    const other = [
      ["right", "pass", 40],
      ["right", "fail", 5],
      ["wrong", "pass", 5],
      ["wrong", "fail", 20],
    ] as const;
    space.write(
      "other.jsonl",
      other.flatMap(([l, judge, n]) => Array<string>(n).fill(JSON.stringify({ label: l, judge }))).join("\n"),
    );
    const rogan = await runAssay(space.dir, "report", "latest", "--labels", "other.jsonl");
    expect(rogan.stdout).toContain("by 70 labels from another set");
    space.write("bad.csv", "id,label\n0,maybe\n999,right\n");
    const bad = await runAssay(space.dir, "report", "latest", "--labels", "bad.csv");
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toContain('bad.csv:2: "label" must be right or wrong, but is "maybe" (and 1 more bad row)');
  });

  it("explains what is wrong", async () => {
    const space = project();
    const run = await measure(space, "a");
    const labels = await runAssay(space.dir, "report", "latest", "--labels");
    expect(labels).toMatchObject({ code: 2, stderr: expect.stringContaining("Label some with: assay label") });
    const lone = await runAssay(space.dir, "report", "latest", "--half-width", "0.1");
    expect(lone).toMatchObject({ code: 2, stderr: expect.stringContaining("Add --labels, or remove it.") });
    expect(label(space, [], "latest", "--system", "c").stderr).toContain('has no system "c". It has: a.');
    expect(label(space, [], "latest", "-n", "0")).toMatchObject({ code: 2 });
    expect(existsSync(join(space.dir, run, "label-plan.json"))).toBe(false);
    label(space, ["q"], "latest", "-n", "10");
    expect(label(space, [], "latest", "-n", "20").stderr).toContain("10 trials of this run were chosen already");
    expect(parseReport(await runAssay(space.dir, "report", "latest", "--output", "json")).rows).toHaveLength(COUNT);
  });
});
