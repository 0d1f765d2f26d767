import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { type Mock, startMock } from "../src/testing/mock/index.js";
import { type FinishedCommand, watchCommand } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";
import { parseBlocks } from "./docs/markdown.js";
import { PackedPackage, ROOT } from "./jobs/packed-package.js";
import { type Job, readJobs, readMistakes } from "./jobs/read-jobs.js";

const PAGE = readFileSync(join(ROOT, "docs/guides/jobs.md"), "utf8");
const jobs = readJobs(PAGE);
const mistakes = readMistakes(PAGE);
/** Where the page expects the simulated models. */
const PAGE_ADDRESS = "127.0.0.1:8080";

let installed: PackedPackage;
let mock: Mock;

beforeAll(async () => {
  installed = new PackedPackage();
  const script = parseBlocks(PAGE).find(({ info }) => info === "mock.yaml");
  mock = await startMock(parse(script?.text ?? "") as object);
});

afterAll(async () => {
  await mock.close();
  installed.remove();
});

/** An empty project with the package installed. */
function startProject(): { project: TempProject; run(line: string): Promise<FinishedCommand> } {
  const project = new TempProject();
  const bin = installed.installIn(project.dir);
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NO_COLOR: "1",
    COLUMNS: "100",
    OPENAI_API_KEY: undefined,
  };
  return {
    project,
    run: (line) => {
      const command = relocate(line);
      const child = spawn("sh", ["-c", command], { cwd: project.dir, env, stdio: ["ignore", "pipe", "pipe"] });
      return watchCommand(child).finished;
    },
  };
}

function relocate(text: string): string {
  return text.replaceAll(PAGE_ADDRESS, mock.url.replace("http://", ""));
}

describe("docs/guides/jobs.md", () => {
  it("has ten jobs and 25 mistakes", () => {
    expect(jobs.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(mistakes.length).toBeGreaterThanOrEqual(25);
  });

  it.each(jobs)("promises the number of commands of job $number", ({ steps, promised }) => {
    expect(promised).toBe(steps.filter(({ kind }) => kind === "command").length);
  });
});

describe.skipIf(isCommandMissing("python3"))("each job in an empty project", () => {
  it.each(jobs)("job $number: $title", async ({ steps }: Job) => {
    const { project, run } = startProject();
    let ended: FinishedCommand = { code: 0, signal: null, stdout: "", stderr: "" };
    for (const step of steps) {
      if (step.kind === "file") {
        mkdirSync(dirname(project.path(step.name)), { recursive: true });
        writeFileSync(project.path(step.name), relocate(step.text));
      } else if (step.kind === "command") {
        ended = await run(step.line);
        expect(ended.code, `${step.line}\n${ended.stdout}\n${ended.stderr}`).toBe(step.exitCode);
      } else {
        const said = `${ended.stdout}\n${ended.stderr}`;
        for (const line of step.text.split("\n")) expect(said).toContain(line.trimEnd());
      }
    }
  });
});

describe("each mistake has a message and no stack trace", () => {
  it.each(mistakes)("$what", async ({ command, message }) => {
    const { project, run } = startProject();
    for (const step of jobs[9]?.steps ?? []) if (step.kind === "file") project.write(step.name, step.text);
    const { code, stdout, stderr } = await run(command);
    expect(stdout + stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at .+:\d+:\d+/m);
    expect([1, 2, 3]).toContain(code);
  });
});
