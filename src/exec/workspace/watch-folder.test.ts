import { lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { type FolderWatch, type WatchFolderOptions, watchFolder } from "./watch-folder.js";
import { createTestFolder, readFileClock, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();
/** Two clocks are read one after the other, and something may come between. */
const CLOCK_TOLERANCE_MS = 100;
let watch: FolderWatch | undefined;
afterEach(() => watch?.close());

/** Starts watching; `next` waits for the next call of `onQuiet`. */
function watched(options: Partial<WatchFolderOptions> = {}) {
  const told: number[] = [];
  let wake = () => {};
  const onQuiet = (changedAt: number) => {
    told.push(changedAt);
    wake();
  };
  watch = watchFolder({ path: folder.path, onQuiet, ...options });
  const next = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return { told, next };
}

describe("watchFolder", () => {
  it.each<[string, (at: (name: string) => string) => void]>([
    ["a new file", (at) => writeFileSync(at("new"), "")],
    ["a file far below", (at) => writeFileSync(at("a/b/c"), "2")],
    ["a deleted file", (at) => rmSync(at("top"))],
    ["a deleted folder", (at) => rmSync(at("a"), { recursive: true })],
    ["a renamed file", (at) => renameSync(at("a/b/c"), at("a/b/d"))],
    ["a new folder", (at) => mkdirSync(at("folder"))],
    ["a new link", (at) => symlinkSync("top", at("link"))],
  ])("reports %s once, with the time of the change", async (_, change) => {
    writeTestFile(folder.path, "a/b/c", "1");
    writeTestFile(folder.path, "top", "1");
    const { told, next } = watched();
    await watch?.ready;
    const before = readFileClock();
    change((name) => join(folder.path, name));
    const after = performance.now();
    await next();
    const isQuietFor = performance.now() - (told[0] ?? Infinity);
    expect(told[0]).toBeGreaterThan(before - CLOCK_TOLERANCE_MS);
    expect(told[0]).toBeLessThan(after + CLOCK_TOLERANCE_MS);
    expect(isQuietFor).toBeGreaterThanOrEqual(300);
    expect((await watch?.close())?.lastAt).toBe(told[0]);
    expect(told).toHaveLength(1);
  });

  it("waits until the folder is quiet, but not forever", async () => {
    const { told, next } = watched({ quietMs: 60_000, maxWaitMs: 900 });
    await watch?.ready;
    const startedAt = readFileClock();
    const writing = setInterval(() => writeFileSync(join(folder.path, "log"), String(performance.now())), 50);
    await next();
    clearInterval(writing);
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    writeFileSync(join(folder.path, "log"), "the last");
    await next();
    expect(told).toHaveLength(2);
  });

  it("returns the last change when closed, and reports nothing about ignored files", async () => {
    mkdirSync(join(folder.path, ".git"));
    const { told } = watched();
    writeFileSync(join(folder.path, ".git/index"), "x");
    await wait(400);
    expect(await watch?.close()).toBeNull();
    const again = watched();
    await watch?.ready;
    const before = readFileClock();
    writeFileSync(join(folder.path, "a"), "");
    const after = performance.now();
    const times = await watch?.close();
    expect(times?.lastAt).toBeGreaterThan(before - CLOCK_TOLERANCE_MS);
    expect(times?.lastAt).toBeLessThan(after + CLOCK_TOLERANCE_MS);
    expect([...told, ...again.told]).toEqual([]);
  });

  it("returns the time of the first change when closed, not the end of the first batch", async () => {
    watched({ quietMs: 60_000, maxWaitMs: 60_000 });
    await watch?.ready;
    const before = readFileClock();
    writeFileSync(join(folder.path, "first"), "");
    const after = performance.now();
    let lastWriteAt = after;
    for (let i = 0; i < 6; i++) {
      await wait(70);
      lastWriteAt = readFileClock();
      writeFileSync(join(folder.path, "more"), String(i));
    }
    const times = await watch?.close();
    expect(times?.firstAt).toBeGreaterThan(before - CLOCK_TOLERANCE_MS);
    expect(times?.firstAt).toBeLessThan(after + CLOCK_TOLERANCE_MS);
    expect(times?.lastAt).toBeGreaterThan(lastWriteAt - CLOCK_TOLERANCE_MS);
  });

  it("sees the first change in the same step of the file clock as what was there", async ({ skip }) => {
    let [path, isSameStep] = ["", false];
    for (let i = 0; i < 200 && !isSameStep; i++) {
      path = join(folder.path, String(i));
      mkdirSync(path);
      const before = lstatSync(path).ctimeMs;
      watched({ path, quietMs: 60_000, maxWaitMs: 60_000 });
      await watch?.ready;
      writeFileSync(join(path, "first"), "");
      isSameStep = lstatSync(join(path, "first")).ctimeMs === before;
      if (!isSameStep) await watch?.close();
    }
    if (!isSameStep) skip("no two files had the same time in 200 attempts");
    const after = performance.now();
    await wait(2 * CLOCK_TOLERANCE_MS);
    writeFileSync(join(path, "later"), "");
    expect((await watch?.close())?.firstAt).toBeLessThan(after + CLOCK_TOLERANCE_MS);
  });

  it("does not follow links, and does not read a replaced folder", async () => {
    mkdirSync(join(folder.path, "other"));
    symlinkSync("other", join(folder.path, "link"));
    watched({ path: join(folder.path, "link") });
    await watch?.ready;
    writeTestFile(folder.path, "other/x");
    expect(await watch?.close()).toBeNull();
    let isThere = true;
    watched({ path: join(folder.path, "other"), exists: () => isThere });
    await watch?.ready;
    isThere = false;
    writeTestFile(folder.path, "other/y");
    expect(await watch?.close()).toBeNull();
  });

  it("uses a few percent of a core for thousands of files", async () => {
    for (let i = 0; i < 5000; i++) writeTestFile(folder.path, `d${i % 200}/f${i}`, "");
    watched();
    await watch?.ready;
    const cpuMs = startCpuTimer();
    const start = performance.now();
    await wait(3000);
    expect(cpuMs() / (performance.now() - start)).toBeLessThan(0.1);
  });
});
