import { spawnSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { TempProject } from "../src/testing/temp-project.js";

const SCRIPT = fileURLToPath(new URL("../scripts/system-packages.mjs", import.meta.url));
const INSTALL = "apt-get install -y --no-install-recommends";

/** Runs the script with only the given programs; each records its arguments. */
function run(programs: readonly string[], ...args: string[]) {
  const space = new TempProject({ calls: "" });
  symlinkSync("/bin/sh", space.path("sh"));
  for (const name of programs) {
    space.write(name, `#!${space.path("sh")}\necho "${name} $*" >> "${space.path("calls")}"\n`);
    chmodSync(space.path(name), 0o755);
  }
  const options = { encoding: "utf8", env: { PATH: space.dir } } as const;
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], options);
  return { status, stderr, calls: space.read("calls") };
}

const BUT_GIT = ["chromium", "bwrap", "setpriv", "podman", "runc", "python3", "script", "redis-server", "openssl"];

describe("system packages", () => {
  it("are not touched if all are installed", () => {
    expect(run(["git", ...BUT_GIT, "apt-get"], "--install")).toEqual({ status: 0, stderr: "", calls: "" });
  });

  it("are listed with the install command, and not installed without --install", () => {
    const { status, stderr, calls } = run([...BUT_GIT, "apt-get"]);
    expect(stderr).toContain("missing: git");
    expect(stderr).toContain(`To run every suite: sudo ${INSTALL} git\n`);
    expect({ status, calls }).toEqual({ status: 0, calls: "" });
  });

  it("are listed, with a failure, if they cannot be installed", () => {
    const { status, stderr } = run(BUT_GIT, "--install");
    expect(stderr).toContain(`To run every suite: sudo ${INSTALL} git\n`);
    expect(status).toBe(1);
  });

  it.skipIf(process.getuid?.() !== 0)("are installed as root on Debian, only the missing ones", () => {
    expect(run([...BUT_GIT, "apt-get"], "--install")).toEqual({
      status: 0,
      stderr: "",
      calls: `apt-get update\n${INSTALL} git\n`,
    });
  });
});
