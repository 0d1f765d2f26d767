import { execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LAUNCHER, parseReport, runAssay, watchCommand } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, TempProject } from "../src/testing/temp-project.js";

describe("help and version", () => {
  it.each([[[]], [["run"]], [["demo"]], [["datasets"]], [["doctor"]]])(
    "assay %j --help has examples",
    async (command) => {
      const { code, stdout, stderr } = await runAssay(new TempProject().dir, ...command, "--help");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: assay/);
      expect(stdout).toMatch(/^Examples?:\n {2}assay /m);
    },
  );

  it("ignores a closed pipe", () => {
    const script = `"$0" "$1" --help | head -n 1; echo "\${PIPESTATUS[0]}"`;
    const printed = execFileSync("bash", ["-c", script, process.execPath, LAUNCHER], { encoding: "utf8" });
    expect(printed).toBe("Usage: assay [options] [command]\n0\n");
  });

  it("prints only the version", async () => {
    const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    for (const flag of ["--version", "-V"]) {
      expect(await runAssay(new TempProject().dir, flag)).toMatchObject({
        code: 0,
        stdout: `${manifest.version}\n`,
        stderr: "",
      });
    }
  });
});

describe("assay datasets", () => {
  it("lists named datasets", async () => {
    const { code, stdout } = await runAssay(new TempProject().dir, "datasets");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| needle +\| +\| contains +\|/);
    expect(stdout).toContain("--dataset ./questions.jsonl");
  });

  it("shows one by name, or a file", async () => {
    const space = new TempProject({ "data.csv": "prompt,gold\nWhat is it?,this\n" });
    const needle = await runAssay(space.dir, "datasets", "show", "needle");
    expect(needle.stdout).toMatch(/^# needle\n[\s\S]*primary score: contains[\s\S]*One example [\s\S]*Gold: /);
    expect(await runAssay(space.dir, "datasets", "show", "needle")).toEqual(needle);
    const file = await runAssay(space.dir, "datasets", "show", "data.csv", "--map", "question=prompt,answer=gold");
    expect(file.stdout).toContain("What is it?\n\nGold: this");
  });

  it.each([
    [["shwo", "needle"], 'Unknown action "shwo". Did you mean "show"?'],
    [["show"], "The dataset is missing. Write: assay datasets show NAME."],
    [["show", "nedle"], 'Unknown dataset "nedle". Did you mean "needle"?'],
  ])("rejects %j", async (args, message) => {
    const { code, stdout, stderr } = await runAssay(new TempProject().dir, "datasets", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("assay doctor", () => {
  it("passes on this machine", async () => {
    const { code, stdout } = await runAssay(new TempProject().dir, "doctor");
    expect(code).toBe(0);
    expect(stdout).toMatch(/\| Node\.js +\| ok +\| v\d+/);
    expect(stdout).toContain("cl100k_base 2, o200k_base 2");
    expect(stdout).not.toContain("| bad");
  });
});

describe("assay demo", () => {
  /** The table without times and without the name of the run. */
  const timeless = (table: string) =>
    table
      .replace(/^- .* trials\/s .*$/m, "")
      .replace(/^- Fastest: .*$/m, "")
      .replace(/(?:elsewhere\/)?\d{8}-\d{6}/, "")
      .split("\n")
      .map((line) => (line.startsWith("|") ? line.split("|").toSpliced(7, 2).join("|").replace(/ +/g, " ") : line))
      .join("\n");

  it("is the same each time except for times, and prints findings and next steps", async () => {
    const space = new TempProject();
    const first = await runAssay(space.dir, "demo");
    const second = await runAssay(space.dir, "demo", "--runs-dir", "elsewhere");
    expect(timeless(first.stdout)).toBe(timeless(second.stdout));
    expect(timeless(first.stdout)).not.toContain(" ms ");
    expect(first.stdout).toMatch(/^\S+ keeps [\d.]+ % of the answers with [\d.]+ % of the tokens\.$/m);
    expect(first.stdout).toContain("Pareto rank 1");
    expect(first.stdout.match(/^\| (?!system|-)/gm)?.length).toBeGreaterThanOrEqual(5);
    expect(first.stderr).toContain(`Stored in ${space.runs()[0]}`);
    expect(first.stderr).toContain("What to do next:");
    expect(second.stderr).toContain(`Stored in ${space.runs("elsewhere")[0]}`);
    expect([first.code, second.code]).toEqual([0, 0]);
  });

  it("uses another seed, and writes only JSON to stdout", async () => {
    const finished = await runAssay(new TempProject().dir, "demo", "--output", "json", "--seed", "7");
    expect(parseReport(finished)).toMatchObject({ schema: "assay.report/1", config: { seed: 7 } });
  });
});

describe("process", () => {
  it("ignores a closed stdout", async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => ({ id: i, question: `q${i}`, answer: "x" }));
    const space = new TempProject({ "many.jsonl": rows, "oracle.mjs": ORACLE_SYSTEM });
    const command = `"${process.execPath}" "${LAUNCHER}" --dataset many.jsonl --system ./oracle.mjs --output json --quiet | head -1; echo "\${PIPESTATUS[0]}"`;
    const child = spawn("bash", ["-c", command], { cwd: space.dir, stdio: ["ignore", "pipe", "pipe"] });
    const { stdout, stderr } = await watchCommand(child).finished;
    expect(stdout).toBe("{\n0\n");
    expect(stderr).toMatch(/^(Stored in \S+\n)?$/);
  });

  it("ignores a closed stderr", async () => {
    const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM });
    const args = [LAUNCHER, "--dataset", "capitals.jsonl", "--system", "./oracle.mjs", "--output", "json"];
    const child = spawn(process.execPath, args, { cwd: space.dir, stdio: ["ignore", "pipe", "pipe"] });
    child.stderr.destroy();
    const finished = await watchCommand(child).finished;
    expect(finished.code).toBe(0);
    expect(parseReport(finished).rows).toHaveLength(4);
  });

  it.skipIf(isCommandMissing("git"))("records the git revision", async () => {
    const space = new TempProject({ "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM });
    const git = (...args: string[]) =>
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: space.dir, encoding: "utf8" });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    await runAssay(space.dir, "--dataset", "capitals.jsonl", "--system", "./oracle.mjs");
    const manifest = JSON.parse(space.read(space.runs()[0] ?? "", "manifest.json")) as { gitRevision: string };
    expect(manifest.gitRevision).toBe(git("rev-parse", "HEAD").trim());
  });
});
