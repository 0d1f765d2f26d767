import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The scripted agent itself, with a constant `GIVEN` put in front. CommonJS, because there is no package.json next to it. */
const PROGRAM = String.raw`
const { execSync, spawn } = require("node:child_process");
const fs = require("node:fs");

const argv = process.argv.slice(2);
if (argv.includes("--version")) {
  console.log(GIVEN.version);
  process.exit(0);
}
fs.appendFileSync(GIVEN.starts, "x");

const prompt = argv.at(-1);
const model = argv[argv.indexOf("--model") + 1];
const messages = [{ role: "user", content: prompt }];
const used = { input: 0, output: 0 };
let said = 0;

const print = (event) => process.stdout.write(JSON.stringify(event) + "\n");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const TOOL = {
  name: "Bash",
  input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

/** One piece of an answer, which is counted as it goes by. */
function piece(event, silent) {
  if (event.type === "message_start") used.input += event.message.usage.input_tokens;
  if (event.type === "message_delta") used.output += event.usage.output_tokens;
  if (!silent) print({ type: "stream_event", event, parent_tool_use_id: null });
}

function failed(status, message) {
  print({ type: "result", subtype: "success", is_error: true, result: "API Error: " + status + " " + message, api_error_status: status });
  process.exit(1);
}

async function* events(response) {
  let text = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const whole = text.split("\n\n");
    text = whole.pop();
    for (const one of whole) {
      const data = one.split("\n").find((line) => line.startsWith("data: "));
      if (data !== undefined) yield JSON.parse(data.slice(6));
    }
  }
}

async function ask({ silent = false, again = false, anyway = false }) {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": process.env.ANTHROPIC_API_KEY ?? "" };
  const body = JSON.stringify({ model, max_tokens: 4096, stream: true, messages, tools: [TOOL] });
  const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", { method: "POST", headers, body });
  if (!response.ok && again) {
    print({ type: "system", subtype: "api_retry", attempt: 1, error_status: response.status });
    return ask({ silent });
  }
  if (!response.ok && anyway) return;
  if (!response.ok) failed(response.status, await response.text());
  const blocks = [];
  let message = { role: "assistant" };
  for await (const event of events(response)) {
    if (event.type === "message_start") message = event.message;
    if (event.type === "content_block_start") blocks.push({ ...event.content_block, json: "" });
    if (event.type === "content_block_delta") {
      const block = blocks.at(-1);
      if (event.delta.text !== undefined) block.text += event.delta.text;
      if (event.delta.partial_json !== undefined) block.json += event.delta.partial_json;
    }
    piece(event, silent);
  }
  answered(message, blocks, silent);
}

function answered(message, blocks, silent) {
  const content = blocks.map(({ json, ...block }) => (block.type === "tool_use" ? { ...block, input: JSON.parse(json) } : block));
  const { usage, ...rest } = message;
  if (!silent) print({ type: "assistant", message: { ...rest, content, usage }, parent_tool_use_id: null });
  messages.push({ role: "assistant", content });
  const results = content.filter(({ type }) => type === "tool_use").map(({ id, input }) => ({
    type: "tool_result", tool_use_id: id, content: execSync(input.command, { encoding: "utf8", stdio: "pipe" }), is_error: false,
  }));
  if (results.length === 0) return;
  messages.push({ role: "user", content: results });
  if (!silent) print({ type: "user", message: { role: "user", content: results }, parent_tool_use_id: null });
}

function say({ say: text, input, output }) {
  const id = "own_" + said++;
  piece({ type: "message_start", message: { id, role: "assistant", model, content: [], usage: { input_tokens: input, output_tokens: 1 } } });
  piece({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  piece({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  piece({ type: "content_block_stop", index: 0 });
  piece({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: output } });
  piece({ type: "message_stop" });
}

function end({ end: how, factor = 1, message = "All is done.", status = null }) {
  const of = (tokens) => Math.round(tokens * factor);
  const modelUsage = used.input + used.output === 0 || factor === 0 ? {} : { [model]: { inputTokens: of(used.input), outputTokens: of(used.output) } };
  print({ type: "result", subtype: "success", is_error: how === "failed", result: message, api_error_status: status, modelUsage });
}

function confess(file) {
  let stdin;
  try {
    stdin = fs.readFileSync(0, "utf8");
  } catch (error) {
    stdin = error.code;
  }
  fs.writeFileSync(file, JSON.stringify({ argv, env: process.env, cwd: process.cwd(), stdin }));
}

async function run(step) {
  if ("ask" in step) await ask(step);
  else if ("say" in step) say(step);
  else if ("write" in step) fs.writeFileSync(step.write, step.text);
  else if ("print" in step) print(step.print);
  else if ("line" in step) process.stdout.write(step.line + "\n");
  else if ("long" in step) print({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: "long", content: "x".repeat(step.long) }] } });
  else if ("wait" in step) await sleep(step.wait);
  else if ("hang" in step) await sleep(1e9);
  else if ("stderr" in step) process.stderr.write(step.stderr);
  else if ("confess" in step) confess(step.confess);
  else if ("ignore" in step) process.on(step.ignore, () => {});
  else if ("detach" in step) spawn(step.detach[0], step.detach.slice(1), { detached: true, stdio: "ignore" }).unref();
  else if ("end" in step) end(step);
  else if ("exit" in step) process.exit(step.exit);
  else if ("kill" in step) process.kill(process.pid, step.kill);
}

(async () => {
  if (GIVEN.name === "claude") print({ type: "system", subtype: "init", claude_code_version: GIVEN.version.split(" ")[0], model, permissionMode: "bypassPermissions" });
  for (const step of GIVEN.script[prompt] ?? GIVEN.script["*"]) await run(step);
})();
`;

/** One step of a scripted agent. */
export type ScriptStep =
  /**
   * Calls the model of its environment, reports that like `claude` unless it is silent, and runs the returned command. When
   * the call fails it ends, unless it is to retry once or to continue anyway.
   */
  | { readonly ask: true; readonly silent?: boolean; readonly again?: true; readonly anyway?: true }
  /** Reports a model call that was not made through the gateway. */
  | { readonly say: string; readonly input: number; readonly output: number }
  /** Writes a file in its working folder. */
  | { readonly write: string; readonly text: string }
  | { readonly print: unknown }
  /** Prints this line. */
  | { readonly line: string }
  /** Prints a tool result of this many bytes in one line. */
  | { readonly long: number }
  | { readonly wait: number }
  | { readonly hang: true }
  | { readonly stderr: string }
  /** Writes what it was given to a file: arguments, environment, folder and stdin. */
  | { readonly confess: string }
  | { readonly ignore: "SIGTERM" }
  /** Starts a program in its own session and leaves it running. */
  | { readonly detach: readonly [string, ...string[]] }
  /** Prints the final event. Its totals are the counted ones times `factor`. */
  | { readonly end: "done" | "failed"; readonly factor?: number; readonly message?: string; readonly status?: number }
  | { readonly exit: number }
  | { readonly kill: NodeJS.Signals };

/** Steps by task; `*` for all others. */
export type AgentScript = Readonly<Record<string, readonly ScriptStep[]>>;

/**
 * A program that acts as an agent by following a script. Its own events are those of `claude`; for other agents it prints
 * what the script says.
 */
export interface ScriptedAgent {
  /** Folder to add to PATH. */
  readonly bin: string;
  /** How often it was given a task. */
  starts(): number;
  remove(): void;
}

interface ScriptedAgentOptions {
  /** Folder of the program. */
  readonly bin: string;
  readonly script: AgentScript;
  readonly name?: string;
  /** Its version output. */
  readonly version?: string;
}

export function writeScriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { bin, script, name = "claude", version = "2.1.325 (Claude Code)" } = options;
  const starts = join(bin, "starts.txt");
  mkdirSync(bin, { recursive: true });
  writeFileSync(starts, "");
  const given = { name, script, version, starts };
  const text = `#!${process.execPath}\nconst GIVEN = ${JSON.stringify(given)};\n${PROGRAM}`;
  writeFileSync(join(bin, name), text, { mode: 0o755 });
  return {
    bin,
    starts: () => readFileSync(starts, "utf8").length,
    remove: () => rmSync(join(bin, name)),
  };
}
