import { describe, expect, it } from "vitest";
import { loadSpec, readSpec } from "./read-spec.js";
import { SPEC_WITH_CONFIG, SPEC_WITH_TRIALS } from "./spec-samples.js";
import { createJudgingRegistry, createSpecFolder, TIDY_SKILL } from "./spec-testing.js";

const registry = createJudgingRegistry();

describe("eval files of other harnesses", () => {
  it("load with config for defaults, worktrees, SKILL.md paths, judges without a prompt and anchors", async () => {
    using folder = createSpecFolder(SPEC_WITH_CONFIG, { "skill/SKILL.md": TIDY_SKILL, "fixtures/in.txt": "x" });
    const spec = await loadSpec(folder.file, { registry });
    expect(spec.defaults).toMatchObject({
      runs: 3,
      timeoutMs: 120_000,
      executor: "copilot",
      models: ["some-model"],
    });
    expect(spec.stimuli[0]?.environment).toMatchObject({
      git: { url: folder.path, ref: "HEAD" },
      skills: [`${folder.path}/skill`],
      mcpServers: { docs: { command: "npx", args: ["-y", "docs"] } },
    });
    expect(spec.stimuli[1]?.graders).toEqual([
      { type: "prompt", config: { rubric: ["Is short."], model: "some-judge" }, weight: 0.5 },
    ]);
    expect([...spec.notes].sort()).toEqual([
      "config is read as defaults",
      "defaults.executor: only its name is used",
      "environment.git.source is read as url",
      "environment.git.type: ignored: every trial has its own checkout",
      "environment.mcpServers.docs.tools: ignored: the agent sees all tools of a server",
      "environment.mcpServers.docs.type: ignored: a command means stdio, a url means http",
      "environment.mcp_servers is read as mcpServers",
      "stimuli.expect_activation: ignored: write it as expect_skills or reject_skills of constraints",
      "version: ignored: changes are detected by content",
    ]);
  });

  it("load with trials, seconds, ids, inputs and settings beside the type", async () => {
    using folder = createSpecFolder(SPEC_WITH_TRIALS);
    const spec = await loadSpec(folder.file, { registry });
    expect(spec.defaults).toMatchObject({ runs: 4, timeoutMs: 90_000, judgeModel: "j", maxCostUsd: 0.5 });
    expect(spec.stimuli[0]).toMatchObject({ name: "one", prompt: "Say hi." });
    expect(spec.stimuli[0]?.graders).toMatchObject([
      { type: "exit-success" },
      { type: "output-contains", config: { substring: "hi", case_sensitive: true }, weight: 2 },
      { type: "file-exists", config: { path: "hi.txt" }, required: true },
      { type: "output-contains", config: { substring: "hi", case_sensitive: false } },
      { type: "turn-count", config: { max: 3 } },
      { type: "wall-time", config: { max: "20s" } },
    ]);
    expect(spec.notes).toContain(
      "defaults.parallel: ignored: trials always run in parallel; use --workers to set how many",
    );
    expect(spec.notes).toContain("stimuli.id is read as name");
    expect(spec.notes).toContain("graders: settings beside the type are read as its config");
    expect(spec.notes).toContain("graders: the type file_exists is read as file-exists");
  });

  it("keep their own locations in messages", async () => {
    using folder = createSpecFolder(`config:
  trials: none
stimuli:
  - id: one
    input: Say hi.
    graders:
      - { type: file-exists, path: ../hi.txt }
`);
    const wrong = await readSpec(folder.file, { registry });
    expect(wrong.problems).toEqual([
      { line: 2, column: 11, text: "defaults.runs must be a number." },
      { line: 7, column: 36, text: expect.stringContaining("must not leave the workspace") },
    ]);
    const edit = (raw: unknown) => ({ ...(raw as object), config: { trials: 2 } });
    const { problems } = await readSpec(folder.file, { registry, edit });
    expect(problems).toMatchObject([
      { line: 7, column: 36, text: expect.stringContaining("must not leave the workspace") },
    ]);
  });

  it("prefer a name to an id", async () => {
    using folder = createSpecFolder("stimuli: [{ id: 1, name: a, prompt: p, graders: [{ type: completed }] }]\n");
    const { stimuli, notes } = await loadSpec(folder.file, { registry });
    expect(stimuli[0]?.name).toBe("a");
    expect(notes).toEqual(["stimuli.id: ignored: name is given"]);
  });

  it("still reject unknown keys", async () => {
    using folder = createSpecFolder(
      "config: { tries: 3 }\nstimuli: [{ name: a, prompt: p, graders: [{ type: completed }] }]\n",
    );
    const { problems } = await readSpec(folder.file, { registry });
    expect(problems).toMatchObject([{ line: 1, column: 11, text: expect.stringContaining('unknown key "tries"') }]);
  });
});
