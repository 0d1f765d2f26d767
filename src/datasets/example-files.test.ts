import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Example, StoredExampleFile } from "../core/index.js";
import { makeJpeg, makePng, TINY_PDF } from "../testing/images.js";
import { attachFiles } from "./example-files.js";
import { loadFile } from "./load-file.js";

let root: string;
let dir: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "assay-files-")));
  dir = join(root, "data");
  mkdirSync(join(dir, "charts"), { recursive: true });
  writeFileSync(join(root, "secret.png"), makePng(1, 1));
  writeFileSync(join(dir, "charts", "a.png"), makePng(30, 20));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (name: string, content: string | Buffer) => {
  writeFileSync(join(dir, name), content);
  return join(dir, name);
};
const writeRows = (...rows: object[]) => write("rows.jsonl", rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
const readContent = async (example: Example | undefined) =>
  (example?.images?.[0] as StoredExampleFile | undefined)?.read?.();
const load = async (...rows: object[]) => [...(await loadFile(writeRows(...rows))).examples] as Example[];
const loadOne = async (row: object) => (await load({ id: "e1", question: "?", ...row }))[0] as Example;

describe("images and files of a row", () => {
  it("are described by path, type, size and hash, without their content", async () => {
    write("b.txt", makeJpeg(7, 9));
    const example = await loadOne({ images: ["charts/a.png", "./charts/../b.txt", "https://example.com/c.png"] });
    expect(example.images).toEqual([
      {
        path: "charts/a.png",
        mediaType: "image/png",
        width: 30,
        height: 20,
        size: makePng(30, 20).length,
        sha256: expect.stringMatching(/^[\da-f]{64}$/),
      },
      expect.objectContaining({ path: "b.txt", mediaType: "image/jpeg", width: 7, height: 9 }),
      { url: "https://example.com/c.png" },
    ]);
    expect(await readContent(example)).toEqual(makePng(30, 20));
    expect(JSON.stringify(example)).not.toContain("read");
  });

  it("may be one cell of a CSV file, a PDF, a text, or a data URL", async () => {
    write("notes.md", "Costs fell.");
    write("paper.pdf", TINY_PDF);
    const url = `data:image/png;base64,${makePng(5, 5).toString("base64")}`;
    const rows = `id,question,images,files\n1,?,charts/a.png,"[""notes.md"",""paper.pdf""]"\n2,?,,\n3,?,"${url}",\n`;
    const [one, two, three] = [...(await loadFile(write("rows.csv", rows))).examples] as Example[];
    expect(one?.images).toMatchObject([{ path: "charts/a.png" }]);
    expect(one?.files).toMatchObject([{ path: "notes.md", mediaType: "text/plain" }, { mediaType: "application/pdf" }]);
    expect(two).not.toHaveProperty("images");
    expect(three?.images).toMatchObject([{ path: "data URL", width: 5 }]);
    expect(JSON.stringify(three)).not.toContain("base64");
    expect(await readContent(three)).toEqual(makePng(5, 5));
  });

  it("may be bytes in a table, as the datasets library stores them", async () => {
    const row = { image: { bytes: makePng(4, 4).toString("base64"), path: "x.png" } };
    const path = writeRows(
      { id: 1, question: "?", ...row },
      { id: 2, question: "?", image: { bytes: null, path: "charts/a.png" } },
    );
    const { examples } = await loadFile(path, { map: { images: "image" } });
    expect([...examples].map(({ images }) => images)).toMatchObject([
      [{ path: "x.png", width: 4 }],
      [{ path: "charts/a.png", width: 30 }],
    ]);
  });

  it("make the same row with another content another example", async () => {
    const before = await loadFile(writeRows({ id: 1, question: "?", images: ["charts/a.png"] }));
    expect(before.fingerprint).toBeUndefined();
    const hash = ({ images }: Example) => (images?.[0] as StoredExampleFile | undefined)?.sha256;
    const [old] = before.examples as Example[];
    writeFileSync(join(dir, "charts", "a.png"), makePng(31, 20));
    const [changed] = await load({ id: 1, question: "?", images: ["charts/a.png"] });
    expect(hash(changed as Example)).not.toBe(hash(old as Example));
    await expect(readContent(old)).rejects.toThrow(/"charts\/a.png" has changed since/);
  });

  it("are looked up only for the sample", async () => {
    const path = writeRows({ id: 1, question: "?" }, { id: 2, question: "?", images: ["missing.png"] });
    expect((await loadFile(path, { head: true, maxExamples: 1 })).examples).toHaveLength(1);
    await expect(loadFile(path)).rejects.toThrow(
      /rows\.jsonl:2: the row has "missing\.png" in images\[0\], which does not exist/,
    );
  });
});

describe("hostile rows", () => {
  it.each([
    ["a path that leaves the folder", "../secret.png"],
    ["a path that leaves it in the middle", "charts/../../secret.png"],
    ["an absolute path", "/etc/passwd"],
    ["a link to a file outside", "link.png"],
    ["a link to a folder outside", "up/secret.png"],
  ])("cannot send a file by %s", async (_, path) => {
    symlinkSync(join(root, "secret.png"), join(dir, "link.png"));
    symlinkSync(root, join(dir, "up"));
    for (const field of ["images", "files"])
      await expect(loadOne({ [field]: [path] })).rejects.toThrow(
        new RegExp(
          `rows\\.jsonl:1: the row has ".*" in ${field}\\[0\\], which leads outside of the dataset's folder ${dir}`,
        ),
      );
  });

  it("cannot exchange a file by a link after it was checked", async () => {
    const example = await loadOne({ images: ["charts/a.png"] });
    rmSync(join(dir, "charts", "a.png"));
    symlinkSync(join(root, "secret.png"), join(dir, "charts", "a.png"));
    await expect(readContent(example)).rejects.toThrow(/leads outside/);
  });

  it("cannot send hidden files, such as keys beside the dataset", async () => {
    write(".env", "KEY=secret");
    mkdirSync(join(dir, ".ssh"));
    write(".ssh/id_rsa", "secret");
    symlinkSync(join(dir, ".env"), join(dir, "env.txt"));
    for (const path of [".env", ".ssh/id_rsa", "charts/../.env", "env.txt"])
      await expect(loadOne({ files: [path] })).rejects.toThrow(/which is hidden/);
  });

  it.each([
    ["no file", { images: ["nothing.png"] }, /which does not exist. Paths are relative to the folder of the dataset/],
    ["a folder", { images: ["charts"] }, /cannot be read: charts is not a regular file/],
    ["an empty file", { images: ["empty.png"] }, /which is empty/],
    ["a cut header", { images: ["cut.png"] }, /which is a damaged image\/png/],
    ["a program", { files: ["program"] }, /which is not PNG, JPEG, GIF, WebP, PDF or UTF-8 text/],
    [
      "a text as an image",
      { images: ["rows.jsonl"] },
      /which is text\/plain and no image .* Put documents into "files"/,
    ],
    ["an image as a file", { files: ["charts/a.png"] }, /which is an image \(image\/png\)\. Put it into "images"/],
    ["21 MB", { files: ["huge.txt"] }, /which has 21 MiB; the limit is 20 MiB/],
    ["a file URL", { images: ["file:///etc/passwd"] }, /only http, https and data URLs/],
    [
      "a URL with a password",
      { images: ["https://me:secret@example.com/a.png"] },
      /contains a user name or a password/,
    ],
    ["a broken URL", { images: ["https://[/a.png"] }, /is not a valid URL/],
    ["a data URL without base64", { images: ["data:image/svg+xml,<svg/>"] }, /is not a data URL in base64/],
    ["a null character", { images: ["a\0.png"] }, /has a null character/],
    ["101 images", { images: Array(101).fill("charts/a.png") }, /has 101 images; at most 100/],
    ["a number", { images: 7 }, /has the number 7 and not a list of paths and URLs/],
    ["a list with null", { files: [null] }, /a list of something else than paths and URLs .*in "files"/],
  ])("are refused for %s", async (_, row, message) => {
    write("empty.png", "");
    write("cut.png", makePng(9, 9).subarray(0, 18));
    write("program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0]));
    if ("files" in row && row.files[0] === "huge.txt") write("huge.txt", Buffer.alloc(21 * 2 ** 20, "a"));
    await expect(loadOne(row)).rejects.toThrow(message);
  });
});

describe("attachFiles", () => {
  it("finds the files of examples in code, and leaves the given ones as they are", async () => {
    const given = [{ id: 1, question: "?", images: ["charts/a.png"] }];
    const [example] = await attachFiles(given, dir);
    expect(example).toMatchObject({ id: 1, images: [{ path: "charts/a.png", width: 30 }] });
    expect(given[0]?.images).toEqual(["charts/a.png"]);
    await expect(attachFiles([{ id: 2, question: "?", files: ["../secret.png"] }], dir)).rejects.toThrow(
      /The example 2 has .* leads outside/,
    );
  });
});
