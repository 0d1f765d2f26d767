import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { Workspace } from "../src/testing/workspace.js";

const SCRIPT = fileURLToPath(new URL("../scripts/system-packages.mjs", import.meta.url));
const INSTALL = "apt-get install -y --no-install-recommends";

/** Runs the script where only the given programs exist; each writes down how it was called. */
function run(programs: readonly string[], ...args: string[]) {
  const space = new Workspace({ calls: "" });
  symlinkSync("/bin/sh", space.path("sh"));
  for (const name of programs) {
    space.write(name, `#!${space.path("sh")}\necho "${name} $*" >> "${space.path("calls")}"\n`);
    chmodSync(space.path(name), 0o755);
  }
  const options = { encoding: "utf8", env: { PATH: space.dir } } as const;
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], options);
  return { status, stderr, calls: space.read("calls") };
}

const BUT_GIT = ["chromium", "bwrap", "setpriv", "python3", "script", "redis-server", "openssl"];

describe("the system packages", () => {
  it("are left alone when all are there", () => {
    expect(run(["git", ...BUT_GIT, "apt-get"], "--install")).toEqual({ status: 0, stderr: "", calls: "" });
  });

  it("are named with the command to run, and not installed unasked", () => {
    const { status, stderr, calls } = run([...BUT_GIT, "apt-get"]);
    expect(stderr).toContain("missing: git");
    expect(stderr).toContain(`To run every suite: sudo ${INSTALL} git\n`);
    expect({ status, calls }).toEqual({ status: 0, calls: "" });
  });

  it("are named, with a failure, where they are to be installed and cannot be", () => {
    const { status, stderr } = run(BUT_GIT, "--install");
    expect(stderr).toContain(`To run every suite: sudo ${INSTALL} git\n`);
    expect(status).toBe(1);
  });

  it.skipIf(process.getuid?.() !== 0)("are installed as root on Debian, what is missing only", () => {
    expect(run([...BUT_GIT, "apt-get"], "--install")).toEqual({
      status: 0,
      stderr: "",
      calls: `apt-get update\n${INSTALL} git\n`,
    });
  });
});
