import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";
import { createCommandAdapter } from "./command.js";
import { openAgent } from "./open-agent.js";
import { LAUNCH_REQUEST } from "./recorded-testing.js";

afterEach(() => vi.unstubAllEnvs());

const SHELL_VARIABLE = ["$", "{home}"].join("");

describe("the placeholders of a definition", () => {
  it("are filled in the command, the variables and the files", () => {
    const adapter = createCommandAdapter({
      command: "my-agent --base={openai_url} {prompt_file}",
      env: { MY_URL: "{anthropic_url}/v1", MY_KEY: "{key}", OPENAI_API_BASE: "none", PLAIN: "as it is" },
      homeFiles: { ".my/settings.json": `{"model":"{model}","url":"{gemini_url}","shell":"${SHELL_VARIABLE}"}` },
    });
    expect(adapter.launch(LAUNCH_REQUEST)).toEqual({
      args: ["--base=http://g/openai/v1", "/tmp/prompt.txt"],
      env: expect.objectContaining({
        MY_URL: "http://g/anthropic/v1",
        MY_KEY: "meaningless",
        OPENAI_API_BASE: "none",
        OPENAI_BASE_URL: "http://g/openai/v1",
        PLAIN: "as it is",
      }),
      homeFiles: { ".my/settings.json": `{"model":"m","url":"http://g/google","shell":"${SHELL_VARIABLE}"}` },
    });
  });

  it("may ask for skills and servers in any of the texts", () => {
    const env = { MY_SKILLS: "{skills}" };
    const homeFiles = { "servers.txt": "{mcp_config}" };
    expect(createCommandAdapter({ command: "a {prompt}" })).not.toHaveProperty("skills");
    expect(createCommandAdapter({ command: "a {prompt}", env, homeFiles })).toMatchObject({
      skills: "told",
      takesServers: "always",
    });
  });
});

describe("a wrong definition", () => {
  it("is rejected with all of its problems", () => {
    const define = () =>
      createCommandAdapter({
        command: "my-agent {promt}",
        env: { "MY-URL": "{openai_ur}" },
        homeFiles: { "/etc/passwd": "", "../out": "{modell}", ".config/../../up": "" },
        minVersion: "new",
      });
    expect(define).toThrow(UsageError);
    let message = "";
    try {
      define();
    } catch (error) {
      message = String(error);
    }
    for (const part of [
      'The agent command "my-agent {promt}" cannot be run:',
      "- it has no placeholder for the task. Add {prompt}",
      'command: unknown placeholder {promt}. Did you mean "prompt"?',
      'env.MY-URL: unknown placeholder {openai_ur}. Did you mean "openai_url"?',
      'env: "MY-URL" is not the name of an environment variable.',
      'homeFiles["../out"]: unknown placeholder {modell}.',
      'homeFiles: "/etc/passwd" must be a path below HOME',
      'homeFiles: "../out" must be a path below HOME',
      'homeFiles: ".config/../../up" must be a path below HOME',
      'minVersion: "new" is not a version.',
    ])
      expect(message).toContain(part);
  });

  it("is rejected if a model is named in a file, but none is given", async () => {
    const homeFiles = { "settings.json": '"{model}"' };
    await expect(openAgent({ command: "node {prompt}", homeFiles, isPlan: true })).rejects.toThrow(/no model is given/);
    await expect(openAgent({ agent: "aider", isPlan: true })).rejects.toThrow(
      "aider needs a model: write aider:PROVIDER/MODEL",
    );
  });

  it("is rejected beside the name of an agent", async () => {
    await expect(openAgent({ agent: "claude", env: {}, minVersion: "1", isPlan: true })).rejects.toThrow(
      'env and minVersion of the agent "claude" only go with a command of your own.',
    );
  });
});

/** Asks the model at the address in its settings what to write. */
const AGENT = `
import { readFileSync } from "node:fs";
const { url, model } = JSON.parse(readFileSync(process.env.HOME + "/.my/settings.json", "utf8"));
const body = JSON.stringify({ model, messages: [{ role: "user", content: process.argv[2] }] });
const headers = { "content-type": "application/json", authorization: "Bearer " + process.env.MY_KEY };
const response = await fetch(url + "/chat/completions", { method: "POST", headers, body });
console.log((await response.json()).choices[0].message.content);
`;

describe("a defined agent as a system", () => {
  it("reads its settings from HOME and is metered by the gateway", async () => {
    const place = createAgentFolders();
    const file = join(place.root, "agent.mjs");
    writeFileSync(file, AGENT);
    vi.stubEnv("OPENAI_API_KEY", "real");
    const definition = {
      command: `node '${file}' {prompt}`,
      env: { MY_KEY: "{key}" },
      homeFiles: { ".my/settings.json": '{"url":"{openai_url}","model":"gpt-5-mini"}' },
    };
    const { result, mock } = await runScriptedTrial({
      place,
      does: [],
      model: { requireKey: "real", reply: "forty-two" },
      dataset: [{ id: 1, question: "?", graders: [{ type: "output-matches", config: { pattern: "^forty-two$" } }] }],
      agent: { name: "mine", ...definition },
    });
    expect(result.rows[0]).toMatchObject({
      outcome: "pass",
      usage: mock.requests[0]?.usage,
      metadata: { agent: "command", meter: "gateway", model: "gpt-5-mini" },
    });
    expect(result.rows[0]?.costUsd).toBeGreaterThan(0);
  });

  it("has its settings in its fingerprint, and a plain command has the one it had before", async () => {
    const plain = await openAgent({ command: "node {prompt}", isPlan: true });
    const set = await openAgent({ command: "node {prompt}", env: { A: "1" }, isPlan: true });
    expect(plain.fingerprint()).not.toHaveProperty("settings");
    expect(set.fingerprint()).toMatchObject({ settings: { env: { A: "1" } } });
  });

  it("is not started if its program is too old", async () => {
    const place = createAgentFolders();
    const program = join(place.root, "my-agent");
    writeFileSync(program, "#!/bin/sh\necho my-agent 1.2.3\n", { mode: 0o755 });
    const command = `'${program}' {prompt}`;
    const open = (minVersion: string) => openAgent({ command, minVersion, install: "get it from the shop" });
    await expect(open("1.3")).rejects.toThrow(
      `${program} 1.2.3 is too old: version 1.3 is the first that works. Update it with: get it from the shop`,
    );
    const system = await open("1.2.3");
    expect(system.fingerprint()).toMatchObject({ version: "1.2.3" });
  });
});
