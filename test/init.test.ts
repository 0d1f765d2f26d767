import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ADAPTERS } from "../src/agents/index.js";
import { INIT_KINDS } from "../src/cli/init-kinds.js";
import { findProgram } from "../src/exec/index.js";
import { type FinishedCommand, LAUNCHER, runAssay, watchCommand } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";

/** A machine of a newcomer: no agents and no keys, and `assay` in PATH. */
function openMachine() {
  const space = new TempProject({
    "bin/assay": `#!/bin/sh\nexec node ${JSON.stringify(LAUNCHER)} "$@"\n`,
    "bin/node": `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} "$@"\n`,
    "home/x": "",
    ...(isCommandMissing("python3") ? {} : { "bin/python3": `#!/bin/sh\nexec ${findPython()} "$@"\n` }),
  });
  for (const name of readdirSync(space.path("bin"))) chmodSync(space.path("bin", name), 0o755);
  const path = `${space.path("bin")}:/usr/bin:/bin`;
  const agents = Object.values(ADAPTERS).filter(({ program }) => findProgram(program, path) !== null);
  expect(agents.map(({ name }) => name)).toEqual([]);
  const run = (command: string, cwd = space.dir): Promise<FinishedCommand> =>
    watchCommand(
      spawn("/bin/sh", ["-c", command], {
        cwd,
        env: { PATH: path, HOME: space.path("home"), NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe"],
      }),
    ).finished;
  return { space, run };
}

/** A version manager's python3 works only with its own environment. */
function findPython(): string {
  return JSON.stringify(
    execFileSync("python3", ["-c", "import sys; print(sys.executable)"], { encoding: "utf8" }).trim(),
  );
}

/** The commands below "What to do next", without what they mean. */
function listCommands(stderr: string): string[] {
  const [, next = ""] = stderr.split("What to do next:\n");
  return next
    .split("\n")
    .filter((line) => line.startsWith("  "))
    .map((line) => line.trim().split(/ {3,}/)[0] ?? "");
}

describe("assay init --kind", () => {
  it.each(INIT_KINDS)("%s: every command that it prints works without an agent or a key", async (kind) => {
    const { space, run } = openMachine();
    const made = await run(`assay init mine --kind ${kind}`);
    expect(made).toMatchObject({ code: 0 });
    const [enter, ...commands] = listCommands(made.stderr);
    expect(enter).toBe("cd mine");
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const { code, stdout, stderr } = await run(command, space.path("mine"));
      expect({ command, code, said: code === 0 ? "" : stdout + stderr }).toEqual({ command, code: 0, said: "" });
      if (/^assay (run|memory|eval)/.test(command) && !command.includes("--dry-run")) {
        expect(stdout).toMatch(/[1-9]\d* (?:of \d+ trials? passed|passed|pass)\b|[1-9]\d* of \d+ passed/);
        expect(stdout).not.toMatch(/[1-9]\d* errors?\b/);
      }
    }
    const again = await run(`assay init mine --kind ${kind}`);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("overwrite with --force");
    expect((await run(`assay init mine --kind ${kind} --force`)).code).toBe(0);
  });

  it("writes a skill without a terminal, and says how to choose", async () => {
    const { space, run } = openMachine();
    const { stderr } = await run("assay init mine");
    expect(stderr).toContain("This is --kind skill. Others: models, system, typescript, python, agent, memory.");
    expect(space.read("mine/evals/changelog/eval.yaml")).toContain(
      '  executor: "node tiny-agent.mjs {prompt} {skills}"\n',
    );
  });

  it.each([
    [["--kind", "modles"], /Unknown kind "modles"\. Did you mean .*models.* Known: models, system/],
    [["--kind", "models", "--executor", "codex"], /--executor is for --kind agent and skill: models runs no agent/],
    [["--kind", "models", "--from", "promptfooconfig.yaml"], /--kind cannot be combined with --from/],
    [["--executor", "codex", "--from", "promptfooconfig.yaml"], /--executor cannot be combined with --from/],
    [["--kind", "agent", "--executor", "codx"], /codx/],
  ])("refuses %j and writes nothing", async (flags, message) => {
    const space = new TempProject({});
    const { code, stderr } = await runAssay(space.dir, "init", "mine", ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(space.path("mine"))).toBe(false);
  });

  it("names the given agent in the config of --kind agent", async () => {
    const space = new TempProject({});
    const kind = ["--kind", "agent", "--force"];
    await runAssay(space.dir, "init", ".", ...kind, "--executor", "codex");
    expect(space.read("assay.config.yaml")).toContain("\nagents: [codex]\n");
    expect(existsSync(space.path("tiny-agent.mjs"))).toBe(false);
    await runAssay(space.dir, "init", ".", ...kind, "--executor", "mine {prompt}");
    expect(space.read("assay.config.yaml")).toContain('\nagents: [{ command: "mine {prompt}" }]\n');
  });
});

/** Types the given text into a pseudo-terminal when the question is asked, and passes the output on. */
const TYPE = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
out, typed = b"", False
while True:
    try:
        part = os.read(fd, 65536)
    except OSError:
        break
    if not part:
        break
    out += part
    if not typed and b"[1]: " in out:
        typed = True
        os.write(fd, sys.argv[1].encode())
sys.stdout.buffer.write(out)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

describe.skipIf(isCommandMissing("python3"))("assay init on a terminal (needs python3 for its pty module)", () => {
  async function type(text: string) {
    const space = new TempProject({});
    const args = ["-c", TYPE, text, process.execPath, LAUNCHER, "init", "mine"];
    const said = await watchCommand(spawn("python3", args, { cwd: space.dir, stdio: ["ignore", "pipe", "pipe"] }))
      .finished;
    return { space, ...said };
  }

  it.each([
    ["\r", "models.yml"],
    ["3\r", "capitals.eval.ts"],
    ["memory\r", "my-memory.mjs"],
    ["12\rsystem\r", "my-system.mjs"],
  ])("asks, and takes the answer %j", async (text, file) => {
    const { space, code, stdout } = await type(text);
    expect(stdout).toContain("What do you want to begin with?");
    expect(code).toBe(0);
    expect(existsSync(space.path("mine", file))).toBe(true);
  });

  it.each(["\u0003", "\u0004"])("writes nothing after %j", async (text) => {
    const { space, code, stdout } = await type(text);
    expect(stdout).toContain("Nothing was written.");
    expect(stdout).not.toContain("    at ");
    expect(code).toBe(130);
    expect(existsSync(space.path("mine"))).toBe(false);
  });
});
