import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT_NAMES, ALL_AGENT_NAMES, COMMAND_AGENT_NAMES } from "../src/budget/index.js";
import { writeFakeClaude, writeProgram } from "../src/testing/agent-cli-fixtures.js";
import { startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const VERSION_OF = (text: string) => `#!/bin/sh\n${text}\n`;

/** The line of each agent, by name. */
async function agentsIn(space: TempProject, env: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const { code, stdout } = await startAssay(space.dir, ["doctor"], env).finished;
  expect(code).toBe(0);
  const lines = [...stdout.matchAll(/^\| agent (\w+) +\| (\w+) +\| (.*?) +\|$/gm)];
  return Object.fromEntries(lines.map(([, name = "", state, detail]) => [name, `${state}: ${detail}`]));
}

describe("assay doctor and agents", () => {
  it("describes each agent and how to install it", async () => {
    const space = new TempProject();
    const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const agents = await agentsIn(space, { PATH });
    expect(Object.keys(agents)).toEqual([...ALL_AGENT_NAMES]);
    for (const name of AGENT_NAMES)
      expect(agents[name]).toMatch(/^missing: not installed; at least \d+\.\d+\.\d+\. .*npm install -g @?\S+$/);
    for (const name of COMMAND_AGENT_NAMES)
      expect(agents[name]).toMatch(/^missing: not installed; .*(Install it with: \S|How to install it: https:)/);
    for (const name of ["agy", "aider", "crush", "goose"]) expect(agents[name]).toContain("; untested");
    expect(agents.droid).not.toContain("untested");
  });

  it("prints version, path, key and login of installed ones", async () => {
    const space = new TempProject({ "home/.claude/.credentials.json": "{}" });
    const { PATH } = writeFakeClaude(space);
    writeProgram(space, "codex", VERSION_OF("echo codex-cli 0.120.0"));
    const env = { PATH, HOME: space.path("home"), ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "set" };
    const { claude = "", codex = "" } = await agentsIn(space, env);
    expect(claude).toContain(`ok: 2.1.325 (${space.path("bin", "claude")})`);
    expect(claude).toContain("ANTHROPIC_API_KEY is not set: set it, or use its login with --agent-home inherit");
    expect(claude).not.toContain("tested with");
    expect(claude.includes("root")).toBe(process.getuid?.() === 0);
    expect(codex).toMatch(
      /^ok: 0\.120\.0 \(.*\); at least 0\.110\.0; tested with 0\.166\.0: .*; OPENAI_API_KEY is set$/,
    );
  });

  it("prints the least version of each, and reports an older one as missing", async () => {
    const space = new TempProject();
    writeProgram(space, "codex", VERSION_OF("echo codex-cli 0.98.0"));
    const { PATH } = writeProgram(space, "pi", VERSION_OF("echo 0.74.2"));
    const { codex = "", pi = "" } = await agentsIn(space, { PATH });
    expect(pi).toMatch(/^ok: 0\.74\.2 \(.*\); at least 0\.62\.0; run as --agent pi:/);
    expect(codex).toContain(
      "missing: codex 0.98.0 is too old: version 0.110.0 is the first that works. Update it with: npm install -g @openai/codex",
    );
  });

  it("lists the agents that the config file defines", async () => {
    const space = new TempProject({
      "assay.config.yaml": `agents:
  - { name: mine, command: "my-agent {prompt}", minVersion: "2.0" }
  - { name: other, command: "no-such-agent {prompt}", install: get it from the shop }
  - claude
`,
    });
    const { PATH } = writeProgram(space, "my-agent", VERSION_OF("echo my-agent 2.1.0"));
    const { mine = "", other = "" } = await agentsIn(space, { PATH });
    expect(mine).toMatch(/^ok: 2\.1\.0 \(.*my-agent\); at least 2\.0/);
    expect(other).toBe("missing: not installed. Install it with: get it from the shop");
  });

  it("does not report agents as ready that cannot be started", async () => {
    const space = new TempProject();
    const { PATH } = writeProgram(space, "claude", VERSION_OF("exit 1"));
    writeProgram(space, "pi", "#!/no/such/interpreter\n");
    const { claude = "", pi = "" } = await agentsIn(space, { PATH });
    expect(claude).toMatch(/^missing: .*does not report its version: try to start it$/);
    expect(pi).toMatch(/^missing: /);
  });
});
