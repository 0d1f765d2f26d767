import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { getErrorMessage } from "../core/errors.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";
import { renderHtmlPage } from "../report/dashboard/html-report-page.js";
import { startServer } from "../server/index.js";
import { queryRuns } from "../store/history/query-runs.js";
import { RunJournal } from "../store/journal.js";
import { readOutputs } from "../store/outputs.js";
import { TempProject } from "../testing/temp-project.js";
import { openExport } from "./export-run.js";
import { gradeRun } from "./grade-run.js";
import { loadRun } from "./load-run.js";

const SECRET = "SECRET-of-the-user";
const KEY = { system: "s", dataset: "", exampleId: 1, trial: 0 };
const EXAMPLE = { id: 1, question: "Capital?", answer: "Paris" };
const WORK = { dataset: [EXAMPLE], evaluators: [new AnswerQuality()] };

/** Files outside the runs folder, which must never be shown. */
const OUTSIDE = {
  "secret.json": `${JSON.stringify({ ...KEY, output: { response: SECRET } })}\n`,
  "secret.txt": `${SECRET}\n`,
};

async function storedRun(): Promise<{ space: TempProject; dir: string }> {
  const space = new TempProject(OUTSIDE);
  mkdirSync(space.path("page"));
  for (const file of ["index.html", "app.js", "app.css"]) writeFileSync(space.path("page", file), "");
  const systems = [{ name: "s", process: () => ({ response: "Paris" }) }];
  await evaluate({ ...WORK, systems, runsDir: space.path("runs") });
  return { space, dir: space.path(space.runs("runs")[0] ?? "") };
}

/** Everything that is shown of a run, errors included. */
async function allThatIsTold(space: TempProject, dir: string): Promise<string> {
  const looks: Record<string, () => unknown> = {
    outputs: () => [...readOutputs(dir)],
    report: async () => (await loadRun(dir)).toJSON(),
    page: async () =>
      pageText([...(await renderHtmlPage(await loadRun(dir), { page: { script: "", style: "" } }))].join("")),
    csv: () => exported(dir),
    query: () => queryRuns({ runsDir: space.path("runs"), sql: "select * from trials" }),
    grade: async () => (await gradeRun(dir, { datasets: [[EXAMPLE]], evaluators: WORK.evaluators })).toJSON(),
    dashboard: () => served(space, dir),
  };
  const told: unknown[] = [];
  for (const [name, look] of Object.entries(looks)) {
    try {
      told.push([name, await look()]);
    } catch (error) {
      told.push([name, getErrorMessage(error)]);
    }
  }
  return JSON.stringify(told);
}

function pageText(page: string): string {
  const [, data = ""] = /id="assay-data">([^<]*)<\/script>/.exec(page) ?? [];
  return `${page} ${gunzipSync(Buffer.from(data, "base64")).toString()}`;
}

async function exported(dir: string): Promise<string> {
  let text = "";
  for await (const piece of await openExport({ dir, format: "csv", withOutputs: true }, () => {})) text += piece;
  return text;
}

async function served(space: TempProject, dir: string): Promise<string[]> {
  const pageDir = space.path("page");
  const options = { load: loadRun, pageDir, host: "127.0.0.1", port: 0, token: null };
  const server = await startServer({ ...options, runsDir: space.path("runs") });
  const run = `api/runs/${dir.split("/").at(-1)}`;
  const trial = "system=s&example=1&trial=0";
  const paths = [
    "api/runs",
    run,
    `${run}/rows`,
    `${run}/trial?${trial}`,
    `${run}/text?${trial}&of=output&name=response`,
  ];
  try {
    const texts: string[] = [];
    for (const path of [...paths, `${run}/search?q=SECRET`])
      texts.push(await (await fetch(`${server.url}${path}`)).text());
    return texts;
  } finally {
    await server.close();
  }
}

function nameOutput(dir: string, file: unknown): void {
  writeFileSync(join(dir, "outputs.jsonl"), `${JSON.stringify({ ...KEY, file })}\n`);
}

describe("an untrusted run folder", () => {
  it("shows its own files", async () => {
    const { space, dir } = await storedRun();
    mkdirSync(join(dir, "outputs"));
    renameSync(space.path("secret.json"), join(dir, "outputs", "a.json"));
    nameOutput(dir, "outputs/a.json");
    expect((await allThatIsTold(space, dir)).split(SECRET).length).toBeGreaterThan(5);
  });

  it.each(["secret.json", "secret.txt"])("shows nothing of %s through a name that leads out of it", async (name) => {
    const { space, dir } = await storedRun();
    mkdirSync(join(dir, "outputs"));
    symlinkSync(space.path(name), join(dir, "outputs", "a.json"));
    for (const file of [`../../${name}`, space.path(name), `outputs/../../../${name}`, "outputs/a.json"]) {
      nameOutput(dir, file);
      expect(await allThatIsTold(space, dir)).not.toContain("SECRET-of");
    }
  });

  it.each(["manifest.json", "rows.jsonl", "outputs.jsonl", "examples.jsonl", "summary.json", "card.json", "lock"])(
    "shows nothing through a link in place of %s",
    async (file) => {
      const { space, dir } = await storedRun();
      for (const name of Object.keys(OUTSIDE)) {
        rmSync(join(dir, file), { force: true });
        symlinkSync(space.path(name), join(dir, file));
        expect(await allThatIsTold(space, dir)).not.toContain("SECRET-of");
      }
    },
  );

  it
    .skipIf(process.platform === "win32")
    .each([
      "manifest.json",
      "rows.jsonl",
      "outputs.jsonl",
      "examples.jsonl",
      "summary.json",
      "card.json",
      "queue.json",
      "lock",
      "outputs/a.json",
    ])("is read completely although %s is a pipe", async (file) => {
    const { space, dir } = await storedRun();
    if (file === "outputs/a.json") {
      mkdirSync(join(dir, "outputs"));
      nameOutput(dir, file);
    }
    rmSync(join(dir, file), { force: true });
    execFileSync("mkfifo", [join(dir, file)]);
    expect(await allThatIsTold(space, dir)).toContain("dashboard");
  });

  it.each(["rows.jsonl", "outputs.jsonl", "outputs"])("is not resumed through a link in place of %s", async (file) => {
    const { space, dir } = await storedRun();
    rmSync(join(dir, file), { force: true, recursive: true });
    // Also a dangling link: appending would create its target.
    for (const target of ["secret.txt", "new.txt"]) {
      symlinkSync(space.path(target), join(dir, file));
      expect(() => RunJournal.resume(dir)).toThrow(`${join(dir, file)} is a link`);
      rmSync(join(dir, file));
    }
    expect(readFileSync(space.path("secret.txt"), "utf8")).toBe(OUTSIDE["secret.txt"]);
    expect(existsSync(space.path("new.txt"))).toBe(false);
  });
});
