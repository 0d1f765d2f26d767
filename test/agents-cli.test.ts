import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  GREET_EXAMPLE,
  GREETING_RULE,
  listProcessesIn,
  makeTinyAgentFlags,
  startGreetingModel,
  TINY_AGENT_COMMAND,
  waitUntil,
  writeFakeClaude,
} from "../src/testing/agent-cli-fixtures.js";
import { LAUNCHER, parseReport, runAssay, startAssay, watchCommand } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";

const JSON_OUTPUT = ["--output", "json"];

/** Two tasks with a repository, files beside the dataset and commands; the model does not solve the second. */
const TASKS = [
  {
    id: "greet",
    question: "Write the greeting",
    environment: {
      git: { url: "./repo", ref: "v1" },
      files: [{ src: "fixtures", dest: "lib/" }],
      commands: ["echo $STAGE > stage.txt"],
      env: { STAGE: "ready" },
    },
    graders: [
      { type: "file-contains", config: { path: "hello.txt", value: "hello" } },
      {
        type: "run-command",
        config: { command: "cat stage.txt lib/note.txt README", stdout_matches: "ready\\nbeside\\nfirst" },
      },
    ],
  },
  { id: "lazy", question: "Do more", graders: [{ type: "file-exists", config: { path: "more.txt" } }] },
];

function taskSpace(): TempProject {
  const space = new TempProject({ "tasks.jsonl": TASKS, "fixtures/note.txt": "beside\n", "repo/README": "first\n" });
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@localhost", ...args], { cwd: space.path("repo") });
  git("init", "--quiet");
  git("add", "README");
  git("commit", "--quiet", "-m", "first");
  git("tag", "v1");
  space.write("repo/README", "second\n");
  git("commit", "--quiet", "-am", "second");
  return space;
}

const words = (text: string) => text.replaceAll(/\s+/g, " ");

describe.skipIf(isCommandMissing("git"))("a run of an agent", () => {
  it("is set up, metered, graded, kept, shown, graded again and reported", async () => {
    const space = taskSpace();
    const mock = await startGreetingModel();
    const flags = ["--dataset", "tasks.jsonl", ...makeTinyAgentFlags(mock), "--trials", "2", "--agent-parallel", "2"];
    const report = parseReport(
      await runAssay(space.dir, ...flags, ...JSON_OUTPUT, "--keep-workspaces", "kept", "--cache-dir", "cache"),
    );
    expect(report.rows.map(({ exampleId, trial, outcome }) => [exampleId, trial, outcome])).toEqual([
      ["greet", 0, "pass"],
      ["greet", 1, "pass"],
      ["lazy", 0, "fail"],
      ["lazy", 1, "fail"],
    ]);
    const used = report.rows.map(({ usage }) => usage as { input: number; output: number });
    const counted = mock.requests.map(({ usage }) => ({ input: usage?.input ?? 0, output: usage?.output ?? 0 }));
    const sum = (all: typeof used, kind: "input" | "output") => all.reduce((total, one) => total + one[kind], 0);
    expect([sum(used, "input"), sum(used, "output")]).toEqual([sum(counted, "input"), sum(counted, "output")]);
    expect(report.rows[0]).toMatchObject({ costSource: "priced", partial: false, notes: [], turns: 2 });
    expect(report.rows[0]?.successAtMs).toBeLessThanOrEqual(Number(report.rows[0]?.durationMs));
    expect(report.summary["tiny-agent"]).toMatchObject({
      pass_rate: 0.5,
      efficiency: { cost_killed_count: 0, median_turns_to_success: 2 },
    });

    expect(readdirSync(space.path("kept")).sort()).toEqual([
      "tiny-agent-greet-0",
      "tiny-agent-greet-1",
      "tiny-agent-lazy-0",
      "tiny-agent-lazy-1",
    ]);
    expect(space.read("kept/tiny-agent-greet-0/hello.txt")).toBe("hello\n");
    const before = mock.counts.requests;
    const [passed, failed, graded, told, cached] = await Promise.all([
      runAssay(space.dir, "show", "latest", "greet#0"),
      runAssay(space.dir, "show", "latest", "lazy#1", "--output", "json"),
      runAssay(space.dir, "grade", report.run ?? "", "--runs-dir", "again"),
      runAssay(space.dir, "report", report.run ?? ""),
      runAssay(space.dir, ...flags, "--cache-dir", "cache", "--runs-dir", "cached", ...JSON_OUTPUT),
    ]);
    expect(passed.stdout).toContain("outcome   pass: verdict = 1");
    expect(passed.stdout).toMatch(/\+\d\.\d s {2}says +The greeting is there\./);
    expect(passed.stdout).toContain("added     hello.txt (+1 line)");
    expect(JSON.parse(failed.stdout)).toMatchObject({
      row: { exampleId: "lazy", trial: 1, outcome: "fail" },
      output: { workspace: { changes: [] } },
    });
    expect(graded.code).toBe(0);
    expect(words(graded.stdout)).toContain("4 trials planned: 2 pass, 2 fail");
    expect(words(told.stdout)).toContain("Speed and efficiency");
    expect(parseReport(cached).rows.map(({ outcome, cached: isCached }) => [outcome, isCached])).toEqual([
      ["pass", true],
      ["pass", true],
      ["fail", true],
      ["fail", true],
    ]);
    expect(mock.counts.requests).toBe(before);
  });
});

describe("flags", () => {
  /** Logs its start and its end outside; ends only after the maximum number of agents has started. */
  const CLOCKED = `
    echo begin >> "$LOG"
    until [ "$(grep -c begin "$LOG")" -ge "$COUNT" ]; do sleep 0.05; done
    sleep 0.3
    echo end >> "$LOG"
    echo hello > hello.txt`;

  function mostAtOnce(log: string): number {
    let [now, most] = [0, 0];
    for (const line of log.trim().split("\n")) {
      now += line === "begin" ? 1 : -1;
      most = Math.max(most, now);
    }
    return most;
  }

  it("--agent-parallel limits concurrency, --agent-env passes a variable on", async () => {
    const tasks = [1, 2, 3, 4].map((id) => ({ ...GREET_EXAMPLE, id }));
    const space = new TempProject({ "t.jsonl": tasks, "clocked.sh": CLOCKED });
    const run = async (count: string) => {
      const env = { LOG: space.path(`log-${count}`), COUNT: count };
      const command = ["--agent-command", "sh clocked.sh {prompt}", "--agent-env", "LOG,COUNT"];
      const flags = [...command, "--agent-parallel", count];
      const { rows } = parseReport(
        await startAssay(space.dir, ["--dataset", "t.jsonl", ...flags, ...JSON_OUTPUT], env).finished,
      );
      expect(rows.map(({ outcome, costUsd }) => [outcome, costUsd])).toEqual(tasks.map(() => ["pass", null]));
      return mostAtOnce(space.read(`log-${count}`));
    };
    expect(await Promise.all([run("1"), run("3")])).toEqual([1, 3]);
  });

  it("--dry-run starts nothing, calls nothing and needs neither key nor program", async () => {
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE] });
    const env = { ...writeFakeClaude(space), ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "" };
    const flags = ["--agent", "claude", "--agent", "codex:gpt-5.5", "--dataset", "t.jsonl", "--dry-run"];
    const { code, stdout, stderr } = await startAssay(space.dir, flags, env).finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("2 systems × 1 example × 1 trial = 2 planned trials");
    expect(stdout).toContain("- systems: claude, codex:gpt-5.5");
    expect(existsSync(space.path("claude-started"))).toBe(false);
    expect(space.runs()).toEqual([]);
  });

  it("are also keys of a config file", async () => {
    const steps = [{ command: "echo hello $TOLD > hello.txt; cd; pwd > $OLDPWD/home.txt" }, { text: "Done." }];
    const mock = await startGreetingModel({ tools: [{ match: GREETING_RULE.match, steps }] });
    const config = `agents:\n  - command: ${JSON.stringify(TINY_AGENT_COMMAND)}\n    name: mine\n    model: openai/gpt-5-mini
agentUrl: ${mock.url}
agentParallel: 1
agentHome: home
agentEnv: [TOLD]
keepWorkspaces: kept
datasets: [t.jsonl]
output: json
`;
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE], "assay.config.yaml": config, "home/.profile": "" });
    const report = parseReport(await startAssay(space.dir, [], { TOLD: "you" }).finished);
    expect(report.rows).toMatchObject([{ system: "mine", outcome: "pass" }]);
    expect(space.read("kept/mine-greet-0/hello.txt")).toBe("hello you\n");
    expect(space.read("kept/mine-greet-0/home.txt").trim()).toBe(space.path("home"));
  });
});

/** With this price one call costs dollars, so that it cannot be confused with another. */
function modelsFile(url: string): string {
  return `models:
  sonnet:
    api_name: claude-sonnet-4-5
    provider: anthropic
    base_url: ${url}
    agent_cli: claude
    agent_model_name: their-sonnet
    pricing: { input_per_1k: 1, output_per_1k: 100 }
    budgets: { max_cost_usd: 50 }
`;
}

describe("a named agent", () => {
  const started = (space: TempProject, folder: string) =>
    JSON.parse(space.read(`${folder}/started.json`)) as Record<string, string | null>;

  it("gets its model from models.yml, with --model and with --agent NAME:KEY", async () => {
    const mock = await startGreetingModel({ reply: "ok", usage: { input: 1000 }, outputTokens: 10 });
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE], "models.yml": modelsFile(mock.url) });
    const env = { ...writeFakeClaude(space), SECRET: "mine", PASSED: "yes", ANTHROPIC_API_KEY: "the-real-key" };
    const run = async (...flags: string[]) =>
      parseReport(await startAssay(space.dir, ["--dataset", "t.jsonl", ...JSON_OUTPUT, ...flags], env).finished).rows;
    const [byModel, byAgent] = await Promise.all([
      run("--model", "sonnet", "--keep-workspaces", "one", "--agent-env", "PASSED"),
      run("--agent", "claude:sonnet", "--keep-workspaces", "two"),
    ]);
    for (const [row] of [byModel, byAgent]) {
      expect(row).toMatchObject({ outcome: "pass", costSource: "priced", usage: { input: 1000, output: 10 } });
      // A thousand input tokens, ten output tokens.
      expect(row?.costUsd).toBeCloseTo(2, 9);
      expect(row?.metadata).toMatchObject({ agent: "claude", agentVersion: "2.1.325", meter: "gateway" });
      // The recorded stream belongs to another conversation than the one call.
      expect(row?.notes).toEqual([
        expect.stringMatching(/^the program reports 18772 tokens, the gateway counted 1010; and \$0\.05665/),
      ]);
    }
    const one = started(space, "one/sonnet-greet-0");
    expect(one).toMatchObject({ model: "claude-sonnet-4-5", secret: null, passed: "yes" });
    expect(started(space, "two/claude-sonnet-greet-0")).toMatchObject({ secret: null, passed: null });
    expect(one.key).toBe("assay");
    expect(one.key).not.toBe("the-real-key");
  });

  it("gets a HOME from --agent-home, with its login and names", async () => {
    const mock = await startGreetingModel({ reply: "ok" });
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE], "models.yml": modelsFile(mock.url) });
    const env = writeFakeClaude(space);
    mkdirSync(space.path("home"));
    const flags = ["--agent", "claude:sonnet", "--agent-home", "home", "--keep-workspaces", "kept", ...JSON_OUTPUT];
    const { rows } = parseReport(await startAssay(space.dir, ["--dataset", "t.jsonl", ...flags], env).finished);
    expect(rows).toMatchObject([{ outcome: "pass" }]);
    expect(started(space, "kept/claude-sonnet-greet-0")).toMatchObject({
      model: "their-sonnet",
      key: null,
      home: space.path("home"),
    });
    expect(readdirSync(space.path("home"))).toEqual([]);
  });
});

describe("assay demo agents", () => {
  it("uses only the tiny agent if none is installed, and stops at once on Ctrl-C", async () => {
    const space = new TempProject();
    const PATH = [process.execPath.replace(/\/[^/]*$/, ""), "/usr/bin", "/bin"].join(":");
    const running = startAssay(space.dir, ["demo", "agents"], { PATH, TMPDIR: space.dir });
    await running.says("8 tasks with tiny-agent.");
    await waitUntil(() => listProcessesIn(space).length > 0, "an agent at work");
    running.child.kill("SIGINT");
    const { code, stdout } = await running.finished;
    expect(code).toBe(130);
    expect(stdout).toContain("tiny-agent solved 0 of 8 tasks.");
    expect(listProcessesIn(space)).toEqual([]);
    expect(readdirSync(space.dir).filter((name) => name.startsWith("assay-"))).toEqual([]);
  });

  it("rejects an agent that is not installed", async () => {
    const { code, stdout, stderr } = await runAssay(new TempProject().dir, "demo", "agents", "--agent", "clade");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('Unknown agent "clade". Did you mean "claude"?');
  });
});

describe("progress of agents", () => {
  it.skipIf(isCommandMissing("script"))("warns on a terminal before a budget is spent", async () => {
    const steps = [
      ...[1, 2, 3].map((step) => ({ command: `echo ${step} > ${step}`, outputTokens: 3000, latencyMs: 250 })),
      { text: "Enough.", latencyMs: 250 },
    ];
    const mock = await startGreetingModel({ tools: [{ match: GREETING_RULE.match, steps }] });
    const space = new TempProject({ "t.jsonl": [GREET_EXAMPLE] });
    const args = ["--dataset", "t.jsonl", ...makeTinyAgentFlags(mock), "--trial-max-cost", "0.011"];
    const command = [process.execPath, LAUNCHER, ...args].map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd: space.dir,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { stdout } = await watchCommand(child).finished;
    expect(stdout).toContain("0/1 · tiny-agent on greet is over 50 % of its budget · nothing scored yet");
    expect(stdout).toContain("tiny-agent on greet is over 80 % of");
  });
});
