import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Mock, type MockScript, startMock } from "../src/testing/mock/index.js";
import { type FinishedCommand, watchCommand } from "../src/testing/run-assay.js";

const AGENT = fileURLToPath(new URL("../examples/tiny-agent.mjs", import.meta.url));
const KEY = "key-of-the-test";

let dir: string;
let mock: Mock;
let child: ChildProcess | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-tiny-"));
});

afterEach(async () => {
  child?.kill("SIGKILL");
  await mock.close();
  rmSync(dir, { recursive: true, force: true });
});

/** Runs the agent in an empty folder with a scripted model. */
async function agent(script: MockScript, prompt = "Do it."): Promise<FinishedCommand> {
  mock = await startMock({ requireKey: KEY, keepBodies: true, reply: "Done.", ...script });
  const env = { PATH: process.env.PATH, OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: KEY, OPENAI_MODEL: "small" };
  child = spawn(process.execPath, [AGENT, prompt], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
  return watchCommand(child).finished;
}

interface Message {
  role: string;
  content: string;
}

/** The last message sent to the model. */
function lastMessage(): Message | undefined {
  const body = mock.requests.at(-1)?.body as { messages: Message[] } | undefined;
  return body?.messages.at(-1);
}

describe("behavior", () => {
  it("runs the model's commands in its folder, and prints the model's final text", async () => {
    const tools = [{ command: "echo hello > greeting.txt" }, { command: "cat greeting.txt; exit 3" }];
    const { code, stdout, stderr } = await agent({ tools, reply: "The greeting is there." }, "Greet me.");
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "The greeting is there.\n", stderr: "" });
    expect(readFileSync(join(dir, "greeting.txt"), "utf8")).toBe("hello\n");
    expect(lastMessage()).toMatchObject({ role: "tool", content: "hello\n\n[exit code 3]" });
    expect(mock.requests.map(({ model, stream, task }) => [model, stream, task])).toEqual(
      Array(3).fill(["small", true, "Greet me."]),
    );
  });

  it("answers a question that needs no shell", async () => {
    const { code, stdout } = await agent({ reply: "42" });
    expect({ code, stdout, requests: mock.counts.requests }).toEqual({ code: 0, stdout: "42\n", requests: 1 });
  });

  it("truncates the output of a command", async () => {
    await agent({ tools: [{ command: "head -c 200000 /dev/zero | tr '\\0' x; echo END" }] });
    expect(lastMessage()?.content).toBe(`${"x".repeat(8000)}\n[exit code 0]`);
  });

  it("does not wait for processes that a command leaves running", async () => {
    const { code } = await agent({ tools: [{ command: "sleep 30 & echo $! > pid" }] });
    const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
    // Still running: the agent has not waited for it.
    expect(process.kill(pid, "SIGKILL")).toBe(true);
    expect(code).toBe(0);
  });

  it("tells the model that it has no other tool", async () => {
    const { code } = await agent({ tools: [{ name: "edit", arguments: { path: "a.txt" } }] });
    expect(lastMessage()?.content).toBe("There is no tool edit, only bash.");
    expect(code).toBe(0);
  });

  it("gives up after thirty turns", async () => {
    const { code, stderr } = await agent({ tools: Array(40).fill({ command: "true" }) });
    expect({ code, requests: mock.counts.requests }).toEqual({ code: 1, requests: 30 });
    expect(stderr).toBe("tiny-agent: not done after 30 turns\n");
  });

  it("requires a task", async () => {
    const { code, stderr } = await agent({}, "");
    expect({ code, requests: mock.counts.requests }).toEqual({ code: 1, requests: 0 });
    expect(stderr).toContain("Say what to do");
  });
});

describe("a failing endpoint", () => {
  it("retries transient errors", async () => {
    const faults: MockScript["faults"] = [
      { kind: 429, first: 1, retryAfter: 0.01 },
      { kind: 500, first: 2 },
    ];
    const { code, stdout } = await agent({ tools: [{ command: "touch made" }], faults });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(existsSync(join(dir, "made"))).toBe(true);
    expect(mock.counts.byStatus["200"]).toBe(2);
    expect(mock.counts.requests).toBeGreaterThan(2);
  });

  it("stops retrying after a while", async () => {
    const { code, stderr } = await agent({ faults: [{ kind: 503, retryAfter: 0.01 }] });
    expect({ code, requests: mock.counts.requests }).toEqual({ code: 1, requests: 4 });
    expect(stderr).toContain("the API answered 503");
  });

  it("does not retry rejected requests", async () => {
    const { code, stdout, stderr } = await agent({ requireKey: "another-key" });
    expect({ code, stdout, requests: mock.counts.requests }).toEqual({ code: 1, stdout: "", requests: 1 });
    expect(stderr).toContain("the API answered 401");
  });

  it.each(["cut", "early-end", "malformed", "error-event"] as const)(
    "does not accept a truncated answer: %s",
    async (kind) => {
      const { code, stdout, stderr } = await agent({ reply: "A text of some length. ".repeat(20), faults: [{ kind }] });
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(stderr).toMatch(/^tiny-agent: ./);
    },
  );

  it("reports an unreachable endpoint", async () => {
    mock = await startMock();
    await mock.close();
    const env = { PATH: process.env.PATH, OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_API_KEY: KEY };
    child = spawn(process.execPath, [AGENT, "Do it."], { cwd: dir, env, stdio: ["ignore", "pipe", "pipe"] });
    const { code, stderr } = await watchCommand(child).finished;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^tiny-agent: fetch failed: .*ECONNREFUSED/);
  });
});
