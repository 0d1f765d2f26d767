import { describe, expect, it } from "vitest";
import { lint } from "../lint.js";
import { lintFolder, testOptions } from "../lint-testing.js";
import { skill } from "../skill/skill-cases.js";

const SERVERS = "mcpServers: { docs: { command: node } }";

/** What is said of an executor that is offered this. */
async function said(executor: string, environment = ""): Promise<string[]> {
  const text = [
    `defaults: { executor: ${JSON.stringify(executor)} }`,
    `environment: { ${environment} }`,
    "stimuli: [{ name: basic, prompt: Do it., graders: [{ type: run-command, config: { command: npm test } }] }]",
  ];
  using folder = lintFolder({ "eval.yaml": `${text.join("\n")}\n`, "tidy/SKILL.md": skill() });
  const { findings } = await lint([], { cwd: folder.path, ...testOptions() });
  return findings.map(({ code, line, column, message }) => `${line}:${column} ${code} ${message}`);
}

describe("executors", () => {
  it.each([
    ["claud", '1:23 EVAL-EXECUTOR There is no agent "claud". Did you mean "claude"?'],
    ["node agent.mjs", "does not say where the task goes"],
    ["{prompt}", "does not say where the task goes"],
    ["KEY=1 node agent.mjs {prompt}", "begins with the variable KEY,"],
  ])("are refused when no run takes them: %s", async (executor, says) => {
    expect(await said(executor)).toEqual([expect.stringContaining(says)]);
  });

  it.each([
    ["node a.mjs {prompt}", "skills: [tidy]", "has no {skills}"],
    ["node a.mjs {prompt} {skills}", SERVERS, "has no {mcp_config}"],
    ["pi", SERVERS, "The agent pi takes no MCP servers"],
  ])("have to take what they are offered: %s", async (executor, environment, says) => {
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
  ])("are fine when they do: %s", async (executor, environment) => {
    expect(await said(executor, environment)).toEqual([]);
  });
});
