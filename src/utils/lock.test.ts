import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isLocked, type LockRules, tryLock } from "./lock.js";

const PATIENT: LockRules = { foreignForMs: 120_000, tornForMs: 5000 };
const TRUSTING: LockRules = { foreignForMs: Number.POSITIVE_INFINITY, tornForMs: 0 };

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-lock-"));
  path = join(dir, "lock");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const age = (seconds: number) => {
  const then = new Date(Date.now() - seconds * 1000);
  utimesSync(path, then, then);
};
const leave = (holder: object) => writeFileSync(path, JSON.stringify(holder));

function triedBy(rules: LockRules): string {
  const attempt = tryLock(path, rules);
  if (attempt.isMine) return "mine";
  return attempt.holder === null ? "unseen" : `${attempt.holder.pid} on ${attempt.holder.host}`;
}

describe.each([
  ["that expire for other machines", PATIENT],
  ["that never expire for other machines", TRUSTING],
])("tryLock with rules %s", (_, rules) => {
  it("has one holder at a time and leaves no files behind", () => {
    const attempt = tryLock(path, rules);
    expect(triedBy(rules)).toBe(`${process.pid} on ${hostname()}`);
    expect(readdirSync(dir)).toEqual(["lock"]);
    if (attempt.isMine) attempt.release();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("takes over from a process that has ended", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    leave({ pid, host: hostname(), start: "1" });
    expect(triedBy(rules)).toBe("mine");
    expect(readdirSync(dir)).toEqual(["lock"]);
  });

  it.runIf(process.platform === "linux")("takes over from an ended process whose pid was reused", () => {
    leave({ pid: process.pid, host: hostname(), start: "1" });
    expect(triedBy(rules)).toBe("mine");
  });

  it("releases only its own lock", () => {
    const attempt = tryLock(path, rules);
    writeFileSync(path, "another's");
    if (attempt.isMine) attempt.release();
    expect(readFileSync(path, "utf8")).toBe("another's");
  });
});

describe("a lock of another machine", () => {
  it("is valid as long as it is touched", () => {
    leave({ pid: 1, host: "elsewhere", start: "1" });
    age(60);
    expect(triedBy(PATIENT)).toBe("1 on elsewhere");
    age(600);
    expect(triedBy(PATIENT)).toBe("mine");
  });

  it("is valid indefinitely if holders do not touch it", () => {
    leave({ pid: 1, host: "elsewhere", start: "1" });
    age(1e6);
    expect(triedBy(TRUSTING)).toBe("1 on elsewhere");
  });
});

describe.each(["", "{", "null", '{"pid":0}'])("an incomplete lock (%o)", (content) => {
  it.each([
    [2, "unseen"],
    [60, "mine"],
    [-60, "unseen"],
  ])("written %i seconds ago is %s when waiting", (seconds, expected) => {
    writeFileSync(path, content);
    age(seconds);
    expect(triedBy(PATIENT)).toBe(expected);
  });

  it.each([0, -60])("written %i seconds ago is stale when not waiting", (seconds) => {
    writeFileSync(path, content);
    age(seconds);
    expect(triedBy(TRUSTING)).toBe("mine");
  });
});

describe("isLocked", () => {
  it("returns true while the lock is held, and changes nothing", () => {
    expect(isLocked(path, PATIENT)).toBe(false);
    const attempt = tryLock(path, PATIENT);
    const content = readFileSync(path, "utf8");
    expect(isLocked(path, PATIENT)).toBe(true);
    expect(readFileSync(path, "utf8")).toBe(content);
    if (attempt.isMine) attempt.release();
    expect(isLocked(path, PATIENT)).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
  });

  it("returns false for an ended process, whose lock file stays", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    leave({ pid, host: hostname(), start: "1" });
    expect(isLocked(path, TRUSTING)).toBe(false);
    expect(readdirSync(dir)).toEqual(["lock"]);
  });

  it("applies the rules to other machines and to incomplete locks", () => {
    leave({ pid: 1, host: "elsewhere", start: "1" });
    age(600);
    expect([PATIENT, TRUSTING].map((rules) => isLocked(path, rules))).toEqual([false, true]);
    writeFileSync(path, "");
    expect([PATIENT, TRUSTING].map((rules) => isLocked(path, rules))).toEqual([true, false]);
  });
});
