import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
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
    expect(Object.keys(agents)).toEqual(["claude", "codex", "gemini", "opencode", "pi"]);
    for (const detail of Object.values(agents))
      expect(detail).toMatch(/^missing: not installed\. .*npm install -g @?\S+$/);
  });

  it("prints version, path, key and login of installed ones", async () => {
    const space = new TempProject({ "home/.claude/.credentials.json": "{}" });
    const { PATH } = writeFakeClaude(space);
    writeProgram(space, "codex", VERSION_OF("echo codex-cli 0.99.0"));
    const env = { PATH, HOME: space.path("home"), ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "set" };
    const { claude = "", codex = "" } = await agentsIn(space, env);
    expect(claude).toContain(`ok: 2.1.325 (${space.path("bin", "claude")})`);
    expect(claude).toContain("ANTHROPIC_API_KEY is not set: set it, or use its login with --agent-home inherit");
    expect(claude).not.toContain("tested with");
    expect(claude.includes("root")).toBe(process.getuid?.() === 0);
    expect(codex).toMatch(/^ok: 0\.99\.0 \(.*\); tested with 0\.166\.0: .*; OPENAI_API_KEY is set$/);
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
