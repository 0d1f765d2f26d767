import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { LAUNCHER } from "../src/testing/run-assay.js";
import { isCommandMissing } from "../src/testing/system-command.js";
import { TempProject } from "../src/testing/temp-project.js";

/** Runs a command on a terminal of 80 columns and returns all that reached it. */
const ON_A_TERMINAL = `
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        piece = os.read(fd, 65536)
    except OSError:
        break
    if not piece:
        break
    sys.stdout.buffer.write(piece)
os.waitpid(pid, 0)
`;

const COMMAND = ["--system", "passthrough", "--system", "truncate:0.5", "--dataset", "needle", "-n", "4"];

function runOnTerminal(env: Record<string, string>): string {
  const { NO_COLOR: _, FORCE_COLOR: __, COLUMNS: ___, ...inherited } = process.env;
  return execFileSync("python3", ["-c", ON_A_TERMINAL, process.execPath, LAUNCHER, ...COMMAND], {
    cwd: new TempProject().dir,
    encoding: "utf8",
    env: { ...inherited, TERM: "xterm", ...env },
  });
}

describe.skipIf(isCommandMissing("python3"))("on a terminal (needs python3 for its pty module)", () => {
  it("fits the width and has colors", () => {
    const text = runOnTerminal({});
    expect(text).toContain("\u001b[1m");
    expect(text).toContain("Left out: ");
    expect(text).not.toContain("| system");
  });

  it.each([{ NO_COLOR: "1" }, { TERM: "dumb" }])("has no colors with %j", (env) => {
    expect(runOnTerminal(env)).not.toContain("\u001b[1m");
  });

  it("gets no escape code at all with TERM=dumb, not even for progress", () => {
    expect(runOnTerminal({ TERM: "dumb" })).not.toContain("\u001b");
  });

  it("has colors with FORCE_COLOR on any terminal", () => {
    expect(runOnTerminal({ TERM: "dumb", FORCE_COLOR: "1" })).toContain("\u001b[1m");
  });
});
