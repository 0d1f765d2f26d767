import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ALL_AGENT_NAMES } from "../budget/rules.js";
import { type AgentStatus, describeAgents } from "./detect.js";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "assay-describe-"));
  mkdirSync(join(root, "home", ".claude"), { recursive: true });
  vi.stubEnv("PATH", `${root}:/usr/bin:/bin`);
  vi.stubEnv("HOME", join(root, "home"));
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY"]) vi.stubEnv(name, "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(root, { recursive: true, force: true });
});

function install(name: string, says: string): void {
  writeFileSync(join(root, name), `#!/bin/sh\necho '${says}'\n`, { mode: 0o755 });
}

async function stateOf(name: string): Promise<AgentStatus | undefined> {
  return (await describeAgents()).find((state) => state.name === name);
}

describe("describeAgents", () => {
  it("explains how to install each agent", async () => {
    const states = await describeAgents();
    expect(states.map(({ name }) => name)).toEqual([...ALL_AGENT_NAMES]);
    for (const { isReady, detail } of states) {
      expect(isReady).toBe(false);
      expect(detail).toMatch(
        /^not installed; (at least [\d.]+|untested).* (Install it with: \S|How to install it: https:\/\/\S+$)/,
      );
    }
  });

  it("shows version, path and what is missing", async () => {
    install("codex", "codex-cli 0.166.0");
    install("opencode", "1.3.0");
    const codex = await stateOf("codex");
    expect(codex?.isReady, "neither a key nor a login").toBe(false);
    expect(codex?.detail).toBe(
      `0.166.0 (${join(root, "codex")}); at least 0.110.0; OPENAI_API_KEY is not set: set it, or log in with codex and use --agent-home inherit`,
    );
    const opencode = await stateOf("opencode");
    expect(opencode?.detail).toContain("tested with 1.18.33");
    expect(opencode?.detail).toContain("run as --agent opencode:PROVIDER/MODEL");
  });

  it("detects a key and a login, and never shows the key", async () => {
    install("claude", "2.1.325 (Claude Code)");
    writeFileSync(join(root, "home", ".claude", ".credentials.json"), "{}");
    expect((await stateOf("claude"))?.detail).toContain("set it, or use its login with --agent-home inherit");
    vi.stubEnv("ANTHROPIC_API_KEY", "a-secret");
    const detail = (await stateOf("claude"))?.detail ?? "";
    expect(detail).toContain("ANTHROPIC_API_KEY is set; or with its login: --agent-home inherit");
    expect(detail).not.toContain("a-secret");
  });

  it("explains the handling of root to root only", async () => {
    install("claude", "2.1.325 (Claude Code)");
    vi.spyOn(process, "getuid").mockReturnValue(0);
    expect((await stateOf("claude"))?.detail).toContain("IS_SANDBOX=1");
    vi.spyOn(process, "getuid").mockReturnValue(1000);
    expect((await stateOf("claude"))?.detail).not.toContain("IS_SANDBOX");
  });

  it("shows the timeout of an agent that hangs, and the results of the others", async () => {
    install("codex", "codex-cli 0.166.0");
    writeFileSync(join(root, "gemini"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
    const states = new Map((await describeAgents(2000)).map((state) => [state.name, state]));
    expect(states.get("gemini")).toMatchObject({
      isReady: false,
      detail: `${join(root, "gemini")} did not respond within 2 s: try to start it`,
    });
    expect(states.get("codex")?.detail).toContain("0.166.0");
  });

  it("does not treat an agent as ready that does not start", async () => {
    install("pi", "SyntaxError: unexpected token");
    writeFileSync(join(root, "gemini"), "#!/no/such/interpreter\n", { mode: 0o755 });
    expect(await stateOf("pi")).toMatchObject({ isReady: false, detail: expect.stringContaining("try to start it") });
    expect(await stateOf("gemini")).toMatchObject({
      isReady: false,
      detail: expect.stringContaining("the interpreter named in its first line does not exist"),
    });
  });
});
