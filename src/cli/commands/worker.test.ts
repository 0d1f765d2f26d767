import { createServer } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EXIT, QueueError, UsageError } from "../../core/errors.js";
import { TempProject } from "../../testing/temp-project.js";
import { buildProgram } from "../program.js";

/** Runs the command line in this process, without commander's own output. */
function assay(...args: string[]): Promise<number> {
  vi.spyOn(process.stderr, "write").mockReturnValue(true);
  return buildProgram(["node", "assay", ...args]).run();
}

beforeEach(() => {
  for (const name of ["ASSAY_QUEUE", "ASSAY_QUEUE_PASSWORD"]) vi.stubEnv(name, undefined);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const QUEUE = ["--queue", "redis://127.0.0.1:1"];

describe("assay worker rejects", () => {
  it.each([
    ["no queue", [], /No queue is given\. Add --queue redis:\/\/HOST:6379, or set ASSAY_QUEUE/],
    ["an address of something else", ["--queue", "amqp://host"], /"amqp:\/\/host" is not a Redis address/],
    ["a project that is not there", [...QUEUE, "--project", "no-such"], /--project \S+no-such is not a folder/],
    [
      "a shared folder that is not there",
      [...QUEUE, "--shared-dir", "no-such"],
      /--shared-dir \S+no-such does not exist/,
    ],
    ["a header that is part of the run", [...QUEUE, "--header", "X-Team: evals"], /Pass X-Team to assay run/],
  ])("%s", async (_, args, message) => {
    await expect(assay("worker", ...args)).rejects.toThrow(UsageError);
    await expect(assay("worker", ...args)).rejects.toThrow(message);
  });

  it.each([
    [["--concurrency", "0"], /It must be at least 1\./],
    [["--lease", "0"], /It must be at least 3 seconds\./],
    [["--lease", "1.5"], /It must be a whole number\./],
    [["--header", "Authorization"], /It must look like "Name: value"\./],
    [["stray"], /too many arguments/],
  ])("%o", async (args, message) => {
    await expect(assay("worker", ...QUEUE, ...args)).rejects.toThrow(message);
  });

  it("a shared folder that is a file", async () => {
    const space = new TempProject({ file: "" });
    const started = assay("worker", ...QUEUE, "--shared-dir", space.path("file"));
    await expect(started).rejects.toThrow(/file is a file, not a folder/);
  });
});

/** A port of this machine without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("an unreachable Redis", () => {
  it.each([["worker"], ["queue", "status"], ["queue", "clear", "--abandoned"]])("%s %s", async (...command) => {
    vi.stubEnv("ASSAY_QUEUE", `redis://:hunter2@127.0.0.1:${await closedPort()}`);
    const error: unknown = await assay(...command.filter(Boolean)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueueError);
    expect(error).toMatchObject({ exitCode: EXIT.infrastructure });
    expect((error as Error).message).toMatch(/^Redis at redis:\/\/127\.0\.0\.1:\d+ cannot be reached: /);
  });
});

describe("assay queue rejects", () => {
  it.each([
    ["no queue", ["status"], /No queue is given/],
    [
      "an output that is not there",
      ["status", ...QUEUE, "--output", "jsn"],
      /Unknown output format "jsn"\. Did you mean "json"\?/,
    ],
    ["to clear nothing", ["clear", ...QUEUE], /Name one run as shown by assay queue status, or pass --abandoned/],
    ["to clear one and all", ["clear", "x", "--abandoned", ...QUEUE], /not both/],
  ])("%s", async (_, args, message) => {
    await expect(assay("queue", ...args)).rejects.toThrow(message);
  });
});

describe("assay run --queue rejects", () => {
  const BASE = ["--system", "passthrough", "--dataset", "needle", "-n", "1"];

  it.each([
    ["an address of something else", ["--queue", "queue:6379"], /"queue:6379" is not a Redis address/],
    ["a folder for outputs without a queue", ["--shared-dir", "out"], /is only for runs with a queue\. Add --queue/],
    ["a folder that is not there", [...QUEUE, "--shared-dir", "no-such"], /--shared-dir \S+no-such does not exist/],
  ])("%s", async (_, args, message) => {
    await expect(assay("run", ...BASE, ...args)).rejects.toThrow(message);
  });

  it("a simulated model, which works only on one machine", async () => {
    const space = new TempProject({ "mock.yaml": "" });
    const evaluated = assay("eval", "--mock", space.path("mock.yaml"), ...QUEUE);
    await expect(evaluated).rejects.toThrow(/--mock works only on this machine.*Start assay mock.*pass --agent-url/);
  });

  it("a queue in the config file for a command that runs on one machine", async () => {
    const space = new TempProject({ "assay.config.yaml": "queue: redis://127.0.0.1:1\nsystems: [full-history]\n" });
    const measured = assay("memory", "--config", space.path("assay.config.yaml"));
    await expect(measured).rejects.toThrow("The config file sets `queue`, but assay memory runs only on this machine.");
  });

  it("the flag for commands that run on one machine", async () => {
    await expect(assay("memory", ...QUEUE)).rejects.toThrow(/unknown option '--queue'/);
    await expect(assay("grade", ...QUEUE)).rejects.toThrow(/unknown option '--queue'/);
    await expect(assay("experiment", "run", "x.yaml", ...QUEUE)).rejects.toThrow(/unknown option '--queue'/);
  });

  it("ignores ASSAY_QUEUE, which is only for workers", async () => {
    vi.stubEnv("ASSAY_QUEUE", "redis://127.0.0.1:1");
    const printed = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    await expect(assay("run", ...BASE, "--dry-run", "--shared-dir", "out")).rejects.toThrow(
      /is only for runs with a queue/,
    );
    expect(printed).not.toHaveBeenCalled();
  });

  it("plans without connecting to Redis", async () => {
    let plan = "";
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      plan += String(text);
      return true;
    });
    expect(await assay("run", ...BASE, ...QUEUE, "--dry-run", "--output", "json")).toBe(EXIT.fine);
    expect(JSON.parse(plan)).toMatchObject({ schema: "assay.plan/1", planned: 1 });
  });
});
