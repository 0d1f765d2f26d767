import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";
import { repoOf, TestBench } from "./test-bench.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-folder-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe("makeFolder", () => {
  it("makes a folder with all that are above it, by however many at once", async () => {
    const path = join(dir, "a", "b", "c");
    await Promise.all([makeFolder(path), makeFolder(path), makeFolder(join(path, "d")), makeFolder(join(dir, "a"))]);
    expect(statSync(join(path, "d")).isDirectory()).toBe(true);
    await makeFolder(path);
  });

  it.each(["", "below", "further/below"])("fails where a file is in the way: %o", async (rest) => {
    writeFileSync(join(dir, "file"), "");
    await expect(makeFolder(join(dir, "file", rest))).rejects.toThrow(/EEXIST|ENOTDIR/);
  });
});

/** Lists files with a cache in a folder that no one can make; in a process of its own, since it may never come back. */
const LISTER = `
  import { openHub } from ${JSON.stringify(fileURLToPath(new URL("./open-hub.ts", import.meta.url)))};
  const env = { ASSAY_DATASETS_CACHE: process.argv[3] };
  await openHub({ endpoint: process.argv[2], env }).listing("me/toy").catch((error) => console.log(error.code, error.message));
  process.exit();
`;

describe.runIf(process.platform === "linux")("a cache folder that cannot be made", () => {
  it.each(["/proc/nope", "/proc/nope/further"])("is an error that names it: %s", async (cacheDir) => {
    const bench = await TestBench.start({ repos: { "me/toy": repoOf({ "a.jsonl": Buffer.from("{}\n") }) } });
    const script = join(dir, "lister.ts");
    writeFileSync(script, LISTER);
    const args = ["--import", import.meta.resolve("jiti/register"), script, bench.server.url, cacheDir];
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "inherit"],
      timeout: 120_000,
      killSignal: "SIGKILL",
    });
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    await once(child, "close");
    await bench.close();
    expect(said).toMatch(/^HUB The cache folder \/proc\/nope(\/further)? cannot be made.*ASSAY_DATASETS_CACHE/);
  });
});
