import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { requireAdapter } from "./adapters/index.js";
import { createCommandAdapter } from "./command.js";
import { detectAgent, requestVersion } from "./detect.js";

let bin = "";
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "assay-detect-"));
  vi.stubEnv("PATH", `${bin}:/usr/bin:/bin`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(bin, { recursive: true, force: true });
});

function program(name: string, script: string): string {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

it.each([
  ["2.1.325 (Claude Code)", "2.1.325"],
  ["codex-cli 4.166.0", "4.166.0"],
  ["v3.2.3-beta.4+build", "3.2.3-beta.4+build"],
  ["something else", null],
])("reads the version from %s", async (text, version) => {
  const path = program("claude", `[ "$1" = --version ] && echo '${text}'`);
  expect(await detectAgent(requireAdapter("claude"))).toEqual({ program: path, version });
});

it("finds the version on stderr, even if the program fails", async () => {
  program("pi", "echo 0.74.2 >&2; exit 1");
  expect((await detectAgent(requireAdapter("pi"))).version).toBe("0.74.2");
});

it("asks for the version that a trial starts, not for one that the program has downloaded", async () => {
  program("copilot", 'case "$*" in "--no-auto-update --version") echo 1.0.50;; *) echo 1.0.99;; esac');
  expect((await detectAgent(requireAdapter("copilot"))).version).toBe("1.0.50");
});

it("passes none of the user's keys to the program", async () => {
  vi.stubEnv("OPENAI_API_KEY", "1.2.3");
  program("codex", 'echo "$OPENAI_API_KEY"');
  expect((await detectAgent(requireAdapter("codex"))).version).toBeNull();
});

it("explains how to install a missing program", async () => {
  const missing = detectAgent(requireAdapter("claude"));
  await expect(missing).rejects.toThrow(UsageError);
  await expect(missing).rejects.toThrow(
    /^Program "claude" not found in PATH \(see: assay doctor\)\. Install it with: npm install -g @\S+$/,
  );
  await expect(detectAgent(createCommandAdapter("not-there {prompt}"))).rejects.toThrow(/Add not-there to PATH/);
});

it("does not request the version of a user's command", async () => {
  const path = program("mine", `touch ${bin}/was-run`);
  expect(await detectAgent(createCommandAdapter("mine {prompt}"))).toEqual({ program: path, version: null });
  await expect(detectAgent(createCommandAdapter(`${bin}/was-run {prompt}`))).rejects.toThrow(
    `Program ${bin}/was-run not found. Check the path.`,
  );
});

it("explains how to fix a script that is not executable", async () => {
  const path = program("script.mjs", "");
  chmodSync(path, 0o644);
  const refused = detectAgent(createCommandAdapter(`${path} {prompt}`));
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(`${path} cannot be run: it is not executable. Run chmod +x ${path}`);
});

it("does not wait for a version forever", async () => {
  const path = program("gemini", "exec sleep 60");
  expect(await requestVersion(path, {}, 100)).toEqual({ version: null, timedOut: true });
  program("gemini", "echo 1.2.3");
  expect(await requestVersion(path)).toEqual({ version: "1.2.3", timedOut: false });
});
