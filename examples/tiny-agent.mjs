// A small coding agent: it gives a model a shell and runs the model's commands until the model is done.
//
//   OPENAI_BASE_URL=… OPENAI_API_KEY=… OPENAI_MODEL=… node examples/tiny-agent.mjs "Fix the failing test"
//
// It runs commands in the current folder without asking for confirmation. Start it in a folder that you can afford to lose.
import { spawn } from "node:child_process";

const { OPENAI_BASE_URL = "https://api.openai.com/v1", OPENAI_API_KEY = "" } = process.env;
// Assay sets ASSAY_MODEL when it starts a program with --agent-command.
const MODEL = process.env.OPENAI_MODEL ?? process.env.ASSAY_MODEL ?? "gpt-6-luna";
const MAX_TURNS = 30;
const MAX_TRIES = 4;
const COMMAND_TIMEOUT_MS = 60_000;
const MAX_OUTPUT_CHARS = 8_000;

const SYSTEM =
  "You are a coding agent. Work in the current folder with the bash tool. When the task is done, answer without a call.";
const BASH = {
  type: "function",
  function: {
    name: "bash",
    description: "Runs a shell command in the current folder and returns what it prints.",
    parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
};

try {
  const prompt = process.argv.slice(2).join(" ");
  if (prompt === "") throw new Error("Say what to do: node tiny-agent.mjs PROMPT");
  console.log(await work(prompt));
} catch (error) {
  console.error(`tiny-agent: ${error.message}${error.cause?.message ? `: ${error.cause.message}` : ""}`);
  process.exitCode = 1;
}

/** Runs the model's commands until it answers without a call, and returns that answer. */
async function work(prompt) {
  const messages = [
    { role: "system", content: SYSTEM },
    { role: "user", content: prompt },
  ];
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    const message = await readMessage(await ask({ model: MODEL, messages, tools: [BASH], stream: true }));
    messages.push(message);
    if (message.tool_calls === undefined) return message.content;
    for (const { id, function: call } of message.tool_calls) {
      messages.push({ role: "tool", tool_call_id: id, content: await answer(call) });
    }
  }
  throw new Error(`not done after ${MAX_TURNS} turns`);
}

/** Sends one request. Retries rate limits and server errors. */
async function ask(body) {
  for (let tries = 1; ; tries++) {
    const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${OPENAI_API_KEY}` },
      body: JSON.stringify(body),
    });
    if (response.ok) return response;
    const text = await response.text();
    const isTemporary = response.status === 429 || response.status >= 500;
    if (!isTemporary || tries === MAX_TRIES)
      throw new Error(`the API answered ${response.status}: ${text.slice(0, 500)}`);
    const seconds = Number(response.headers.get("retry-after")) || 2 ** tries / 8;
    await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 30) * 1000));
  }
}

/** Joins the chunks of a streamed answer. */
async function readMessage(response) {
  const message = { role: "assistant", content: "" };
  const calls = [];
  let isComplete = false;
  for await (const { choices, error } of events(response.body)) {
    if (error) throw new Error(`the API sent an error: ${error.message ?? JSON.stringify(error)}`);
    const { delta, finish_reason: reason } = choices?.[0] ?? {};
    if (reason) isComplete = true;
    const { content, tool_calls: parts = [] } = delta ?? {};
    message.content += content ?? "";
    for (const { index = 0, id, function: part } of parts) {
      calls[index] ??= { id, type: "function", function: { name: "", arguments: "" } };
      calls[index].function.name += part?.name ?? "";
      calls[index].function.arguments += part?.arguments ?? "";
    }
  }
  if (!isComplete) throw new Error("the answer of the API is incomplete");
  return calls.length === 0 ? message : { ...message, tool_calls: calls };
}

async function* events(body) {
  let rest = "";
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:") && line.slice(5).trim() !== "[DONE]") yield JSON.parse(line.slice(5));
    }
  }
}

/** The result of a call, for the model. Malformed calls are reported to the model, so it can fix them. */
async function answer({ name, arguments: text }) {
  if (name !== "bash") return `There is no tool ${name}, only bash.`;
  try {
    return await bash(JSON.parse(text).command);
  } catch (error) {
    return `The call failed: ${error.message}`;
  }
}

function bash(command) {
  const stdio = ["ignore", "pipe", "pipe"];
  const shell = spawn("/bin/sh", ["-c", command], { stdio, timeout: COMMAND_TIMEOUT_MS, killSignal: "SIGKILL" });
  let output = "";
  const keep = (text) => {
    output = (output + text).slice(0, MAX_OUTPUT_CHARS);
  };
  for (const stream of [shell.stdout, shell.stderr]) stream.setEncoding("utf8").on("data", keep);
  return new Promise((resolve, reject) => {
    const done = (code, signal) => {
      for (const stream of [shell.stdout, shell.stderr]) stream.destroy();
      resolve(`${output}\n[${signal === null ? `exit code ${code}` : signal}]`);
    };
    shell.on("error", reject);
    shell.on("close", done);
    // Background processes keep the pipes open.
    shell.on("exit", (code, signal) => setTimeout(done, 500, code, signal).unref());
  });
}
