import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import {
  COMPLETED_EVENTS,
  createAgentFolders,
  openScriptedAgent,
  openTrialMock,
  runScriptedTrial,
} from "../testing/scripted-trial.js";
import type { LaunchRequest } from "./adapter.js";
import { createCommandAdapter, requireCommandModel } from "./command.js";

const REQUEST: LaunchRequest = {
  prompt: "Do it",
  promptFile: "/tmp/prompt.txt",
  model: { name: "small", cliName: "small", dialect: "chat" },
  gateway: { openai: "http://g/openai/v1", anthropic: "http://g/anthropic", google: "http://g/google" },
  key: "assay",
  version: null,
  usesOwnHome: false,
  isRoot: false,
  skillsDir: null,
  mcp: null,
  session: null,
  effort: null,
};

/** The words a program is started with. */
function wordsFor(template: string, request: Partial<LaunchRequest> = {}): string[] {
  const adapter = createCommandAdapter(template);
  return [adapter.program, ...adapter.launch({ ...REQUEST, ...request }).args];
}

describe("the words of a command", () => {
  it.each([
    ["my-agent {prompt}", ["my-agent", "Do it"]],
    ["my-agent  -m {model}\t--task={prompt}", ["my-agent", "-m", "small", "--task=Do it"]],
    [`my-agent "two words" 'and "more"' {prompt}`, ["my-agent", "two words", 'and "more"', "Do it"]],
    [
      String.raw`my-agent a\ b "a \"quoted\" \n" 'a\b' {prompt}`,
      ["my-agent", "a b", 'a "quoted" \\n', "a\\b", "Do it"],
    ],
    [`my-agent --x="a b"'c d'e {prompt}`, ["my-agent", "--x=a bc de", "Do it"]],
    [`my-agent "" '' {prompt}`, ["my-agent", "", "", "Do it"]],
    ["my-agent $HOME * ; {prompt}", ["my-agent", "$HOME", "*", ";", "Do it"]],
  ])("are split like in a shell, without other shell features: %s", (template, words) => {
    expect(wordsFor(template)).toEqual(words);
  });

  it("contain the task unchanged, whatever it contains", () => {
    const nasty = 'It\'s "so"\n{model} {prompt} $(rm -rf x) `y` \\ $& $1';
    expect(wordsFor("a --task={prompt}", { prompt: nasty })).toEqual(["a", `--task=${nasty}`]);
    fc.assert(
      fc.property(fc.string(), (prompt) => {
        expect(wordsFor("a {model} <{prompt}>", { prompt })).toEqual(["a", "small", `<${prompt}>`]);
      }),
    );
  });

  it("survive quoting", () => {
    fc.assert(
      fc.property(fc.array(fc.string().filter((word) => !/['{./]/.test(word))), (words) => {
        const template = ["my-agent", ...words.map((word) => `'${word}'`), "{prompt}"].join(" ");
        expect(wordsFor(template)).toEqual(["my-agent", ...words, "Do it"]);
      }),
    );
  });

  it.each(["my-agent 'open {prompt}", 'my-agent "open {prompt}', "my-agent {prompt} \\"])(
    "are rejected with an unclosed quote: %s",
    (template) => expect(() => createCommandAdapter(template)).toThrow(/unclosed quote/),
  );

  it.each(["", "my-agent", "{prompt}", "my-agent prompt"])(
    "are rejected without a placeholder for the task: %s",
    (template) => {
      expect(() => createCommandAdapter(template)).toThrow(UsageError);
      expect(() => createCommandAdapter(template)).toThrow(/Add \{prompt\}/);
    },
  );

  it("may take the task from a file", () => {
    expect(wordsFor("a --file={prompt_file}", { promptFile: "/p/t.txt" })).toEqual(["a", "--file=/p/t.txt"]);
    const request = { prompt: "{prompt_file} {model}", promptFile: "/p/{prompt}" };
    expect(wordsFor("a {prompt} {prompt_file}", request)).toEqual(["a", "{prompt_file} {model}", "/p/{prompt}"]);
  });

  it("must not begin with a variable, whose value is not shown", () => {
    const wrong = () => createCommandAdapter("MY_KEY=hush my-agent {prompt}");
    expect(wrong).toThrow(/begins with the variable MY_KEY.*--agent-env MY_KEY/);
    expect(wrong).not.toThrow(/hush/);
  });

  it("require a model when there is a placeholder for one", () => {
    expect(() => wordsFor("a {model} {prompt}", { model: null })).toThrow(/Give one with --agent-model/);
    expect(() => requireCommandModel({ command: "a {model} {prompt}" }, undefined)).toThrow(
      /Give one with --agent-model/,
    );
    requireCommandModel({ command: "a {model} {prompt}" }, "small");
    requireCommandModel({ command: "a {prompt}" }, undefined);
    expect(wordsFor("a {prompt}", { model: null })).toEqual(["a", "Do it"]);
  });
});

describe("files named in a command", () => {
  let dir = "";
  let before = "";
  beforeEach(() => {
    before = process.cwd();
    dir = realpathSync(mkdtempSync(join(tmpdir(), "assay-command-")));
    mkdirSync(join(dir, "agents"));
    writeFileSync(join(dir, "agents", "tiny.mjs"), "");
    writeFileSync(join(dir, "plain"), "");
    process.chdir(dir);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(dir, { recursive: true, force: true });
  });

  it("are found from the folder of a trial", () => {
    const tiny = join(dir, "agents", "tiny.mjs");
    expect(wordsFor("node agents/tiny.mjs ./agents ./plain plain x/y.mjs {prompt}")).toEqual([
      "node",
      tiny,
      "./agents",
      join(dir, "plain"),
      "plain",
      "x/y.mjs",
      "Do it",
    ]);
    expect(wordsFor("agents/tiny.mjs {prompt}")[0]).toBe(tiny);
  });
});

describe("launch", () => {
  const { launch } = createCommandAdapter("my-agent {prompt}");

  it("sets the gateway variables of every SDK", () => {
    expect(launch(REQUEST)).toEqual({
      args: ["Do it"],
      homeFiles: {},
      env: {
        OPENAI_BASE_URL: "http://g/openai/v1",
        OPENAI_API_BASE: "http://g/openai/v1",
        ANTHROPIC_BASE_URL: "http://g/anthropic",
        GOOGLE_GEMINI_BASE_URL: "http://g/google",
        OPENAI_API_KEY: "assay",
        ANTHROPIC_API_KEY: "assay",
        GEMINI_API_KEY: "assay",
        ASSAY_MODEL: "small",
      },
    });
  });

  it("keeps the keys of the user's HOME", () => {
    const { env } = launch({ ...REQUEST, usesOwnHome: true, model: null });
    expect(Object.keys(env).filter((name) => /KEY|MODEL/.test(name))).toEqual([]);
  });
});

/** Asks a model what to write, and prints its answer. */
const AGENT = `
const body = JSON.stringify({ model: process.env.ASSAY_MODEL ?? "gpt-5", messages: [{ role: "user", content: process.argv[2] }] });
const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY };
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", { method: "POST", headers, body });
console.log((await response.json()).choices[0].message.content);
process.exitCode = process.argv[2] === "fail" ? 7 : 0;
`;

describe("a command as a system", () => {
  it("is metered by the gateway, answers with its output and ends by its exit code", async () => {
    const place = createAgentFolders();
    const file = join(place.root, "my agent.mjs");
    writeFileSync(file, AGENT);
    vi.stubEnv("OPENAI_API_KEY", "real");
    const { result, mock } = await runScriptedTrial({
      place,
      does: [],
      model: { requireKey: "real", reply: 'It\'s "42"\nor so' },
      dataset: [
        {
          id: 1,
          question: 'What\'s the "answer"?',
          graders: [{ type: "output-matches", config: { pattern: '^It\'s "42"\nor so$' } }],
        },
        { id: 2, question: "fail", graders: COMPLETED_EVENTS },
      ],
      agent: { command: `node '${file}' {prompt}`, name: "mine" },
    });
    expect(result.rows[0]).toMatchObject({
      outcome: "pass",
      turns: 1,
      usage: mock.requests[0]?.usage,
      metadata: { agent: "command", meter: "gateway", requests: 1 },
    });
    expect(result.rows[0]?.costUsd).toBeGreaterThan(0);
    expect(result.rows[1]).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(result.rows[1]?.attempts[0]?.message).toContain("mine ended (exit code 7)");
  });

  it("may choose among all providers, and is named after its program", async () => {
    const place = createAgentFolders();
    const system = await openScriptedAgent(place, await openTrialMock(), { agent: { command: "node {prompt}" } });
    expect(system).toMatchObject({ name: "node", limits: { price: null, isMetered: true } });
    expect(system.model).toBeUndefined();
    expect(system.fingerprint()).toMatchObject({ agent: "command", command: "node {prompt}", version: null });
  });
});
