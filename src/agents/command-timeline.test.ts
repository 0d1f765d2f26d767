import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { AgentEvent } from "../core/index.js";
import { readOutputs } from "../store/outputs.js";
import type { MockOptions } from "../testing/mock/index.js";
import { createAgentFolders, runScriptedTrial, type ScriptedTrialOptions } from "../testing/scripted-trial.js";

const TINY = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));
const WORK: MockOptions = {
  tools: [{ command: "cat skills/tidy/SKILL.md" }, { command: "echo made > a.txt; exit 3" }, { text: "All done." }],
};

/** A program that asks once without tools, writes a file, and prints its model's answer. */
const TEXT_AGENT = `
import { writeFileSync } from "node:fs";
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: "claude-sonnet-4-5", messages: [{ role: "user", content: process.argv[2] }] }),
});
const { choices } = await response.json();
writeFileSync("a.txt", "made");
console.log(choices[0].message.content);
`;

async function runCommand(options: Partial<ScriptedTrialOptions> & { readonly source?: string }) {
  const place = createAgentFolders();
  const file = join(place.root, "agent.mjs");
  writeFileSync(file, options.source ?? "");
  const program = options.source === undefined ? TINY : file;
  const { row, result } = await runScriptedTrial({
    place,
    does: [],
    agent: { command: `node ${program} {prompt}`, model: "tested", api: "chat" },
    run: { runsDir: join(place.root, "runs") },
    ...options,
  });
  const [stored] = readOutputs(result.runDir ?? "");
  const events = (stored?.output.trajectory?.events ?? []) as readonly AgentEvent[];
  return { row, events, trajectory: stored?.output.trajectory };
}

describe("a program that prints text", () => {
  it("has its timeline from its model calls, and graders of tools decide", async () => {
    const { row, events, trajectory } = await runCommand({
      model: WORK,
      example: {
        environment: { files: [{ dest: "skills/tidy/SKILL.md", content: "---\nname: tidy\n---\nTidy up.\n" }] },
        graders: [
          { type: "tool-calls", config: { required: [{ name: "^bash$", command: "made", result: "exit code 3" }] } },
          { type: "tool-calls", config: { sequence: [{ name: "bash", command: "SKILL" }, { name: "bash" }] } },
          { type: "tool-call-count", config: { min: 2, max: 2 } },
          { type: "step-count", config: { min: 3, max: 3 } },
          { type: "turn-count", config: { min: 3, max: 3 } },
          { type: "error-count", config: { max: 1 } },
          { type: "max-repeat", config: { max: 1 } },
          { type: "transcript-contains", config: { substring: "Tidy up." } },
          { type: "transcript-not-contains", config: { substring: "rm -rf" } },
        ],
      },
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass", turns: 3 });
    expect(row.metadata).toMatchObject({ toolCalls: 2, finishes: { tool_calls: 2, stop: 1 }, requests: 3 });
    expect(row.metadata).not.toHaveProperty("skills");
    expect(row.firstAttemptMs).toBeGreaterThan(0);
    expect(trajectory).not.toHaveProperty("toolsUnseen");
    const step = ["turn_start", "tool_call", "token_usage", "turn_end", "tool_result"];
    expect(events.map(({ type }) => type)).toEqual([
      "user_message",
      ...step,
      ...step,
      "turn_start",
      "assistant_message",
      "token_usage",
      "turn_end",
    ]);
    const costs = events.flatMap((event) => (event.type === "token_usage" ? [event.costUsd ?? 0] : []));
    expect(costs.reduce((sum, cost) => sum + cost, 0)).toBeCloseTo(row.costUsd ?? 0, 12);
  });

  it("fails for tools that it must not call", async () => {
    const { row } = await runCommand({
      model: WORK,
      example: { graders: [{ type: "completed" }, { type: "tool-call-count", config: { max: 0 }, required: true }] },
    });
    expect(row).toMatchObject({ outcome: "fail" });
  });

  it("has the skills that it reads", async () => {
    const { row, events } = await runCommand({
      model: { tools: [{ command: 'cat "$ASSAY_SKILLS_DIR"/tidy/SKILL.md' }, { text: "Done." }] },
      agent: { command: `node ${TINY} {prompt} {skills}`, model: "tested", api: "chat" },
      example: {
        environment: {
          skills: [{ name: "tidy", files: [{ dest: "SKILL.md", content: "---\nname: tidy\n---\nTidy.\n" }] }],
        },
        graders: [{ type: "skill-invocation", config: { required: ["tidy"] } }],
      },
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass", metadata: { skills: { offered: ["tidy"] } } });
    expect(row.metadata?.skills).not.toHaveProperty("observable");
    expect(events.filter(({ type }) => type === "skill_activation")).toHaveLength(1);
  });

  it("says so when its last answer was cut off or declined", async () => {
    const model = { finish: "refusal" as const, reply: "I cannot do that." };
    const { row } = await runCommand({ model });
    expect(row).toMatchObject({ errorCategory: "refused", metadata: { finishes: { refused: 1 } } });
    const long = await runCommand({ model: { finish: "length" } });
    expect(long.row).toMatchObject({ errorCategory: "truncated", metadata: { finishes: { truncated: 1 } } });
  });

  it("has hidden tools when its model is offered none", async () => {
    const { row, trajectory, events } = await runCommand({
      source: TEXT_AGENT,
      example: { graders: [{ type: "completed" }, { type: "tool-call-count", config: { max: 0 } }] },
    });
    expect(row).toMatchObject({ outcome: "unscored", turns: 1, metadata: { toolCalls: null } });
    expect(trajectory).toMatchObject({ toolsUnseen: true });
    expect(events.map(({ type }) => type)).toEqual([
      "user_message",
      "turn_start",
      "assistant_message",
      "token_usage",
      "turn_end",
    ]);
  });
});
