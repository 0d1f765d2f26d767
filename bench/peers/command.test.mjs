import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { runCommand } from "./command.mjs";

const dir = mkdtempSync(join(tmpdir(), "assay-peers-test-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

/** A process that starts a second one; both hold memory, and the second tells its id. */
const FAMILY = `
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
const held = Buffer.alloc(150 * 2 ** 20, 1);
const work = "const held = Buffer.alloc(150 * 2 ** 20, 1); while (process.cpuUsage().user < 300e3); setInterval(() => held, 1e6)";
const child = spawn(process.execPath, ["-e", process.argv[2] === "stay" ? work : work.replace("setInterval(() => held, 1e6)", "")]);
writeFileSync("child.pid", String(child.pid));
child.on("close", () => console.log("child ended", held.length));
`;
writeFileSync(join(dir, "family.mjs"), FAMILY);

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe("runCommand", () => {
  it("counts time, processor and memory of the whole tree", async () => {
    const run = await runCommand({ args: ["family.mjs"], cwd: dir });
    expect(run).toMatchObject({ code: 0, killed: null });
    expect(run.output).toContain("child ended");
    expect(run.cpuSeconds).toBeGreaterThan(0.3);
    expect(run.peakBytes).toBeGreaterThan(300 * 2 ** 20);
  });

  it("kills what was started by what it started", async () => {
    const run = await runCommand({ args: ["family.mjs", "stay"], cwd: dir }, { limit: 1.5 });
    expect(run.killed).toBe("limit");
    const child = Number(readFileSync(join(dir, "child.pid"), "utf8"));
    await expect.poll(() => isAlive(child), { timeout: 5_000 }).toBe(false);
  });

  it("gives nothing of the surroundings on", async () => {
    process.env.OPENAI_API_KEY = "sk-secret";
    const run = await runCommand({ args: ["-p", "Object.keys(process.env).sort().join()"], cwd: dir });
    delete process.env.OPENAI_API_KEY;
    expect(run.output.trim()).toBe("CI,DO_NOT_TRACK,HOME,LANG,NO_COLOR,PATH,TMPDIR");
  });
});
