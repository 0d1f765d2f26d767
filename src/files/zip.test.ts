import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ZipOptions, zipOf } from "../../test/write-zip.js";
import { bytesInMemory, openBytes } from "./byte-source.js";
import { listZip, ZipProblem } from "./zip.js";
import { unpackMember } from "./zip-member.js";

let folder = "";
let count = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-zip-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fresh(): string {
  count += 1;
  return join(folder, `unpacked-${count}`);
}

async function unpacked(archive: Buffer, name: string): Promise<Buffer> {
  const bytes = bytesInMemory("a.zip", archive);
  const member = (await listZip(bytes)).find((each) => each.name === name);
  if (member === undefined) throw new Error(`no member ${name}`);
  const path = fresh();
  await unpackMember(bytes, { member, path });
  return readFileSync(path);
}

const WAYS: readonly ZipOptions[] = [
  {},
  { isStored: true },
  { isLarge: true },
  { isLarge: true, isStored: true },
  { comment: "made by PK\u0005\u0006 hand" },
];

describe("an archive", () => {
  it.each(WAYS)("gives back any files: %j", async (options) => {
    const content = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    const files = fc.dictionary(fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }), content, { maxKeys: 4 });
    await fc.assert(
      fc.asyncProperty(files, async (members) => {
        const archive = zipOf(members, options);
        const listed = await listZip(bytesInMemory("a.zip", archive));
        expect(listed.map(({ name }) => name)).toEqual(Object.keys(members));
        for (const [name, bytes] of Object.entries(members)) expect(await unpacked(archive, name)).toEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });

  it("unpacks a file that is longer than one piece", async () => {
    const long = Buffer.from(Array.from({ length: 400_000 }, (_, at) => `${at * 7919}\n`).join(""));
    expect((await unpacked(zipOf({ long }), "long")).equals(long)).toBe(true);
    expect((await unpacked(zipOf({ long }, { isStored: true }), "long")).equals(long)).toBe(true);
  });

  it("writes to the path it is given whatever a file inside is called, and over nothing", async () => {
    const bytes = bytesInMemory("a.zip", zipOf({ "../../escaped": "out" }));
    const [member] = await listZip(bytes);
    if (member === undefined) throw new Error("no member");
    const path = fresh();
    await unpackMember(bytes, { member, path });
    expect(readFileSync(path, "utf8")).toBe("out");
    expect(existsSync(join(folder, "..", "..", "escaped"))).toBe(false);
    await expect(unpackMember(bytes, { member, path })).rejects.toThrow(/EEXIST/);
  });
});

describe("an archive that another program wrote", () => {
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

  it.skipIf(!hasPython)("is read: deflated, stored, with large sizes; other methods are refused", async () => {
    execFileSync("python3", ["-c", script, path()]);
    const archive = readFileSync(path());
    expect((await unpacked(archive, "t/validation.jsonl")).toString()).toBe('{"id": 1}\n'.repeat(5000));
    expect((await unpacked(archive, "t/stored")).toString()).toBe("as it is");
    expect((await unpacked(archive, "t/large")).toString()).toBe("eight bytes");
    await expect(unpacked(archive, "t/bzip2")).rejects.toThrow(/"t\/bzip2" packed by method 12/);
    const bytes = await openBytes(path());
    expect(await listZip(bytes)).toHaveLength(5);
    await bytes.close?.();
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

describe("what is wrong with an archive", () => {
  const text = "a line of text\n".repeat(200);
  const archive = zipOf({ rows: text });
  const listAt = archive.readUInt32LE(archive.length - 6);

  /** The archive with some of its bytes replaced. */
  function with_(at: number, ...values: readonly number[]): Buffer {
    const changed = Buffer.from(archive);
    changed.set(values, at);
    return changed;
  }

  it.each([
    ["no bytes", Buffer.alloc(0), "is no zip archive"],
    ["a page in its place", Buffer.from("<html>Please sign in</html>"), "is no zip archive"],
    ["an end that is missing", archive.subarray(0, -1), "is no zip archive, or was cut off"],
    ["a list that is not there", with_(listAt, 0), "is damaged: its list of files cannot be read"],
    ["a list beyond the end", with_(archive.length - 6, 0xff, 0xff, 0xff, 0x0f), "is damaged: it ends before"],
    ["a header that is not there", with_(0, 0), 'is damaged: "rows" is not where'],
    ["content that is no longer the same", with_(40, 0xff, 0xff, 0xff), 'is damaged: "rows"'],
    ["another checksum", with_(listAt + 16, 1, 2, 3, 4), 'is damaged: "rows" is not what was packed'],
    ["more content than is stated", with_(listAt + 24, 5, 0, 0, 0), 'is damaged: "rows" is not what was packed'],
    ["less content than is stated", with_(listAt + 24, 0xff, 0xff), 'is damaged: "rows" is not what was packed'],
    ["content beyond the end", with_(listAt + 20, 0xff, 0xff, 0xff), 'is damaged: it ends inside of "rows"'],
    ["a password", with_(listAt + 8, 1), 'has "rows" under a password. Unpack it'],
    ["a method that is not known", with_(listAt + 10, 93), 'has "rows" packed by method 93'],
  ])("is said: %s", async (_, bytes, message) => {
    await expect(unpacked(bytes, "rows")).rejects.toThrow(ZipProblem);
    await expect(unpacked(bytes, "rows")).rejects.toThrow(message);
  });

  it("is never taken for content, wherever the archive is cut off or one bit is turned", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(archive.length - 1), fc.nat(7), fc.boolean(), async (at, bit, isCut) => {
        const changed = isCut ? archive.subarray(0, at) : with_(at, (archive[at] ?? 0) ^ (1 << bit));
        const result = await unpacked(changed, "rows").catch((error: unknown) => error);
        // What no reader needs, such as a date, may change; the content may not.
        if (result instanceof Buffer) expect(result.toString()).toBe(text);
        else expect(result).toBeInstanceOf(Error);
      }),
      { numRuns: 300 },
    );
  });
});
