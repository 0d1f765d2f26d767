import { describe, expect, it } from "vitest";
import { findTestEngine } from "../src/testing/containers.js";
import { EXECUTOR_COMMAND, makeEvalFile, TempEvalProject } from "../src/testing/eval-cli-fixtures.js";

const engine = await findTestEngine();

const AGENT = `import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("made.txt", readFileSync("/built.txt"));
`;

const ENVIRONMENT = `environment: { dockerfile: image/Dockerfile, limits: { memoryGib: 0.5 } }\n`;
const EVAL = makeEvalFile({ good: "prompt: write made.txt" }).replace(EXECUTOR_COMMAND, "node agent.mjs {prompt}");
const GOLDEN =
  "diff --git a/made.txt b/made.txt\nnew file mode 100644\n--- /dev/null\n+++ b/made.txt\n@@ -0,0 +1 @@\n+hello\n";
const ORACLE_EVAL = EVAL.replace(
  "prompt: write made.txt",
  'prompt: x, golden_patch: golden.diff, environment: { commands: ["cat /built.txt"] }',
).replace(
  "[{ type: file-exists, config: { path: made.txt } }]",
  '[{ type: run-command, config: { command: "cat made.txt /app/made.txt" } }]',
);

function openProject(files: Readonly<Record<string, string>> = {}): TempEvalProject {
  return new TempEvalProject({
    "agent.mjs": AGENT,
    "image/Dockerfile": `FROM ${engine?.image}\nCOPY word.txt /built.txt\nWORKDIR /app\n`,
    "image/word.txt": "hello\n",
    "eval.yaml": ENVIRONMENT + EVAL,
    ...files,
  });
}

describe.skipIf(engine === null)("assay eval in a container", () => {
  it("builds the image from its Dockerfile, runs the agent in it, and records it", async () => {
    const flags = ["--isolation", engine?.isolation ?? "", "--box-limit", "cpus=1", "--output", "json"];
    const { code, stdout, stderr } = await openProject().eval(...flags, "--require-pass");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    const { rows } = JSON.parse(stdout) as { rows: { metadata: { isolation: unknown } }[] };
    expect(rows[0]?.metadata.isolation).toMatchObject({
      kind: engine?.isolation,
      limits: { memoryGib: 0.5, cpus: 1, processes: 1024, diskGib: 8 },
      image: { name: expect.stringMatching(/^assay-built:/) },
    });
  });

  it("checks golden states in it, as the config says", async () => {
    const space = openProject({
      "assay.config.yaml": `isolation: ${engine?.isolation}\n`,
      "eval.yaml": ENVIRONMENT + ORACLE_EVAL,
      "golden.diff": GOLDEN,
    });
    expect(await space.assay("oracle")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Runs in containers: cat /built.txt"),
    });
  });
});

describe("an eval file with an image", () => {
  it.each([
    [{ "eval.yaml": ENVIRONMENT + EVAL }, "runs in an image of its own Dockerfile: add --isolation container:docker"],
    [{ "eval.yaml": `environment: { dockerfile: gone/Dockerfile }\n${EVAL}` }, "gone/Dockerfile does not exist"],
    [
      { "eval.yaml": `environment: { image: a, dockerfile: image/Dockerfile }\n${EVAL}` },
      "there is an image too: keep one of them",
    ],
    [{ "eval.yaml": `environment: { image: a, limits: { memory: 1 } }\n${EVAL}` }, "memory"],
    [
      { "eval.yaml": `environment: { image: a, workdir: app }\n${EVAL}` },
      "must be the full path of a folder of the image",
    ],
  ])("is refused if it cannot be run: %#", async (files, message) => {
    const { code, stderr } = await openProject(files).eval();
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
