#!/usr/bin/env node
// What test suites need beyond npm. Says what is missing and how to install it; suites that need it are skipped
// (src/testing/system-command.ts). With --install, as root on Debian, it installs what is missing.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** One line for each package: the command that shows it is there, and what needs it. */
const PACKAGES = [
  { package: "git", command: "git", neededBy: "the run manifest's git revision" },
  { package: "bubblewrap", command: "bwrap", neededBy: "the sandbox for generated code, and the box for agents" },
  { package: "util-linux", command: "setpriv", neededBy: "the sandbox for generated code, and the box for agents" },
  { package: "podman", command: "podman", neededBy: "agents in containers" },
  { package: "runc", command: "runc", neededBy: "agents in containers, where the tests run in a container themselves" },
  { package: "python3", command: "python3", neededBy: "running generated Python" },
  { package: "chromium", command: "chromium", neededBy: "the dashboard and the report page" },
  { package: "redis-server", command: "redis-server", neededBy: "runs over several machines" },
  { package: "bsdutils", command: "script", neededBy: "the progress line on a terminal" },
  { package: "openssl", command: "openssl", neededBy: "encrypted connections" },
];

function isOnPath(command) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, command), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", args, { stdio: ["ignore", "inherit", "inherit"], env }).status === 0;
}

function main() {
  const missing = PACKAGES.filter(({ command }) => !isOnPath(command));
  if (missing.length === 0) return;
  const names = missing.map((entry) => entry.package);
  const isInstalling = process.argv.includes("--install");
  const canInstall = isInstalling && process.getuid?.() === 0 && isOnPath("apt-get");
  if (canInstall && aptGet("update") && aptGet("install", "-y", "--no-install-recommends", ...names)) return;
  if (isInstalling) process.exitCode = 1;
  for (const { command, neededBy } of missing) console.error(`missing: ${command} (${neededBy})`);
  console.error(`To run every suite: sudo apt-get install -y --no-install-recommends ${names.join(" ")}`);
}

main();
