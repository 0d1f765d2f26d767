import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { LoadedExamples } from "../core/index.js";
import { harbor } from "../datasets/index.js";
import { findTestEngine } from "../testing/containers.js";
import { type AgentTestFolders, createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";

const AGENT = `node ${fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url))} {prompt}`;

const engine = await findTestEngine();
const { isolation, image } = engine ?? { isolation: "container:podman", image: "" };

describe.skipIf(engine === null)("a task folder of Harbor in a container", () => {
  let place: AgentTestFolders;

  beforeEach(() => {
    place = createAgentFolders();
  });

  async function runTask(command: string, test: string) {
    const dir = join(place.root, "task");
    const files = {
      "task.toml": "[environment]\nmemory_mb = 512\n",
      "instruction.md": "Write hello to hello.txt.",
      "environment/Dockerfile": `FROM ${image}\nWORKDIR /app\n`,
      "tests/test.sh": test,
      "tests/expected.txt": "hello\n",
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(dir, name)), { recursive: true });
      writeFileSync(join(dir, name), text);
    }
    const { examples } = (await harbor.load({ config: dir })) as LoadedExamples;
    const { row } = await runScriptedTrial({
      does: [],
      place,
      model: { tools: [{ command }, { text: "Done." }] },
      agent: { command: AGENT, model: "openai/gpt-5-mini", name: "tiny", isolation },
      example: { ...examples[0] },
    });
    return row;
  }

  const COMPARE = `test -e ../tests/expected.txt || cd /app
if test "$(cat hello.txt)" = "$(cat /tests/expected.txt)"; then echo 1 > /logs/verifier/reward.txt
else echo '{ "reward": 0.25, "style": 1 }' > /logs/verifier/reward.json; fi`;

  it("passes by the reward of its tests, which the agent does not see", async () => {
    const row = await runTask("test -e /tests || test -e .assay-tests || echo hello > hello.txt", COMPARE);
    expect(row).toMatchObject({ outcome: "pass", scores: { reward: 1 } });
  });

  it("has the score of reward.json, and no verdict without a reward", async () => {
    expect(await runTask("echo bye > hello.txt", COMPARE)).toMatchObject({ outcome: "fail", scores: { reward: 0.25 } });
    expect((await runTask("true", "exit 1")).outcome).toBe("unscored");
  });
});
