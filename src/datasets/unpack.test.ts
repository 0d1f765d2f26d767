import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError } from "../core/errors.js";
import { createZip, type ZipOptions } from "../testing/write-zip.js";
import { unpackFile } from "./unpack.js";

let folder = "";
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-zip-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function unpackBytes(archive: Buffer, member: string): Promise<Buffer> {
  count += 1;
  const path = join(folder, `archive-${count}.zip`);
  writeFileSync(path, archive);
  const unpacked = await unpackFile({ path, name: "a.zip", member });
  try {
    return readFileSync(unpacked.path);
  } finally {
    await unpacked.remove();
    rmSync(path);
  }
}

const WAYS: readonly ZipOptions[] = [
  {},
  { isStored: true },
  { isLarge: true },
  { isLarge: true, isStored: true },
  { comment: "made by PK\u0005\u0006 hand" },
];

describe("an archive", () => {
  it.each(WAYS)("reads back any files: %j", async (options) => {
    const content = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    const files = fc.dictionary(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), content, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(files, async (members) => {
        const archive = createZip(members, options);
        for (const [name, bytes] of Object.entries(members)) expect(await unpackBytes(archive, name)).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  it("unpacks a file larger than one chunk", async () => {
    const long = Buffer.from(Array.from({ length: 400_000 }, (_, at) => `${at * 7919}\n`).join(""));
    expect((await unpackBytes(createZip({ long }), "long")).equals(long)).toBe(true);
    expect((await unpackBytes(createZip({ long }, { isStored: true }), "long")).equals(long)).toBe(true);
  });

  it("unpacks a file whose name leads out of the folder", async () => {
    expect((await unpackBytes(createZip({ "../../escaped": "out" }), "../../escaped")).toString()).toBe("out");
    expect(existsSync(join(folder, "..", "..", "escaped"))).toBe(false);
  });

  it("lists its content if the file is missing", async () => {
    await expect(unpackBytes(createZip({ "a\u001bb": "1", "folder/": "" }), "c")).rejects.toThrow(
      '"a.zip" has no file "c" inside. It contains: a?b.',
    );
  });
});

describe("an archive of another program", () => {
  const script = [
    "import sys, zipfile",
    "with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:",
    "    z.writestr('t/', '')",
    "    z.writestr('t/validation.jsonl', '{\"id\": 1}\\n' * 5000)",
    "    z.writestr('t/stored', 'as it is', zipfile.ZIP_STORED)",
    "    with z.open('t/large', 'w', force_zip64=True) as f: f.write(b'eight bytes')",
    "    z.writestr('t/bzip2', 'x', zipfile.ZIP_BZIP2)",
  ].join("\n");
  const path = () => join(folder, "python.zip");
  const hasPython = canRun("python3", ["-c", "import zipfile, bz2"]);
  if (!hasPython) console.warn("skipped: there is no python3 to write an archive with");

  it.skipIf(!hasPython)("is read: deflated, stored, with large sizes; other methods are rejected", async () => {
    execFileSync("python3", ["-c", script, path()]);
    const archive = readFileSync(path());
    expect((await unpackBytes(archive, "t/validation.jsonl")).toString()).toBe('{"id": 1}\n'.repeat(5000));
    expect((await unpackBytes(archive, "t/stored")).toString()).toBe("as it is");
    expect((await unpackBytes(archive, "t/large")).toString()).toBe("eight bytes");
    await expect(unpackBytes(archive, "t/bzip2")).rejects.toThrow(/"t\/bzip2" compressed with method 12/);
  });
});

function canRun(command: string, args: readonly string[]): boolean {
  try {
    execFileSync(command, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("a damaged archive", () => {
  const text = "a line of text\n".repeat(200);
  const archive = createZip({ rows: text });
  const listAt = archive.readUInt32LE(archive.length - 6);

  /** The archive with some bytes replaced. */
  function with_(at: number, ...values: readonly number[]): Buffer {
    const changed = Buffer.from(archive);
    changed.set(values, at);
    return changed;
  }

  it.each([
    ["no bytes", Buffer.alloc(0), "is not a zip archive"],
    ["a page in its place", Buffer.from("<html>Please sign in</html>"), "is not a zip archive"],
    ["an end that is missing", archive.subarray(0, -1), "is not a zip archive, or is truncated"],
    ["a list that is not there", with_(listAt, 0), "is damaged"],
    ["a list beyond the end", with_(archive.length - 6, 0xff, 0xff, 0xff, 0x0f), "is damaged"],
    ["a header that is not there", with_(0, 0), "is damaged"],
    ["content that is no longer the same", with_(40, 0xff, 0xff, 0xff), 'is damaged: "rows"'],
    ["another checksum", with_(listAt + 16, 1, 2, 3, 4), 'is damaged: "rows" .*checksum'],
    ["more content than is stated", with_(listAt + 24, 5, 0, 0, 0), 'is damaged: "rows"'],
    ["less content than is stated", with_(listAt + 24, 0xff, 0xff), 'is damaged: "rows"'],
    ["content beyond the end", with_(listAt + 20, 0xff, 0xff, 0xff), 'is damaged: "rows"'],
    ["a password", with_(listAt + 8, 1), 'has "rows" under a password. Unpack it'],
    ["a method that is not known", with_(listAt + 10, 93), 'has "rows" compressed with method 93'],
  ])("is reported: %s", async (_, bytes, message) => {
    await expect(unpackBytes(bytes, "rows")).rejects.toThrow(DatasetError);
    await expect(unpackBytes(bytes, "rows")).rejects.toThrow(new RegExp(`^"a.zip" ${message}`));
  });

  it("never returns wrong content, wherever it is truncated or a bit is flipped", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(7), fc.boolean(), async (at, bit, isCut) => {
        const changed = isCut ? archive.subarray(0, at) : with_(at, (archive[at] ?? 0) ^ (1 << bit));
        const result = await unpackBytes(changed, "rows").catch((error: unknown) => error);
        // Bytes that no reader needs, such as a date, may change; the content may not.
        if (result instanceof Buffer) expect(result.toString()).toBe(text);
        else expect(result).toBeInstanceOf(Error);
      }),
      { numRuns: 300 },
    );
  });
});
