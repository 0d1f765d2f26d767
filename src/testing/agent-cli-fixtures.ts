import { chmodSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type Mock, type MockOptions, startMock } from "./mock/index.js";
import type { TempProject } from "./temp-project.js";

const TINY_AGENT = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));

/** The example agent as an --agent-command. */
export const TINY_AGENT_COMMAND = `'${process.execPath}' '${TINY_AGENT}' {prompt}`;

/** A model with a price, so that trials have a cost and a budget. */
const PRICED_MODEL_FLAGS = ["--agent-model", "openai/gpt-5-mini"];

export const GREETING_RULE = {
  match: "Write the greeting",
  steps: [{ command: "echo hello > hello.txt && cat hello.txt" }, { text: "The greeting is there." }],
};

/** A task that passes only with the greeting. */
export const GREET_EXAMPLE = {
  id: "greet",
  question: "Write the greeting",
  graders: [{ type: "file-contains", config: { path: "hello.txt", value: "hello" } }],
};

/** A mock that is closed after the test. */
export async function startGreetingModel(script: MockOptions = { tools: [GREETING_RULE] }): Promise<Mock> {
  const mock = await startMock({ reply: "I did nothing.", ...script });
  onTestFinished(() => mock.close());
  return mock;
}

export function makeTinyAgentFlags(mock: Mock): string[] {
  return ["--agent-command", TINY_AGENT_COMMAND, ...PRICED_MODEL_FLAGS, "--agent-url", mock.url];
}

/** Writes a program into a folder that comes first in PATH. */
export function writeProgram(space: TempProject, name: string, script: string): { PATH: string } {
  space.write(`bin/${name}`, script);
  chmodSync(space.path("bin", name), 0o755);
  return { PATH: [space.path("bin"), dirname(process.execPath), process.env.PATH ?? ""].join(delimiter) };
}

/** Stands in for claude: prints its version, calls the gateway once, records how it was started and replays a stream. */
export function writeFakeClaude(space: TempProject): { PATH: string } {
  const fixture = new URL("../agents/fixtures/claude-2.1.325-one-tool.jsonl", import.meta.url);
  space.write("claude.jsonl", readFileSync(fixture, "utf8"));
  space.write(
    "claude.mjs",
    `import { readFileSync, writeFileSync } from "node:fs";
const { ANTHROPIC_BASE_URL, ANTHROPIC_API_KEY = null, HOME, SECRET = null, PASSED = null } = process.env;
const model = process.argv[process.argv.indexOf("--model") + 1];
const headers = { "content-type": "application/json", "x-api-key": ANTHROPIC_API_KEY ?? "none", "anthropic-version": "2023-06-01" };
const body = JSON.stringify({ model, max_tokens: 100, messages: [{ role: "user", content: process.argv.at(-1) }] });
const answer = await fetch(ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body });
await answer.text();
writeFileSync("started.json", JSON.stringify({ model, key: ANTHROPIC_API_KEY, home: HOME, secret: SECRET, passed: PASSED }));
writeFileSync("hello.txt", "hello");
process.stdout.write(readFileSync(${JSON.stringify(space.path("claude.jsonl"))}));
`,
  );
  return writeProgram(
    space,
    "claude",
    `#!/bin/sh
echo started >> '${space.path("claude-started")}'
[ "$1" = --version ] && echo "2.1.325 (Claude Code)" && exit
exec '${process.execPath}' '${space.path("claude.mjs")}' "$@"
`,
  );
}

/** Ids of processes whose working folder is in the project, even if it was removed. */
export function listProcessesIn({ dir }: TempProject): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readWorkingFolder(pid).startsWith(`${dir}/`))
    .map(Number);
}

function readWorkingFolder(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

export async function waitUntil(isSo: () => boolean, what: string): Promise<void> {
  for (const end = Date.now() + 10_000; !isSo(); ) {
    if (Date.now() > end) throw new Error(`${what}: not within ten seconds`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
