import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BlobCheck } from "./blob-check.js";

let dir = "";
let path = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-blob-"));
  path = join(dir, "blob");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const FILE = { path: "f", size: 5, sha256: createHash("sha256").update("right").digest("hex") };

/** Every time in a file that looks the same. */
function put(text: string): void {
  writeFileSync(path, text);
  utimesSync(path, 1000, 1000);
}

describe("BlobCheck", () => {
  it("tells what is missing, sound and damaged", async () => {
    const check = new BlobCheck(undefined);
    expect(await check.look(path, FILE)).toEqual({ kind: "missing" });
    writeFileSync(path, "wrong");
    expect(await check.look(path, FILE)).toEqual({ kind: "damaged", problem: expect.stringMatching(/^its checksum/) });
    writeFileSync(path, "");
    expect(await check.look(path, FILE)).toEqual({ kind: "damaged", problem: "it has 0 bytes instead of 5" });
    put("right");
    expect(await check.look(path, FILE)).toEqual({ kind: "sound" });
  });

  it("looks once at what looks the same, until it is told to forget", async () => {
    const check = new BlobCheck(undefined);
    put("wrong");
    const first = check.look(path, FILE);
    expect(await check.look(path, FILE)).toBe(await first);
    put("right");
    expect((await check.look(path, FILE)).kind).toBe("damaged");
    check.forget(path);
    expect((await check.look(path, FILE)).kind).toBe("sound");
  });

  it("looks again after it was stopped", async () => {
    const stop = new AbortController();
    const check = new BlobCheck(stop.signal);
    put("right");
    const looking = check.look(path, FILE);
    stop.abort(new Error("stopped"));
    await expect(looking).rejects.toThrow("stopped");
    await expect(check.look(path, FILE)).rejects.toThrow("stopped");
    expect((await new BlobCheck(undefined).look(path, FILE)).kind).toBe("sound");
  });
});
