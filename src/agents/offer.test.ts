import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Environment } from "../core/environment.js";
import type { Example } from "../core/example.js";
import {
  COMPLETED_EVENTS,
  createAgentFolders,
  openScriptedAgent,
  openTrialMock,
  runScriptedTrial,
} from "../testing/scripted-trial.js";
import type { LaunchRequest } from "./adapter.js";
import { ADAPTERS } from "./adapters/index.js";
import { getExtensions, requireExtensionSupport } from "./agent-system.js";
import { createCommandAdapter } from "./command.js";
import { LAUNCH_REQUEST } from "./recorded-testing.js";

const SKILLS: Environment["skills"] = [
  {
    name: "tidy",
    files: [
      { dest: "SKILL.md", content: "---\nname: tidy\ndescription: Tidies up.\n---\n" },
      { dest: "run.sh", content: "#!/bin/sh\n", executable: true },
    ],
  },
];

const SERVERS: Environment["mcpServers"] = {
  docs: { command: "node", args: ["a b.mjs", 'quo"te'], env: { LUCK: "own" } },
  far: { url: "https://example.org/mcp", headers: { "X-Key": "k" } },
};

const DONE = { end: "done" } as const;

/** Reports a skill activation like `claude`. */
const READS = {
  print: {
    type: "assistant",
    message: {
      id: "m1",
      content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "cat ~/.claude/skills/tidy/SKILL.md" } }],
    },
  },
};

interface Confession {
  readonly argv: string[];
  readonly env: Record<string, string>;
}

describe("offered skills", () => {
  it("are in its HOME, and activating one is an event", async () => {
    const look = "cat ~/.claude/skills/tidy/SKILL.md > seen.md && test -x ~/.claude/skills/tidy/run.sh";
    const { row } = await runScriptedTrial({
      does: [{ ask: true }, { ask: true }, DONE],
      model: { tools: [{ command: look }, { text: "Done." }] },
      example: {
        environment: { skills: SKILLS },
        graders: [
          { type: "skill-invocation", config: { required: ["tidy"] } },
          { type: "file-contains", config: { path: "seen.md", value: "Tidies up." } },
          { type: "file-not-exists", config: { path: ".claude/**" } },
        ],
      },
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass" });
    expect(row.metadata?.skills).toEqual({ offered: ["tidy"] });
  });

  it("are in the folder when HOME is the user's, and are not a change", async () => {
    const place = createAgentFolders();
    const home = join(place.root, "own-home");
    mkdirSync(home);
    const { row } = await runScriptedTrial({
      place,
      agent: { home },
      does: [{ write: "done.txt", text: "" }, READS, DONE],
      example: {
        environment: { skills: SKILLS },
        graders: [
          { type: "file-contains", config: { path: ".claude/skills/tidy/SKILL.md", value: "Tidies up." } },
          { type: "run-command", config: { command: "test -x .claude/skills/tidy/run.sh" } },
          { type: "diff-not-contains", config: { value: "Tidies up." } },
        ],
      },
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass" });
    expect(statSync(join(home, ".claude"), { throwIfNoEntry: false })).toBeUndefined();
  });

  it("are passed to a command with a placeholder, whose activations cannot be observed", async () => {
    const place = createAgentFolders();
    const told = join(place.root, "told.json");
    const { row } = await runScriptedTrial({
      place,
      program: "mine",
      agent: { command: "mine --skills={skills} --mcp={mcp_config} {prompt}" },
      does: [{ confess: told }, { line: "Done." }],
      example: { environment: { skills: SKILLS, mcpServers: SERVERS, env: { FOR: "all" } }, graders: COMPLETED_EVENTS },
    });
    expect(row, JSON.stringify(row)).toMatchObject({
      outcome: "pass",
      metadata: { skills: { offered: ["tidy"], observable: false } },
    });
    const { argv, env } = JSON.parse(readFileSync(told, "utf8")) as Confession;
    expect(argv.slice(0, 2)).toEqual([`--skills=${env.ASSAY_SKILLS_DIR}`, `--mcp=${env.ASSAY_MCP_CONFIG}`]);
    expect(env.ASSAY_SKILLS_DIR).toMatch(/skills$/);
    expect(env.ASSAY_SKILLS_DIR).not.toContain(env.HOME);
  });

  it("are rejected early when not supported", async () => {
    const place = createAgentFolders();
    const run = runScriptedTrial({
      place,
      program: "mine",
      agent: { command: "mine {prompt}" },
      does: [DONE],
      example: { environment: { skills: SKILLS } },
    });
    await expect(run).rejects.toThrow(/mine does not support the skills "tidy"\. Add \{skills\} to/);
  });

  it("can be checked before a run", async () => {
    const place = createAgentFolders();
    const { agent } = await runScriptedTrial({ place, does: [DONE] });
    const system = await openScriptedAgent(place, await openTrialMock(), {
      agent: { command: `${join(agent.bin, "claude")} {prompt}` },
    });
    const example: Example = { id: "a", question: "?", environment: { skills: SKILLS } };
    expect(() => system.checkExample(example)).toThrow(/does not support the skills/);
    expect(() => system.checkExample({ id: "a", question: "?" })).not.toThrow();
  });
});

describe("extensions of an example", () => {
  const extensions = getExtensions({
    id: 1,
    environment: { skills: SKILLS, mcpServers: SERVERS, env: { LUCK: "all", FOR: "all" } },
  });

  it("give servers the example's variables, overridden by their own", () => {
    expect(extensions.servers.docs).toMatchObject({ env: { LUCK: "own", FOR: "all" } });
    expect(extensions.servers.far).toEqual(SERVERS?.far);
  });

  const taken = (adapter: (typeof ADAPTERS)["pi"], usesOwnHome = false) => {
    const skillsOnly = { ...extensions, servers: {} };
    const serversOnly = { ...extensions, skills: [] };
    return [skillsOnly, serversOnly].map((each) => {
      try {
        requireExtensionSupport(each, { name: "it", adapter, usesOwnHome });
        return "taken";
      } catch (error) {
        return (error as Error).message;
      }
    });
  };

  it("are accepted by agents that support them", () => {
    for (const name of ["claude", "codex", "opencode"] as const)
      for (const own of [true, false]) expect(taken(ADAPTERS[name], own), name).toEqual(["taken", "taken"]);
    expect(taken(ADAPTERS.gemini)).toEqual(["taken", "taken"]);
    expect(taken(createCommandAdapter("x $ASSAY_SKILLS_DIR $ASSAY_MCP_CONFIG {prompt}"))).toEqual(["taken", "taken"]);
  });

  it("are rejected when they would be silently ignored: a skill without a name", () => {
    const content = "---\ndescription: Tidies up.\n---\nname: in the text\n";
    const nameless = { skills: [{ name: "tidy", files: [{ dest: "SKILL.md", content }] }], servers: {} };
    const take = (name: keyof typeof ADAPTERS) => () =>
      requireExtensionSupport(nameless, { name, adapter: ADAPTERS[name], usesOwnHome: false });
    for (const name of ["gemini", "opencode"] as const) expect(take(name)).toThrow(/"tidy": it ignores skills without/);
    for (const name of ["claude", "codex", "pi"] as const) expect(take(name)).not.toThrow();
  });

  it("are rejected by agents that do not support them, with a remedy", () => {
    expect(taken(ADAPTERS.gemini, true)[1]).toMatch(/servers "docs", "far" in an existing HOME. Remove/);
    expect(taken(ADAPTERS.pi)).toEqual(["taken", expect.stringMatching(/Use another agent, or remove them/)]);
    expect(taken(createCommandAdapter("x {prompt} {skills}"))).toEqual([
      "taken",
      expect.stringMatching(/Add \{mcp_config\}/),
    ]);
  });
});

describe("MCP servers", () => {
  const request: LaunchRequest = {
    ...LAUNCH_REQUEST,
    mcp: { file: "/r/mcp.json", servers: SERVERS ?? {} },
  };

  it("are passed to claude in a file, without any others", () => {
    const { args } = ADAPTERS.claude.launch(request);
    const at = args.indexOf("--mcp-config");
    expect(args.slice(at, at + 4)).toEqual(["--mcp-config", "/r/mcp.json", "--strict-mcp-config", "--"]);
    expect(ADAPTERS.claude.launch(LAUNCH_REQUEST).args.join(" ")).not.toContain("mcp");
  });

  it("are passed to codex one by one", () => {
    const { args } = ADAPTERS.codex.launch({ ...request, usesOwnHome: true });
    expect(args).toContain(
      String.raw`mcp_servers.docs={"command"="node","args"=["a b.mjs","quo\"te"],"env"={"LUCK"="own"}}`,
    );
    expect(args).toContain(`mcp_servers.far={"url"="https://example.org/mcp","http_headers"={"X-Key"="k"}}`);
  });

  it("are passed to gemini in its settings", () => {
    const { homeFiles } = ADAPTERS.gemini.launch(request);
    expect(JSON.parse(homeFiles[".gemini/settings.json"] ?? "")).toMatchObject({
      security: {},
      mcpServers: { docs: SERVERS?.docs, far: { type: "http", ...SERVERS?.far } },
    });
    expect(ADAPTERS.gemini.launch(LAUNCH_REQUEST).homeFiles[".gemini/settings.json"]).not.toContain("mcpServers");
  });

  it("are passed to opencode in a variable", () => {
    const { env } = ADAPTERS.opencode.launch(request);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      mcp: {
        docs: { type: "local", command: ["node", "a b.mjs", 'quo"te'], environment: { LUCK: "own" }, enabled: true },
        far: { type: "remote", ...SERVERS?.far, enabled: true },
      },
    });
    expect(ADAPTERS.opencode.launch(LAUNCH_REQUEST).env).not.toHaveProperty("OPENCODE_CONFIG_CONTENT");
  });
});
