import { mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Environment } from "../core/environment.js";
import type { Example } from "../core/example.js";
import { COMPLETED, openMock, openPlace, openScripted, tryScripted } from "../testing/scripted-trial.js";
import type { LaunchRequest } from "./adapter.js";
import { ADAPTERS } from "./adapters/index.js";
import { offerOf, requireTaken } from "./agent-system.js";
import { commandAdapter } from "./command.js";
import { REQUEST } from "./recorded-testing.js";

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

/** Tells how it takes up the skill as `claude` does. */
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

describe("skills that an agent is offered", () => {
  it("are in its HOME, and taking one up is an event of its own", async () => {
    const look = "cat ~/.claude/skills/tidy/SKILL.md > seen.md && test -x ~/.claude/skills/tidy/run.sh";
    const { row } = await tryScripted({
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

  it("are in the folder where the HOME is not ours, and are no change", async () => {
    const place = openPlace();
    const home = join(place.root, "own-home");
    mkdirSync(home);
    const { row } = await tryScripted({
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

  it("are told to a command that has a place for them, which cannot be seen taking them up", async () => {
    const place = openPlace();
    const told = join(place.root, "told.json");
    const { row } = await tryScripted({
      place,
      program: "mine",
      agent: { command: "mine --skills={skills} --mcp={mcp_config} {prompt}" },
      does: [{ confess: told }, { line: "Done." }],
      example: { environment: { skills: SKILLS, mcpServers: SERVERS, env: { FOR: "all" } }, graders: COMPLETED },
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

  it("are refused before anything is done where they cannot be taken", async () => {
    const place = openPlace();
    const run = tryScripted({
      place,
      program: "mine",
      agent: { command: "mine {prompt}" },
      does: [DONE],
      example: { environment: { skills: SKILLS } },
    });
    await expect(run).rejects.toThrow(/mine cannot be offered the skills "tidy"\. Write \{skills\} where/);
  });

  it("can be asked about before a run", async () => {
    const place = openPlace();
    const { agent } = await tryScripted({ place, does: [DONE] });
    const system = await openScripted(place, await openMock(), {
      agent: { command: `${join(agent.bin, "claude")} {prompt}` },
    });
    const example: Example = { id: "a", question: "?", environment: { skills: SKILLS } };
    expect(() => system.checkExample(example)).toThrow(/cannot be offered the skills/);
    expect(() => system.checkExample({ id: "a", question: "?" })).not.toThrow();
  });
});

describe("an offer", () => {
  const offer = offerOf({
    id: 1,
    environment: { skills: SKILLS, mcpServers: SERVERS, env: { LUCK: "all", FOR: "all" } },
  });

  it("gives servers the example's variables, and theirs above them", () => {
    expect(offer.servers.docs).toMatchObject({ env: { LUCK: "own", FOR: "all" } });
    expect(offer.servers.far).toEqual(SERVERS?.far);
  });

  const taken = (adapter: (typeof ADAPTERS)["pi"], usesOwnHome = false) => {
    const skillsOnly = { ...offer, servers: {} };
    const serversOnly = { ...offer, skills: [] };
    return [skillsOnly, serversOnly].map((each) => {
      try {
        requireTaken(each, { name: "it", adapter, usesOwnHome });
        return "taken";
      } catch (error) {
        return (error as Error).message;
      }
    });
  };

  it("is taken by the agents that can", () => {
    for (const name of ["claude", "codex", "opencode"] as const)
      for (const own of [true, false]) expect(taken(ADAPTERS[name], own), name).toEqual(["taken", "taken"]);
    expect(taken(ADAPTERS.gemini)).toEqual(["taken", "taken"]);
    expect(taken(commandAdapter("x $ASSAY_SKILLS_DIR $ASSAY_MCP_CONFIG {prompt}"))).toEqual(["taken", "taken"]);
  });

  it("is refused where it would be passed over without a word: a skill that says no name", () => {
    const content = "---\ndescription: Tidies up.\n---\nname: in the text\n";
    const nameless = { skills: [{ name: "tidy", files: [{ dest: "SKILL.md", content }] }], servers: {} };
    const take = (name: keyof typeof ADAPTERS) => () =>
      requireTaken(nameless, { name, adapter: ADAPTERS[name], usesOwnHome: false });
    for (const name of ["gemini", "opencode"] as const)
      expect(take(name)).toThrow(/"tidy": it passes over those without/);
    for (const name of ["claude", "codex", "pi"] as const) expect(take(name)).not.toThrow();
  });

  it("is refused by those that cannot, and says what to do", () => {
    expect(taken(ADAPTERS.gemini, true)[1]).toMatch(/servers "docs", "far" in a HOME that is there already. Leave out/);
    expect(taken(ADAPTERS.pi)).toEqual(["taken", expect.stringMatching(/Use another agent, or leave them out/)]);
    expect(taken(commandAdapter("x {prompt} {skills}"))).toEqual([
      "taken",
      expect.stringMatching(/Write \{mcp_config\}/),
    ]);
  });
});

describe("servers", () => {
  const request: LaunchRequest = {
    ...REQUEST,
    mcp: { file: "/r/mcp.json", servers: SERVERS ?? {} },
  };

  it("are told to claude by a file, and no others are asked", () => {
    const { args } = ADAPTERS.claude.launch(request);
    const at = args.indexOf("--mcp-config");
    expect(args.slice(at, at + 4)).toEqual(["--mcp-config", "/r/mcp.json", "--strict-mcp-config", "--"]);
    expect(ADAPTERS.claude.launch(REQUEST).args.join(" ")).not.toContain("mcp");
  });

  it("are told to codex one by one", () => {
    const { args } = ADAPTERS.codex.launch({ ...request, usesOwnHome: true });
    expect(args).toContain(
      String.raw`mcp_servers.docs={"command"="node","args"=["a b.mjs","quo\"te"],"env"={"LUCK"="own"}}`,
    );
    expect(args).toContain(`mcp_servers.far={"url"="https://example.org/mcp","http_headers"={"X-Key"="k"}}`);
  });

  it("are told to gemini in its settings", () => {
    const { homeFiles } = ADAPTERS.gemini.launch(request);
    expect(JSON.parse(homeFiles[".gemini/settings.json"] ?? "")).toMatchObject({
      security: {},
      mcpServers: { docs: SERVERS?.docs, far: { type: "http", ...SERVERS?.far } },
    });
    expect(ADAPTERS.gemini.launch(REQUEST).homeFiles[".gemini/settings.json"]).not.toContain("mcpServers");
  });

  it("are told to opencode in a variable", () => {
    const { env } = ADAPTERS.opencode.launch(request);
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      mcp: {
        docs: { type: "local", command: ["node", "a b.mjs", 'quo"te'], environment: { LUCK: "own" }, enabled: true },
        far: { type: "remote", ...SERVERS?.far, enabled: true },
      },
    });
    expect(ADAPTERS.opencode.launch(REQUEST).env).not.toHaveProperty("OPENCODE_CONFIG_CONTENT");
  });
});
