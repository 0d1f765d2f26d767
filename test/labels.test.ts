import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, it, onTestFinished } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { startMock } from "../src/testing/mock/index.js";
import { startAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, PARIS_SYSTEM, TempProject } from "../src/testing/temp-project.js";

/** A stored run with one trial of each example; only France is right. */
async function makeRun(more: Readonly<Record<string, string>> = {}): Promise<{ space: TempProject; run: string }> {
  const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "paris.mjs": PARIS_SYSTEM, ...more });
  const args = ["run", "--system", "./paris.mjs", "--dataset", "capitals.jsonl", "--quiet", "--output", "json"];
  const { code, stderr } = await runPooledAssay(space.dir, ...args, "--score-field", "exact_match");
  expect(code, stderr).toBe(0);
  return { space, run: space.runs()[0] ?? "" };
}

type Labels = (label: Readonly<Record<string, unknown>>) => Promise<number>;

/** Starts `assay serve --label`, and returns a function that marks a trial as its page does. */
async function serveLabels(space: TempProject, run: string, labeler: string): Promise<Labels> {
  const { child } = startAssay(space.dir, ["serve", "--no-open", "--port", "0", "--label", "--labeler", labeler]);
  if (child.stdout === null) throw new Error("The server has no stdout.");
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  const access = (await (await fetch(`${url}api/label-access`)).json()) as { writeToken: string };
  const headers = { origin: new URL(url).origin, "x-assay-write-token": access.writeToken };
  const rest = { system: "paris", dataset: "capitals", trial: 0, note: "", tags: [], blind: false };
  return async (label) => {
    const response = await fetch(`${url}api/runs/${run.split("/").at(-1)}/labels`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ ...rest, ...label }),
    });
    await response.arrayBuffer();
    return response.status;
  };
}

/** One line of `labels.jsonl`. */
const line = (exampleId: string, verdict: "right" | "wrong" | null, more: Readonly<Record<string, unknown>> = {}) => ({
  ...{ schema: "assay.trial-label/1", system: "paris", dataset: "capitals", exampleId, trial: 0, verdict },
  ...{ note: "", tags: [], blind: false, at: "2026-11-18T10:00:00.000Z", labeler: null, ...more },
});

const verdict = (value: string) => `{"reasoning": "So.", "cannot_judge": false, "verdict": "${value}"}`;

/** A judge that passes what is asked about France and Italy. */
async function startJudge() {
  const reply = [
    { match: "/France|Italy/", reply: verdict("pass") },
    { match: "/./", reply: verdict("fail") },
  ];
  const mock = await startMock({ keepBodies: true, reply });
  onTestFinished(() => mock.close());
  return { mock, flags: ["--judge-url", mock.url, "--judge-model", "gpt-4o"] };
}

describe("labels of a run", () => {
  it("go from the page to assay show and to the calibration of a judge", async () => {
    const { space, run } = await makeRun();
    const label = await serveLabels(space, run, "Ann");
    const given = [
      { exampleId: "fr", verdict: "wrong" },
      { exampleId: "fr", verdict: "right", note: "also the largest city", tags: ["easy"], blind: true },
      { exampleId: "it", verdict: "wrong" },
      { exampleId: "es", verdict: "wrong" },
      { exampleId: "de", verdict: null, note: "ask again" },
    ];
    for (const one of given) expect(await label(one)).toBe(200);

    const list = await runPooledAssay(space.dir, "show");
    expect(list.stdout).toMatch(/\| fr#0 +\| pass +\| right /);
    expect(list.stdout).toMatch(/\| it#0 +\| fail +\| wrong /);
    expect(list.stdout).toMatch(/\| de#0 +\| fail +\| note /);
    const shown = await runPooledAssay(space.dir, "show", "latest", "fr");
    expect(shown.stdout).toMatch(/^label +right, by Ann on \d{4}-\d\d-\d\d, blind \[easy\]: also the largest city$/m);
    const json = JSON.parse((await runPooledAssay(space.dir, "show", "latest", "fr", "--output", "json")).stdout);
    expect(json.label).toMatchObject({ ...given[1], system: "paris", labeler: "Ann" });
    const all = JSON.parse((await runPooledAssay(space.dir, "show", "--output", "json")).stdout);
    expect(all.labels.map(({ exampleId }: { exampleId: string }) => exampleId)).toEqual(["fr", "it", "es", "de"]);

    const { mock, flags } = await startJudge();
    const judged = await runPooledAssay(space.dir, "judge", "calibrate", "latest", ...flags, "--output", "json");
    expect(judged.code, judged.stderr).toBe(0);
    const { labels, disagreements, file } = JSON.parse(judged.stdout);
    expect({ labels, file }).toEqual({ labels: 3, file: expect.stringMatching(/labels\.jsonl$/) });
    expect(disagreements).toMatchObject([
      {
        trial: { system: "paris", dataset: "capitals", exampleId: "it", trial: 0 },
        question: "Capital of Italy?",
        response: "Paris",
        people: "fail",
        judge: "pass",
      },
    ]);
    expect(mock.counts.requests).toBe(3);
    const table = await runPooledAssay(space.dir, "judge", "calibrate", "--labels", `${run}/labels.jsonl`, ...flags);
    expect(table.stdout).toMatch(/\| paris +\| it#0 +\| fail +\| pass +\| Capital of Italy\? +\| Paris /);
  });

  it("are all kept when two servers write at once", async () => {
    const { space, run } = await makeRun();
    const servers = await Promise.all(["Ann", "Ben"].map((name) => serveLabels(space, run, name)));
    const ids = CAPITAL_EXAMPLES.map(({ id }) => id);
    const writes = Array.from({ length: 40 }, (_, i) =>
      servers.map((label) => label({ exampleId: ids[i % 4], verdict: "right", note: `note ${i} ${"x".repeat(3000)}` })),
    );
    expect(new Set(await Promise.all(writes.flat()))).toEqual(new Set([200]));
    const lines = space.read(run, "labels.jsonl").trimEnd().split("\n");
    const kept = lines.map((text) => JSON.parse(text) as { labeler: string; note: string });
    const names = kept.map(({ labeler, note }) => `${labeler} ${note.split(" ")[1]}`);
    expect(new Set(names).size).toBe(80);
    expect(lines).toHaveLength(80);
  });

  it("that a judge cannot be compared with are named", async () => {
    const { space, run } = await makeRun();
    space.write(`${run}/labels.jsonl`, [line("fr", "right"), line("xx", "wrong")]);
    const { flags } = await startJudge();
    const { code, stdout, stderr } = await runPooledAssay(space.dir, "judge", "calibrate", "latest", ...flags);
    expect(stderr).toContain("labels.jsonl: xx#0 of paris has no stored output");
    expect(stdout).toContain("1 of 1 row judged");
    expect(code).toBe(0);
  });

  it.each([
    ["a run without labels", ["latest"], "is marked right or wrong. Mark some with: assay serve --label"],
    ["a run that does not exist", ["nightly"], "nightly"],
    ["a run and a file", ["latest", "--labels", "labels.jsonl"], 'Remove "latest" or --labels.'],
    ["a scale that is not right or wrong", ["latest", "--judge-scale", "1-5"], "Use --judge-scale binary."],
    ["pairs", ["latest", "--judge-pairwise"], "Remove --judge-pairwise."],
    ["labels without their run", ["--labels", "labels.jsonl"], "Name the run instead: assay judge calibrate RUN"],
    ["two runs", ["latest", "other"], "too many arguments"],
  ])("are refused for %s", async (_, args, message) => {
    const { space } = await makeRun({ "labels.jsonl": JSON.stringify(line("fr", "right")) });
    const judge = ["--judge-url", "http://127.0.0.1:9", "--judge-model", "m"];
    const { code, stderr } = await runPooledAssay(space.dir, "judge", "calibrate", ...args, ...judge);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});
