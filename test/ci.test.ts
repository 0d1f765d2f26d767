import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { GithubServer } from "../src/testing/github-server.js";
import { LAUNCHER, runAssay, startAssay, watchCommand } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 12 }, (_, id) => ({ id, question: `What is ${id}?`, answer: `number ${id}` }));

/** The system answers as `quality.txt` says, so that a commit can make it worse. */
function project(): TempProject {
  return new TempProject({
    "q.jsonl": QUESTIONS,
    "system.mjs": `import { existsSync, readFileSync } from "node:fs";
export default {
  name: "bot",
  process: ({ id, answer }) => {
    if (process.env.GITHUB_TOKEN !== undefined && process.env.FORBID_TOKEN === "1") throw new Error("I can see the token");
    if (existsSync("broken")) throw new Error("it is down");
    return { response: id < Number(readFileSync("quality.txt", "utf8")) ? answer : "@everyone <b>no</b> idea" };
  },
};`,
    "quality.txt": "12",
    "assay.config.yaml": "systems: [./system.mjs]\ndatasets: [q.jsonl]\ntitle: the suite\nmaxRetries: 0\n",
  });
}

/** Half of its trials pass. */
function evalFile(name: string, min: number): string {
  return `export default { name: "${name}", data: [{ question: "a", answer: "a" }, { question: "b", answer: "c" }],
  system: (example) => example.question, gates: { pass_rate: { min: ${min} } } };`;
}

interface Published {
  code: number | null;
  headline: string;
  markdown: string;
  junit: string;
  stderr: string;
}

async function publish(space: TempProject, ...args: string[]): Promise<Published> {
  const files = ["--markdown", "out/comment.md", "--junit", "out/junit.xml"];
  const { code, stderr } = await runAssay(space.dir, ...args, ...files);
  return readPublished(space, code, stderr);
}

function readPublished(space: TempProject, code: number | null, stderr: string): Published {
  const markdown = space.read("out/comment.md");
  const headline = /^### .*$/m.exec(markdown)?.[0] ?? "";
  return { code, headline, markdown, junit: space.read("out/junit.xml"), stderr };
}

describe("exit code, comment and JUnit agree", () => {
  it("for runs with gates that pass, fail or cannot be checked, and without gates", async () => {
    const space = project();
    const passed = await publish(space, "--quiet", "--fail-under", "pass_rate=0.9");
    expect(passed).toMatchObject({ code: 0, headline: "### ✅ the suite: all gates passed" });
    expect(passed.junit).toContain('<testsuite name="gates" tests="1" failures="0"');
    expect(passed.markdown).toMatch(/^<!-- assay:the suite -->\n/);

    const none = await publish(space, "--quiet");
    expect(none).toMatchObject({ code: 0, headline: "### ⚪ the suite: no gates" });

    space.write("quality.txt", "6");
    const failed = await publish(space, "--quiet", "--fail-under", "pass_rate=0.9", "--fail-over", "error_rate=0.5");
    expect(failed).toMatchObject({ code: 1, headline: "### ❌ the suite: 1 of 2 gates failed" });
    expect(failed.markdown).toContain("- ❌ bot: pass_rate = 0.5 is under 0.9");
    expect(failed.junit).toContain('<testsuite name="gates" tests="2" failures="1"');
    const printed = await runAssay(space.dir, "--quiet", "--fail-under", "pass_rate=0.9", "--output", "markdown");
    expect([printed.code, printed.stdout]).toEqual([
      1,
      expect.stringContaining("### ❌ the suite: 1 of 1 gate failed"),
    ]);

    space.write("broken", "");
    const uncovered = await publish(space, "--quiet", "--fail-under", "pass_rate=0.9");
    expect(uncovered).toMatchObject({ code: 3, headline: "### ❌ the suite: no trial has a verdict" });
    expect(uncovered.junit).toContain("--min-coverage");
  });

  it("for an interrupted run", async () => {
    const space = project();
    space.write(
      "slow.mjs",
      `export default { name: "slow", process: ({ id, answer }, { signal }) => {
  if (id < 2) return { response: answer };
  process.stderr.write("waiting\\n");
  // Without a timer the process would be idle, and a run gives up trials that can never end.
  const alive = setInterval(() => {}, 1000);
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => {
      clearInterval(alive);
      reject(signal.reason);
    });
  });
} };`,
    );
    const files = ["--markdown", "out/comment.md", "--junit", "out/junit.xml"];
    const flags = [
      "--system",
      "./slow.mjs",
      "--max-workers",
      "1",

      "--quiet",
      "--fail-under",
      "pass_rate=0.1",
    ];
    const running = startAssay(space.dir, [...flags, ...files]);
    await running.says("waiting");
    running.child.kill("SIGINT");
    const { code, stderr } = await running.finished;
    const { headline, junit } = readPublished(space, code, stderr);
    expect(code).toBe(130);
    expect(headline).toMatch(/^### ❌ the suite: interrupted after \d+ of 12 trials$/);
    expect(junit).toMatch(/<error type="exit" message="interrupted after/);
  });

  it("for comparisons", async () => {
    const space = project();
    await runAssay(space.dir, "--quiet", "--tag", "baseline");
    const saved = await runAssay(space.dir, "baseline", "save", "kept");
    expect(saved.stderr).toContain("Compare with it: assay compare kept latest");
    const compare = (...flags: string[]) => publish(space, "compare", "kept", "latest", ...flags);
    await runAssay(space.dir, "--quiet");
    const same = await compare("--fail-on-regression");
    expect(same).toMatchObject({ code: 0, headline: "### ✅ the suite: no regression found" });
    expect(await compare()).toMatchObject({ code: 0, headline: "### ⚪ the suite: no gates" });

    space.write("quality.txt", "2");
    await runAssay(space.dir, "--quiet");
    const worse = await compare("--fail-on-regression", "--max-drop", "0.1");
    expect(worse).toMatchObject({ code: 1, headline: "### ❌ the suite: 2 of 2 gates failed" });
    expect(worse.junit).toContain('tests="2" failures="2" errors="0"');

    await runAssay(space.dir, "--quiet", "-n", "2");
    const blind = await compare("--fail-on-regression");
    expect(blind).toMatchObject({ code: 3, headline: "### ❌ the suite: nothing could be checked" });
    expect(blind.junit).toContain('failures="1"');

    space.write("broken", "");
    await runAssay(space.dir, "--quiet");
    const empty = await compare("--max-drop", "0.1");
    expect(empty).toMatchObject({ code: 3, headline: "### ❌ the suite: no task was scored in both runs" });
    expect(empty.junit).toContain('message="no task was scored in both runs"');
  });

  it("and a file that cannot be written is reported after the others", async () => {
    const space = project();
    space.write("file", "");
    const { code, stderr } = await runAssay(space.dir, "--quiet", "--junit", "file/x.xml");
    expect(stderr).toContain("file/x.xml could not be written");
    expect(code).toBe(3);
    const wrong = await runAssay(space.dir, "--github", "comment");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--github takes no value or "summary"')]);
  });
});

describe("assay baseline save", () => {
  it("writes no outputs and no command line, and refuses a folder with other files", async () => {
    const space = project();
    await runAssay(space.dir, "--quiet");
    await runAssay(space.dir, "baseline", "save", "kept");
    await runAssay(space.dir, "baseline", "save", "kept", "latest");
    const manifest = space.read("kept/manifest.json");
    expect(manifest).not.toContain(space.dir);
    expect(JSON.parse(manifest)).toMatchObject({ invocation: null, config: { title: "the suite" } });
    expect(existsSync(space.path("kept/outputs.jsonl"))).toBe(false);
    const refused = await runAssay(space.dir, "baseline", "save", ".");
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is not part of a saved baseline")]);
  });
});

interface ActionStep {
  name: string;
  id?: string;
  shell?: string;
  uses?: string;
  if?: string;
  env: Record<string, string>;
  run: string;
}

interface Action {
  inputs: Record<string, { description: string; default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: ActionStep[] };
}

const ACTION = parse(readFileSync(fileURLToPath(new URL("../action.yml", import.meta.url)), "utf8")) as Action;

interface Workflow {
  space: TempProject;
  server: GithubServer;
  inputs?: Record<string, string>;
  head?: string;
  /** The folder that the fake `gh` downloads; none if there is no artifact. */
  artifact?: string;
  env?: Record<string, string>;
}

/** Runs the steps of action.yml as the runner does: inputs become the environment of bash scripts. */
async function runAction({ space, server, inputs = {}, head = "o/r", artifact, env = {} }: Workflow) {
  const pull = { number: 7, head: { repo: { full_name: head } }, base: { repo: { full_name: "o/r" } } };
  space.write("workflow/event.json", JSON.stringify({ pull_request: pull }));
  space.write("workflow/summary.md", "");
  space.write("workflow/output", "");
  space.write("workflow/bin/gh", GH);
  chmodSync(space.path("workflow/bin/gh"), 0o755);
  const values: Record<string, string> = {
    ...Object.fromEntries(Object.entries(ACTION.inputs).map(([name, input]) => [name, input.default ?? ""])),
    token: server.token,
    assay: `${process.execPath} ${LAUNCHER}`,
    ...inputs,
  };
  let said = "";
  for (const step of ACTION.runs.steps) {
    const own = Object.entries(step.env).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? "";
      expect(values).toHaveProperty([input]);
      return [name, values[input] ?? ""] as const;
    });
    const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run], {
      cwd: space.dir,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...{ PATH: `${space.path("workflow/bin")}:${process.env.PATH}`, HOME: space.dir, NO_COLOR: "1" },
        ...{ GITHUB_REPOSITORY: "o/r", GITHUB_BASE_REF: "main", GITHUB_API_URL: server.url },
        ...{ GITHUB_WORKFLOW_REF: "o/r/.github/workflows/evals.yml@refs/pull/7/merge" },
        ...{ GITHUB_EVENT_PATH: space.path("workflow/event.json"), GITHUB_OUTPUT: space.path("workflow/output") },
        ...{ GITHUB_STEP_SUMMARY: space.path("workflow/summary.md"), FORBID_TOKEN: "1" },
        ...(artifact === undefined ? {} : { ARTIFACT_FOLDER: space.path(artifact) }),
        ...env,
        ...Object.fromEntries(own),
      },
    });
    const { code, stdout, stderr } = await watchCommand(child).finished;
    said += stdout + stderr;
    if (code !== 0) return { code, said };
  }
  return { code: 0, said };
}

/** Stands for the GitHub CLI: it knows one run, if there is an artifact, and copies it. */
const GH = `#!/usr/bin/env bash
echo "gh $*" >> workflow.log
if [ "$2" = list ]; then if [ -n "\${ARTIFACT_FOLDER:-}" ]; then echo 42; fi; exit 0; fi
while [ "$1" != --dir ]; do shift; done
mkdir -p "$2" && cp "$ARTIFACT_FOLDER"/* "$2"
`;

describe("action.yml", () => {
  it("has no expression in a script, describes its inputs, and uses no other action", () => {
    for (const { run, env, uses, shell } of ACTION.runs.steps) {
      expect(run).not.toContain("${{");
      expect([uses, shell]).toEqual([undefined, "bash"]);
      for (const value of Object.values(env)) expect(value).toMatch(/^\$\{\{ inputs\.[\w-]+ \}\}$/);
    }
    for (const { description } of Object.values(ACTION.inputs)) expect(description.length).toBeGreaterThan(20);
    expect(ACTION.runs.using).toBe("composite");
  });

  it("measures, compares with the artifact of the base branch, and keeps one comment", async () => {
    const space = project();
    const server = await GithubServer.start();
    await runAssay(space.dir, "--quiet");
    await runAssay(space.dir, "baseline", "save", "uploaded");
    const first = await runAction({ space, server, artifact: "uploaded" });
    expect(first.code).toBe(0);
    expect(space.read("workflow.log")).toContain("--workflow evals.yml --branch main --event push --status success");
    expect(server.comments).toHaveLength(1);
    expect(server.comments[0]?.body).toMatch(/^<!-- assay:the suite -->\n\n### ✅ the suite: no regression found\n/);

    space.write("quality.txt", "2");
    const second = await runAction({ space, server, artifact: "uploaded" });
    expect(second.code).toBe(1);
    expect(second.said).toContain("::error title=the suite::bot: pass_rate is worse");
    expect(second.said).not.toContain(server.token);
    expect(second.said).not.toContain("I can see the token");
    expect(server.comments).toHaveLength(1);
    const { body = "" } = server.comments[0] ?? {};
    expect(body).toContain("### ❌ the suite: 1 of 1 gate failed");
    expect(body).not.toContain("@everyone");
    expect(space.read("workflow/summary.md")).toContain(body);
    const output = space.read("workflow/output");
    expect(output).toMatch(/^run<<.*\n.*\.assay\/runs\/\d{8}/m);
    expect(output).toMatch(/^exit-code<<.*\n1\n/m);
  });

  it("uses a committed baseline, and says when there is none", async () => {
    const space = project();
    const server = await GithubServer.start();
    const none = await runAction({ space, server });
    expect(none.code).toBe(0);
    expect(none.said).toContain("There is no baseline of main yet");
    expect(server.comments[0]?.body).toContain("### ⚪ the suite: no gates");

    await runAssay(space.dir, "baseline", "save", "evals/baseline");
    space.write("quality.txt", "2");
    const inputs = { baseline: "evals/baseline", compare: "--max-drop\n0.5\n" };
    const compared = await runAction({ space, server, inputs });
    expect(compared.code).toBe(1);
    expect(server.comments).toHaveLength(1);
  });

  it("passes inputs as words, never as code", async () => {
    const space = project();
    const server = await GithubServer.start();
    const inputs = {
      command: 'run\n--title\n"; touch hacked; $(touch hacked) `touch hacked`',
      baseline: "$(touch hacked)",
    };
    const { code } = await runAction({ space, server, inputs });
    expect(code).toBe(0);
    expect(existsSync(space.path("hacked"))).toBe(false);
    expect(server.comments[0]?.body).toContain("touch hacked");
  });

  it("runs nothing of a fork: it compares stored runs, or says that nothing was measured", async () => {
    const space = project();
    const server = await GithubServer.start();
    await runAssay(space.dir, "--quiet");
    await runAssay(space.dir, "baseline", "save", "kept");
    await runAssay(space.dir, "baseline", "save", "candidate");
    space.write(
      "system.mjs",
      'import { writeFileSync } from "node:fs"; writeFileSync("hacked", ""); export default {};',
    );
    const fork = { space, server, head: "somebody/r", artifact: "kept" };
    const before = space.runs().length;
    const refused = await runAction(fork);
    expect(refused.code).toBe(0);
    expect(refused.said).toContain("This pull request comes from a fork: its code is not run");
    expect(space.read("workflow/summary.md")).toContain(
      "### ⚪ assay: not measured, because the pull request comes from a fork",
    );
    const compared = await runAction({ ...fork, inputs: { run: "candidate" } });
    expect(compared.code).toBe(0);
    expect(space.read("workflow/summary.md")).toContain("### ✅ the suite: no regression found");
    expect(existsSync(space.path("hacked"))).toBe(false);
    expect(space.runs()).toHaveLength(before);
  });

  it("reports a config that cannot be run, with its exit code", async () => {
    const space = project();
    const server = await GithubServer.start();
    const { code, said } = await runAction({ space, server, inputs: { command: "run\n--config\nnowhere.yaml" } });
    expect(code).toBe(2);
    expect(said).toContain("nowhere.yaml");
    expect(server.comments[0]?.body).toContain("### ❌ assay: the command failed with exit code 2");
  });
});

describe("assay ci", () => {
  it("reports several evals as one, with the verdict of all", async () => {
    const space = new TempProject({
      "bad.eval.mjs": evalFile("bad", 0.9),
      "good.eval.mjs": evalFile("good", 0.1),
    });
    const env = { GITHUB_OUTPUT: space.path("outputs"), GITHUB_STEP_SUMMARY: space.path("summary.md") };
    const measure = async () => {
      space.write("summary.md", "");
      const running = startAssay(space.dir, ["ci", "--baseline", "none"], env);
      const { code, stderr } = await running.finished;
      return { code, stderr, summary: space.read("summary.md") };
    };
    const failed = await measure();
    expect(failed.code).toBe(1);
    expect(failed.summary).toMatch(/^<!-- assay:assay -->\n\n### ❌ assay: 1 of 2 evals failed: bad\n/);
    expect(failed.summary.match(/^#### .*$/gm)).toEqual([
      "#### ❌ Evals: 1 of 2 evals failed: bad",
      "#### ❌ bad: 1 of 1 gate failed",
      "#### ✅ good: all gates passed",
    ]);
    expect(failed.summary.match(/<!--/g)).toHaveLength(1);
    expect(failed.stderr).not.toContain("::all gates passed");

    space.write("bad.eval.mjs", evalFile("bad", 0.2));
    const passed = await measure();
    expect([passed.code, passed.summary]).toEqual([0, expect.stringContaining("### ✅ assay: 2 evals, none failed")]);
    expect(passed.stderr).toContain("There are several evals, so none is compared with the baseline");
  });

  it.each([
    [["--", "serve"], 'assay ci runs run, eval, memory, got "serve"'],
    [["--run", "x", "--", "run"], "--run compares a stored run"],
    [["--max-drop", "0.1"], "Add --baseline"],
  ])("rejects %j", async (args, says) => {
    const { code, stderr } = await runAssay(new TempProject().dir, "ci", ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
  });
});
