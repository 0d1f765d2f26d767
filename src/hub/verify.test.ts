import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { inspectFile } from "./verify.js";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-verify-"));
  path = join(dir, "file");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("inspectFile", () => {
  it("knows the right bytes from any others, by either hash and by the one first seen", async () => {
    const bytes = fc.uint8Array({ maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (right, there) => {
        writeFileSync(path, there);
        const size = there.length;
        const sha256 = createHash("sha256").update(right).digest("hex");
        const gitSha1 = createHash("sha1").update(`blob ${right.length}\0`).update(right).digest("hex");
        const isRight = Buffer.compare(right, there) === 0;
        for (const hashes of [{ sha256 }, { gitSha1 }]) {
          const { problem } = await inspectFile(path, { path: "f", size, ...hashes });
          expect(problem === null).toBe(isRight);
        }
        const { problem } = await inspectFile(path, { path: "f", size }, { firstHash: sha256 });
        expect(problem === null).toBe(isRight);
      }),
      { numRuns: 50, examples: [[new Uint8Array(3), new Uint8Array(3)]] },
    );
  });

  it("gives the state and the hash of what it saw", async () => {
    writeFileSync(path, "abc");
    const { size, mtimeMs, ino } = statSync(path);
    const hash = createHash("sha256").update("abc").digest("hex");
    const inspection = await inspectFile(path, { path: "f", size: 3 });
    expect(inspection).toEqual({ problem: null, stamp: { size, mtimeMs, ino, hash } });
  });

  it("stops when it is no longer wanted", async () => {
    writeFileSync(path, "abc");
    const signal = AbortSignal.abort(new Error("stopped"));
    await expect(inspectFile(path, { path: "f", size: 3 }, { signal })).rejects.toThrow("stopped");
  });

  it("keeps no more than a little of a large file in memory", async () => {
    const size = 256 * 1024 * 1024;
    writeFileSync(path, "");
    truncateSync(path, size);
    const script = join(dir, "inspect.ts");
    writeFileSync(
      script,
      `import { inspectFile } from ${JSON.stringify(fileURLToPath(new URL("./verify.ts", import.meta.url)))};
       const before = process.resourceUsage().maxRSS;
       const { problem } = await inspectFile(${JSON.stringify(path)}, { path: "f", size: ${size} });
       console.log(JSON.stringify({ problem, grownKiB: process.resourceUsage().maxRSS - before }));`,
    );
    const args = ["--import", import.meta.resolve("jiti/register"), script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { problem, grownKiB } = JSON.parse(stdout) as { problem: string | null; grownKiB: number };
    expect(problem).toBeNull();
    expect(grownKiB).toBeLessThan(48 * 1024);
  });
});
