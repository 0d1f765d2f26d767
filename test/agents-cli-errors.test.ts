import { describe, expect, it } from "vitest";
import {
  GREET_EXAMPLE,
  makeTinyAgentFlags,
  startGreetingModel,
  TINY_AGENT_COMMAND,
} from "../src/testing/agent-cli-fixtures.js";
import { runInPool, runPooledAssay } from "../src/testing/cli-pool.js";
import { TempProject, type TestFileContent } from "../src/testing/temp-project.js";

/** No key, no agent, and a port without a listener. */
const BARE = { PATH: "/usr/bin:/bin", ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", GEMINI_API_KEY: "" };
const CLOSED_PORT = ["--agent-url", "http://127.0.0.1:9"];
const OWN = ["--agent-command", TINY_AGENT_COMMAND];

interface Case {
  what: string;
  args: string[];
  says: string | RegExp;
}

const FLAGS: Case[] = [
  { what: "an unknown agent", args: ["--agent", "cluade"], says: 'Unknown agent "cluade". Did you mean "claude"?' },
  {
    what: "an agent that is not installed",
    args: ["--agent", "claude", ...CLOSED_PORT],
    says: /Program "claude" not found in PATH \(see: assay doctor\)\. Install it with: npm install -g @anthropic-ai\/claude-code$/m,
  },
  { what: "a model that is missing", args: ["--agent", "pi"], says: "pi needs a model: --agent pi:PROVIDER/MODEL" },
  {
    what: "a model without a known endpoint",
    args: ["--agent", "opencode:some-model"],
    says: 'Unknown model "some-model" for opencode.',
  },
  {
    what: "a key that is missing",
    args: ["--agent", "codex"],
    says: "codex needs a key: OPENAI_API_KEY is not set. Set it, or use the agent's own login",
  },
  {
    what: "a command without {prompt}",
    args: ["--agent-command", "node agent.mjs"],
    says: 'The agent command "node agent.mjs" cannot be run: it has no placeholder for the task. Add {prompt}',
  },
  {
    what: "unknown placeholders of a command",
    args: ["--agent-command", "my-agent {promt} --url {openai_ur} {prompt}"],
    says: /cannot be run:\n- command: unknown placeholder \{promt\}\. Did you mean "prompt"\? Known: anthropic_url, .*\n- command: unknown placeholder \{openai_ur\}/,
  },
  {
    what: "several agents that cannot be run",
    args: ["--agent", "claude", "--agent", "aider", "--agent-command", "not-there {prompt}", ...CLOSED_PORT],
    says: /3 agents cannot be run:\n- Program "claude" not found .*\n- aider needs a model: write aider:PROVIDER\/MODEL.*\n- Program "not-there" not found/,
  },
  { what: "a colon without a model", args: ["--agent", "claude:"], says: 'The agent "claude:" has no model' },
  {
    what: "a {model} without a model",
    args: ["--agent-command", "my-agent -m {model} {prompt_file}", ...CLOSED_PORT],
    says: "The agent's command has a {model} placeholder, but no model is given. Give one with --agent-model NAME.",
  },
  {
    what: "a model of a command without a known endpoint",
    args: [...OWN, "--agent-model", "some-model"],
    says: 'Unknown model "some-model" for the command. Write --agent-model PROVIDER/MODEL',
  },
  {
    what: "a script without the execute bit",
    args: ["--agent-command", "./t.jsonl {prompt}", ...CLOSED_PORT],
    says: /t\.jsonl cannot be run: it is not executable\. Run chmod \+x /,
  },
  {
    what: "a folder for workspaces that cannot be made",
    args: [...OWN, ...CLOSED_PORT, "--keep-workspaces", "t.jsonl/kept"],
    says: /Workspaces cannot be kept in \S+kept: .* --keep-workspaces\./,
  },
  {
    what: "two agents of one name",
    args: [...OWN, ...OWN, ...CLOSED_PORT],
    says: 'Two agents are named "tiny-agent", but results are identified by name.',
  },
  {
    what: "fewer names than agents",
    args: [...OWN, "--agent", "claude", "--agent-name", "mine"],
    says: "The command line has 2 agents but 1 --agent-name flags.",
  },
  { what: "a quote that is open", args: ["--agent-command", "node 'a {prompt}"], says: "an unclosed quote" },
  {
    what: "a command that is not there",
    args: ["--agent-command", "no-such-agent {prompt}", ...CLOSED_PORT],
    says: 'Program "no-such-agent" not found in PATH.',
  },
  {
    what: "a bad --agent-url",
    args: [...OWN, "--agent-url", "localhost:80"],
    says: /--agent-url must be an http or https URL such as .*, not "localhost:80"/,
  },
  { what: "--agent-parallel 0", args: [...OWN, "--agent-parallel", "0"], says: "It must be at least 1." },
  { what: "--agent-parallel two", args: [...OWN, "--agent-parallel", "two"], says: "It must be a number." },
  {
    what: "an --agent-env that is no name",
    args: [...OWN, ...CLOSED_PORT, "--agent-env", "A=1"],
    says: '--agent-env expects variable names like NPM_TOKEN, got "A=1".',
  },
  {
    what: "--agent-model for an agent that is known by name",
    args: ["--agent", "claude", "--agent-model", "m"],
    says: "write --agent NAME:m",
  },
  {
    what: "--system-prompt, which is for models",
    args: [...OWN, ...CLOSED_PORT, "--system-prompt", "Be brief."],
    says: "--system-prompt is only for models, but this run has none.",
  },
];

const GRADER = { type: "completed" };

/** Invalid parts of an example. */
const EXAMPLES: { what: string; example: Record<string, unknown>; says: string }[] = [
  {
    what: "an unknown type of grader",
    example: { graders: [{ type: "file-exist", config: { path: "a" } }] },
    says: 'Unknown grader type "file-exist" (grader 1 of example ',
  },
  {
    what: "a grader whose config has an unknown key",
    example: { graders: [{ type: "file-exists", config: { path: "a", pth: "a" } }] },
    says: 'unknown key "pth". Did you mean "path"?',
  },
  {
    what: "a grader with a path that leaves the folder",
    example: { graders: [{ type: "file-contains", config: { path: "../a", value: "x" } }] },
    says: "its grader 1 (file-contains) cannot be used: path ",
  },
  {
    what: "a duration without its unit",
    example: { graders: [{ type: "run-command", config: { command: "a", timeout: 30 } }] },
    says: 'timeout must be a duration with a unit, such as "30s"',
  },
  { what: "no grader in the list", example: { graders: [] }, says: "has an empty list of graders" },
  {
    what: "an unknown key of the environment",
    example: { environment: { file: [] } },
    says: 'environment has an unknown key "file". Did you mean "files"?',
  },
  {
    what: "a dest that leaves the folder",
    example: { environment: { files: [{ dest: "a/../../b", content: "" }] } },
    says: 'environment.files[0].dest is "a/../../b", which leaves the folder.',
  },
  {
    what: "a src that leaves the folder",
    example: { environment: { files: [{ src: "../b", dest: "b" }] } },
    says: 'environment.files[0].src is "../b", which leaves the folder.',
  },
  {
    what: "a src that is not there",
    example: { environment: { files: [{ src: "gone", dest: "b" }] } },
    says: '"gone" of an example\'s environment cannot be read: does not exist. It is looked up in ',
  },
];

function space(rows: TestFileContent = [GREET_EXAMPLE]): TempProject {
  return new TempProject({ "t.jsonl": rows });
}

/** Rejected before anything is started or stored, with a message and no stack trace. */
async function expectRefusal(place: TempProject, args: readonly string[], says: string | RegExp): Promise<void> {
  const { code, stdout, stderr } = await runInPool(place.dir, ["--dataset", "t.jsonl", ...args], BARE);
  if (typeof says === "string") expect(stderr).toContain(says);
  else expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(place.runs()).toEqual([]);
}

describe("rejects before the run", () => {
  it.each(FLAGS)("$what", ({ args, says }) => expectRefusal(space(), args, says));

  it.each(EXAMPLES)("$what", ({ example, says }) => {
    const row = { id: "a", question: "Do it", graders: [GRADER], ...example };
    return expectRefusal(space([row]), [...OWN, ...CLOSED_PORT], says);
  });

  it("some examples with graders and some without", () =>
    expectRefusal(space([GREET_EXAMPLE, { id: "b", question: "?" }]), [...OWN, ...CLOSED_PORT], '"b" has none'));

  it("a config file with an unknown agent key or an invalid number of agents", async () => {
    const place = new TempProject({
      "t.jsonl": [GREET_EXAMPLE],
      "a.yaml": "agents:\n  - comand: x {prompt}\n",
      "b.yaml": "agents: [claude]\nagentParallel: 0\n",
      "c.yaml": "agents: [claude]\nagentHomes: inherit\n",
    });
    const run = (file: string) => runPooledAssay(place.dir, "--config", file, "--dataset", "t.jsonl");
    const [key, number, name] = await Promise.all([run("a.yaml"), run("b.yaml"), run("c.yaml")]);
    expect(key.stderr).toContain("a.yaml:2:");
    expect(number.stderr).toContain("b.yaml:2:16: agentParallel: ");
    expect(name.stderr).toContain('c.yaml:2:1: unknown key "agentHomes". Did you mean "agentHome"?');
    expect([key.code, number.code, name.code]).toEqual([2, 2, 2]);
  });
});

describe("failures within a trial", () => {
  it("a failing set-up is an error of only that trial, with exit code 3", async () => {
    const mock = await startGreetingModel();
    const place = space([
      { ...GREET_EXAMPLE, id: "fine" },
      { ...GREET_EXAMPLE, id: "no-repo", environment: { git: { url: "./nowhere" } } },
      { ...GREET_EXAMPLE, id: "bad-command", environment: { commands: ["echo no such thing >&2; exit 7"] } },
    ]);
    const { code, stdout } = await runPooledAssay(place.dir, "--dataset", "t.jsonl", ...makeTinyAgentFlags(mock));
    expect(code).toBe(3);
    expect(stdout).toContain("3 trials planned: 1 pass, 0 fail, 2 error");
    const shown = await runPooledAssay(place.dir, "show", "latest", "bad-command", "--full");
    expect(shown.stdout.replaceAll(/\s+/g, " ")).toContain("failed with exit code 7");
    expect(shown.stdout).toContain("no such thing");
  });

  it("a dataset without graders is scored by the agent's answer", async () => {
    const mock = await startGreetingModel({ reply: "Paris" });
    const place = space([{ id: 1, question: "Capital of France?", answer: "Paris" }]);
    const { code, stdout } = await runPooledAssay(place.dir, "--dataset", "t.jsonl", ...makeTinyAgentFlags(mock));
    expect(code).toBe(0);
    expect(stdout).toContain("- pass = f1 ≥ 0.7");
    expect(stdout).toContain("1 pass");
  });

  it("rejects a run and a trial that do not exist", async () => {
    const mock = await startGreetingModel();
    const place = space();
    await runPooledAssay(place.dir, "--dataset", "t.jsonl", ...makeTinyAgentFlags(mock));
    const [run, trial] = await Promise.all([
      runPooledAssay(place.dir, "show", "nowhere", "greet"),
      runPooledAssay(place.dir, "show", "latest", "gret"),
    ]);
    expect([run.code, trial.code]).toEqual([2, 2]);
    expect(run.stderr).toContain("There is no run folder nowhere");
    expect(trial.stderr).toContain('The run has no trial "gret" (among 1 trial). Did you mean "greet"?');
  });
});
