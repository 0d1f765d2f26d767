import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Example, LoadedExamples } from "../core/index.js";
import { isDatasetFile, mapSpecPaths } from "./dataset-spec.js";
import { harbor } from "./harbor.js";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "assay-harbor-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TASK = {
  "task.toml": `version = "1.0"
[metadata]
author_name = "anyone"
difficulty = "easy"
category = "files"
[verifier]
timeout_sec = 120.0
[agent]
timeout_sec = 90.0
[environment]
build_timeout_sec = 600.0
cpus = 2
memory = "2G"
[environment.env]
MODE = "\${MODE:-fast}"
`,
  "instruction.md": "Write hello to hello.txt.\n",
  "environment/Dockerfile": "FROM scratch\n",
  "environment/data.txt": "data",
  "tests/test.sh": "#!/bin/bash\necho 1 > /logs/verifier/reward.txt\n",
  "solution/solve.sh": "echo hello > hello.txt\n",
};

function writeTask(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name, path)), { recursive: true });
    writeFileSync(join(root, name, path), text);
  }
  return join(root, name);
}

async function load(config: string): Promise<readonly Example[]> {
  return ((await harbor.load({ config })) as LoadedExamples).examples;
}

describe("task folders of Harbor", () => {
  it("become examples with their image, limits and tests, without their solution", async () => {
    const dir = writeTask("b", TASK);
    writeTask("a", { ...TASK, "task.toml": '[environment]\ndocker_image = "img:1"\nmemory_mb = 512\n' });
    const [a, b] = await load(root);
    expect(await load(dir)).toEqual([b]);
    expect(a).toMatchObject({
      id: "a",
      environment: { image: "img:1", limits: { memoryGib: 0.5 } },
      limits: { timeout: "600s" },
    });
    expect(b).toMatchObject({
      id: "b",
      question: "Write hello to hello.txt.",
      difficulty: "easy",
      category: "files",
      limits: { timeout: "90s" },
      environment: {
        env: { MODE: "fast" },
        limits: { cpus: 2, memoryGib: 2 },
        dockerfile: { dockerfile: "Dockerfile" },
      },
      graders: [{ type: "program", name: "reward", config: { timeout: "120s" } }],
    });
    expect(JSON.stringify(b)).toContain('"dest":"data.txt"');
    expect(JSON.stringify(b)).not.toContain("solve.sh");
  });

  it("are refused with what is wrong in each", async () => {
    writeTask("no-tests", { ...TASK, "tests/test.sh": "", "tests/other.sh": "" });
    rmSync(join(root, "no-tests/tests/test.sh"));
    writeTask("gpu", { ...TASK, "task.toml": "[environment]\ngpus = 1\n" });
    writeTask("late", { ...TASK, "task.toml": "[agent]\ntimeout_sec = -1\n" });
    writeTask("several", { ...TASK, "environment/docker-compose.yaml": "services: {}" });
    writeTask("secret", { ...TASK, "task.toml": `[environment.env]\nKEY = "\${SOME_KEY}"\n` });
    const error = await load(root).catch((caught: unknown) => caught);
    const lines = (error as Error).message.split("\n");
    expect(lines).toEqual([
      expect.stringMatching(/gpu: it needs 1 GPUs/),
      expect.stringMatching(/late: task.toml: agent.timeout_sec must be above 0/),
      expect.stringMatching(/no-tests: there is no tests\/test.sh/),
      expect.stringMatching(/secret: the variable KEY needs SOME_KEY of this machine/),
      expect.stringMatching(/several: it needs several containers/),
    ]);
  });

  it("say what to do about names that only a registry knows", async () => {
    await expect(load("terminal-bench@2.0")).rejects.toThrow(/no folder terminal-bench@2.0.*download them/);
    await expect(load("")).rejects.toThrow(/--dataset harbor:DIR/);
    await expect(load(root)).rejects.toThrow(/has no task/);
    expect(isDatasetFile("harbor:tasks/a")).toBe(false);
    expect(mapSpecPaths("harbor:tasks", (path) => `data/${path}`)).toBe("harbor:data/tasks");
  });
});
