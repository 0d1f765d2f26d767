import { chmodSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { GREET_EXAMPLE, startGreetingModel } from "../src/testing/agent-cli-fixtures.js";
import { startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const TINY_AGENT = fileURLToPath(new URL("../examples/tiny-agent.mjs", import.meta.url));

/** An agent that is told its address in a file of its HOME, and starts the example agent with it. */
const OWN_AGENT = `#!/bin/sh
if [ "$1" = --version ]; then echo own-agent 1.4.2; exit; fi
OPENAI_BASE_URL=$(cat "$HOME/.own/address") ASSAY_MODEL=$2 exec '${process.execPath}' '${TINY_AGENT}' "$3"
`;

const CONFIG = `agents:
  - name: own
    command: ./own-agent -m {model} {prompt}
    env: { OPENAI_BASE_URL: "http://127.0.0.1:9", KEY_FILE: "{key}" }
    homeFiles: { .own/address: "{openai_url}" }
    minVersion: "1.4"
datasets: [t.jsonl]
`;

const MODELS = "models:\n  demo: { pricing: { input_per_1k: 0.001, output_per_1k: 0.005 } }\n";

interface Printed {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function run(config: string, args: readonly string[]): Promise<Printed> {
  const mock = await startGreetingModel();
  const space = new TempProject({
    "assay.config.yaml": config,
    "models.yml": MODELS.replace("demo: {", `demo: { base_url: "${mock.url}/v1",`),
    "t.jsonl": `${JSON.stringify(GREET_EXAMPLE)}\n`,
    "own-agent": OWN_AGENT,
  });
  chmodSync(space.path("own-agent"), 0o755);
  return startAssay(space.dir, ["run", "--trust", "--output", "json", ...args], {}).finished;
}

describe("an agent that the config file defines", () => {
  it.each([
    ["a model", ["--agent", "own:demo"], "own:demo"],
    ["a model and a name", ["--agent", "own:demo", "--agent-name", "mine"], "mine"],
  ])("is run by its name with %s, and metered", async (_, args, name) => {
    const { code, stdout, stderr } = await run(CONFIG, args);
    expect(code, stderr).toBe(0);
    const [row] = JSON.parse(stdout).rows;
    expect(row).toMatchObject({
      system: name,
      outcome: "pass",
      costSource: "priced",
      metadata: { meter: "gateway", agentVersion: "1.4.2" },
    });
    expect(row.costUsd).toBeGreaterThan(0);
  });

  it("is not started if it is too old, or without a model", async () => {
    const old = await run(CONFIG.replace('"1.4"', '"1.5"'), ["--agent", "own:demo"]);
    expect(old).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("own-agent 1.4.2 is too old: version 1.5 is the first that works."),
    });
    expect(await run(CONFIG, [])).toMatchObject({ code: 2, stderr: expect.stringContaining("no model is given") });
  });
});
