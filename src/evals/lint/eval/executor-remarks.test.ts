import { describe, expect, it } from "vitest";
import { lint } from "../lint.js";
import { createLintFolder, createLintOptions } from "../lint-testing.js";
import { buildSkillFile } from "../skill/skill-cases.js";

const SERVERS = "mcpServers: { docs: { command: node } }";

/** Messages about an executor with this environment. */
async function said(executor: string, environment = ""): Promise<string[]> {
  const text = [
    `defaults: { executor: ${JSON.stringify(executor)} }`,
    `environment: { ${environment} }`,
    "stimuli: [{ name: basic, prompt: Do it., graders: [{ type: run-command, config: { command: npm test } }] }]",
  ];
  using folder = createLintFolder({ "eval.yaml": `${text.join("\n")}\n`, "tidy/SKILL.md": buildSkillFile() });
  const { findings } = await lint([], { cwd: folder.path, ...createLintOptions() });
  return findings.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`);
}

describe("executors", () => {
  it.each([
    ["claud", '1:23 EVAL-EXECUTOR Unknown agent "claud". Did you mean "claude"?'],
    ["node agent.mjs", "has no placeholder for the task"],
    ["{prompt}", "has no placeholder for the task"],
    ["KEY=1 node agent.mjs {prompt}", "begins with the variable KEY,"],
  ])("are rejected when no run accepts them: %s", async (executor, says) => {
    expect(await said(executor)).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    ["node a.mjs {prompt}", "skills: [tidy]", "has no {skills}"],
    ["node a.mjs {prompt} {skills}", SERVERS, "has no {mcp_config}"],
    ["pi", SERVERS, "The agent pi does not support MCP servers"],
  ])("are reported when they do not support what they are offered: %s", async (executor, environment, says) => {
    const [first, ...others] = await said(executor, environment);
    expect(first).toMatch(/^1:23 EVAL-NOT-TAKEN .*"basic" offers it/);
    expect(first).toContain(says);
    expect(others).toEqual([]);
  });

  it.each([
    ["claude", `skills: [tidy], ${SERVERS}`],
    ["pi", "skills: [tidy]"],
    ["node a.mjs {prompt_file}", ""],
    ["node a.mjs {skills} {mcp_config} '{prompt}'", `skills: [tidy], ${SERVERS}`],
    ["sh -c 'run $ASSAY_SKILLS_DIR $ASSAY_MCP_CONFIG' {prompt}", `skills: [tidy], ${SERVERS}`],
  ])("are accepted when they do: %s", async (executor, environment) => {
    expect(await said(executor, environment)).toEqual([]);
  });
});
