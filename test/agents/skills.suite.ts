import { describe, expect, it } from "vitest";
import type { Environment } from "../../src/core/environment.js";
import { findProgram } from "../../src/exec/process/index.js";
import type { ToolStep } from "../../src/testing/mock/script.js";
import { ADAPTED_AGENTS, type AgentTrial, expectNothingLeft, tryAgent } from "./real-agent.js";

const SKILL = "moss-reports";
const DESCRIPTION = "Writes reports on moss. Use it whenever somebody asks for a report on moss.";
const BODY = "Begin every report with the word BRYOPHYTE.";

/** Writes a file, so that a test can see that the whole skill was there. */
const SCRIPT = "#!/bin/sh\necho from-the-skill > hello.txt\n";

const OFFER: Environment = {
  skills: [
    {
      name: SKILL,
      files: [
        { dest: "SKILL.md", content: `---\nname: ${SKILL}\ndescription: ${DESCRIPTION}\n---\n# Moss\n\n${BODY}\n` },
        { dest: "scripts/report.sh", content: SCRIPT, executable: true },
      ],
    },
  ],
};

/** How the model of each agent activates a skill. */
const TAKES_UP: Readonly<Record<string, ToolStep>> = {
  claude: { name: "Skill", arguments: { skill: SKILL } },
  codex: { command: `cat ~/.agents/skills/${SKILL}/SKILL.md` },
  copilot: { name: "skill", arguments: { skill: SKILL } },
  gemini: { name: "activate_skill", arguments: { name: SKILL } },
  opencode: { name: "skill", arguments: { name: SKILL } },
  qwen: { name: "skill", arguments: { skill: SKILL } },
  pi: { command: `cat ~/.pi/agent/skills/${SKILL}/SKILL.md` },
};

/** Runs the skill's own script, wherever it is below HOME. */
const RUNS_IT: ToolStep = { command: `sh -c "find ~ -path '*/${SKILL}/scripts/report.sh' -exec {} ';'"` };

/** opencode lists a skill's files with ripgrep, and would download it. */
const canLoad = (name: string) => name !== "opencode" || findProgram("rg") !== null;

const MARK = `lucky-${process.pid}-${Date.now()}`;

/** A minimal server that logs its requests to a file. */
const SERVER = `
import { createInterface } from "node:readline";
import { appendFileSync } from "node:fs";
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const note = (what) => appendFileSync("hello.txt", [what, process.env.LUCK, process.env.FOLDER].join(" "));
const inputSchema = { type: "object", properties: { day: { type: "string" } } };
const tool = { name: "lucky_number", description: "Tells the lucky number of a day.", inputSchema };
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {} },
    serverInfo: { name: "lucky", version: "1" },
  }),
  "tools/list": () => ({ tools: [tool] }),
  "resources/list": () => ({ resources: [{ uri: "day://friday", name: "friday" }] }),
  "tools/call": (params) => (note(params.arguments.day), { content: [{ type: "text", text: "it is 4711" }] }),
  "resources/read": ({ uri }) => (note("friday"), { contents: [{ uri, text: "it is 4711" }] }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  if (answer === undefined) say({ id, error: { code: -32601, message: "there is no such method" } });
  else say({ id, result: answer(params) });
});
`;

const SERVED: Environment = {
  files: [{ dest: "server.mjs", content: SERVER }],
  env: { FOLDER: "of-the-example" },
  mcpServers: { lucky: { command: "node", args: ["server.mjs", MARK], env: { LUCK: "of-the-server" } } },
};

/**
 * How the model of each agent calls the server. Codex expects calls of server tools in a format that the mock does not write
 * (by name and namespace), so there the server is called by the tool that reads resources.
 */
const ASKS: Readonly<Record<string, { name: string; arguments: Record<string, string> }>> = {
  claude: { name: "mcp__lucky__lucky_number", arguments: { day: "friday" } },
  codex: { name: "read_mcp_resource", arguments: { server: "lucky", uri: "day://friday" } },
  copilot: { name: "lucky-lucky_number", arguments: { day: "friday" } },
  gemini: { name: "mcp_lucky_lucky_number", arguments: { day: "friday" } },
  opencode: { name: "lucky_lucky_number", arguments: { day: "friday" } },
  qwen: { name: "mcp__lucky__lucky_number", arguments: { day: "friday" } },
};

function asked({ calls }: AgentTrial): string {
  return JSON.stringify(calls.map(({ body }) => body));
}

describe.each(ADAPTED_AGENTS.map(({ name, version }) => [name, version]))("real %s %s", (name) => {
  it("is offered a skill, activates it, and the activation is recorded", async () => {
    const takesUp = TAKES_UP[name] ?? { text: "there is no such agent" };
    const tools = [takesUp, RUNS_IT, { text: "Done." }];
    const tried = await tryAgent(name, {
      script: { tools, keepBodies: true },
      example: {
        environment: OFFER,
        graders: [{ type: "file-contains", config: { path: "hello.txt", value: "from-the-skill" } }],
      },
    });
    const { row, output } = tried;
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass", metadata: { skills: { offered: [SKILL] } } });
    expect(asked(tried)).toContain(DESCRIPTION);
    if (canLoad(name)) expect(asked(tried)).toContain(BODY);
    else console.warn("skipped: without ripgrep in PATH opencode cannot load a skill, only choose it");
    const seen = output.trajectory?.events.filter(({ type }) => type === "skill_activation");
    expect(seen, JSON.stringify(output.trajectory)).toMatchObject([{ name: SKILL }]);
    expect(output.workspace?.changes.map(({ path }) => path)).toEqual(["hello.txt"]);
  });

  it("connects to a server, lists its tool to the model and calls it", async () => {
    const asks = ASKS[name] ?? { text: "there is no server" };
    const value = "friday of-the-server of-the-example";
    const trying = tryAgent(name, {
      script: { tools: [asks, { text: "Done." }], keepBodies: true },
      example: { environment: SERVED, graders: [{ type: "file-contains", config: { path: "hello.txt", value } }] },
    });
    if (name === "pi") {
      await expect(trying).rejects.toThrow(/pi.* does not support the MCP servers "lucky"/);
      return;
    }
    const tried = await trying;
    expect(tried.row, JSON.stringify(tried.row)).toMatchObject({ outcome: "pass" });
    // Claude and Codex send the model only names of server tools, and the rest on request.
    expect(asked(tried)).toContain(name === "codex" ? "lucky" : ASKS[name]?.name);
    expect(asked(tried)).toContain("it is 4711");
    const called = tried.output.trajectory?.events.filter(({ type }) => type === "tool_call");
    expect(called).toHaveLength(1);
    expectNothingLeft(MARK);
  });
});
