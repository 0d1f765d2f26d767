import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EnvironmentReader, loadEnvironment } from "./environment-reader.js";
import { createTestFolder, writeTestFile } from "./workspace-testing.js";

const folder = createTestFolder();
const inlined = (value: unknown) => loadEnvironment(value, folder.path);

describe("an invalid environment", () => {
  it.each<[string, unknown, string]>([
    ["no object", [], "environment is an array, not an object."],
    ["an unknown key", { comands: [] }, 'environment has an unknown key "comands". Did you mean "commands"?'],
    ["no list of files", { files: {} }, "environment.files is an object, not a list."],
    [
      "an unknown key of a file",
      { files: [{ dst: "a" }] },
      'environment.files[0] has an unknown key "dst". Did you mean "dest"?',
    ],
    ["a file without a place", { files: [{ content: "" }] }, "environment.files[0].dest is undefined, not text."],
    [
      "a place above",
      { files: [{ dest: "a/../../b", content: "" }] },
      'environment.files[0].dest is "a/../../b", which leaves the folder.',
    ],
    [
      "an absolute place",
      { files: [{ dest: "/etc/x", content: "" }] },
      'environment.files[0].dest is "/etc/x", which is absolute.',
    ],
    [
      "a source above",
      { files: [{ dest: "a", src: "../a" }] },
      'environment.files[0].src is "../a", which leaves the folder.',
    ],
    ["a file without content", { files: [{ dest: "a" }] }, "environment.files[0] has neither src nor content."],
    ["both", { files: [{ dest: "a", src: "a", content: "" }] }, "environment.files[0] has both src and content."],
    [
      "content for a folder",
      { files: [{ dest: "a/", content: "" }] },
      'environment.files[0].dest is "a/", which names a folder.',
    ],
    [
      "another encoding",
      { files: [{ dest: "a", content: "", encoding: "hex" }] },
      'environment.files[0].encoding is the string "hex".',
    ],
    [
      "no base64",
      { files: [{ dest: "a", content: "a", encoding: "base64" }] },
      "environment.files[0].content is not base64.",
    ],
    ["a command that is no text", { commands: ["a", 1] }, "environment.commands[1] is the number 1, not text."],
    ["an empty command", { commands: [" "] }, "environment.commands[0] is empty."],
    [
      "a variable that is no text",
      { env: { CI: 1 } },
      "environment.env.CI is the number 1, not text. Put it in quotes.",
    ],
    ["a repository without address", { git: {} }, "environment.git.url is undefined, not text."],
    [
      "an option to git",
      { git: { url: "x", ref: "--upload-pack=x" } },
      'environment.git.ref is "--upload-pack=x", which begins with a dash.',
    ],
  ])("is rejected: %s", async (_, value, message) => {
    await expect(inlined(value)).rejects.toMatchObject({ code: "DATASET", message: expect.stringContaining(message) });
  });
});

describe("loadEnvironment", () => {
  it("returns the same object when there is nothing to read", async () => {
    const environment = { git: { url: "https://example.org/a.git" }, files: [{ dest: "a", content: "a" }], env: {} };
    expect(await inlined(environment)).toBe(environment);
  });

  it("reads a folder sorted by path, text as text, the rest as base64, without .git", async () => {
    writeTestFile(folder.path, "app/z.txt", "\uFEFFzü");
    writeTestFile(folder.path, "app/a/b.bin", Buffer.from([0xff, 0xfe]));
    writeTestFile(folder.path, "app/.git/config", "secret");
    writeTestFile(folder.path, "app/.hidden", "h");
    writeTestFile(folder.path, "app/run.sh", "#!/bin/sh\n");
    chmodSync(join(folder.path, "app/run.sh"), 0o755);
    mkdirSync(join(folder.path, "app/empty"));
    const files = [
      { src: "app", dest: "." },
      { dest: "last", content: "" },
    ];
    expect(await inlined({ files, commands: ["x"] })).toEqual({
      commands: ["x"],
      files: [
        { dest: ".hidden", content: "h" },
        { dest: "a/b.bin", content: "//4=", encoding: "base64" },
        { dest: "run.sh", content: "#!/bin/sh\n", executable: true },
        { dest: "z.txt", content: "\uFEFFzü" },
        { dest: "last", content: "" },
      ],
    });
  });

  it.each([
    ["b.txt", "b.txt"],
    ["deep/./b.txt", "deep/b.txt"],
    [".", "a.txt"],
    ["deep/", "deep/a.txt"],
  ])("puts a single file at %s", async (dest, place) => {
    writeTestFile(folder.path, "x/a.txt", "a");
    expect(await inlined({ files: [{ src: "x/a.txt", dest }] })).toEqual({ files: [{ dest: place, content: "a" }] });
  });

  it.each([
    ["./repo", true],
    ["repo", true],
    ["/srv/repo", false],
    ["file:///srv/repo", false],
    ["git@example.org:a/b.git", false],
    ["https://example.org/a.git", false],
  ])("recognizes whether %s is a path in the dataset's folder", async (url, isBeside) => {
    const { git } = await inlined({ git: { url, ref: "main" } });
    expect(git).toEqual({ url: isBeside ? join(folder.path, "repo") : url, ref: "main" });
  });

  it("follows links inside the dataset's folder, and rejects others", async () => {
    writeTestFile(folder.path, "shared/lib.js", "lib");
    writeTestFile(folder.path, "app/own.js", "own");
    symlinkSync("../shared", join(folder.path, "app/shared"));
    symlinkSync("own.js", join(folder.path, "app/alias.js"));
    const { files } = await inlined({ files: [{ src: "app", dest: "." }] });
    expect(files?.map(({ dest }) => dest)).toEqual(["alias.js", "own.js", "shared/lib.js"]);
    symlinkSync("/etc", join(folder.path, "app/etc"));
    await expect(inlined({ files: [{ src: "app", dest: "." }] })).rejects.toThrow(
      '"app/etc" of an example\'s environment is a link to a target outside',
    );
  });

  it("rejects a link to its own parent, and a broken link", async () => {
    writeTestFile(folder.path, "app/a", "");
    symlinkSync(".", join(folder.path, "app/again"));
    await expect(inlined({ files: [{ src: "app", dest: "." }] })).rejects.toThrow(
      '"app/again" of an example\'s environment is a link to one of its parent folders',
    );
    writeTestFile(folder.path, "other/a", "");
    symlinkSync("nowhere", join(folder.path, "other/b"));
    await expect(inlined({ files: [{ src: "other", dest: "." }] })).rejects.toThrow(
      '"other/b" of an example\'s environment cannot be read: does not exist',
    );
  });

  it("reports what does not exist, and where it was looked up", async () => {
    await expect(inlined({ files: [{ src: "no", dest: "." }] })).rejects.toThrow(
      `cannot be read: does not exist. It is looked up in ${folder.path}.`,
    );
  });

  it("accepts up to 64 MB in total", async () => {
    writeTestFile(folder.path, "half/a", Buffer.alloc(32 * 2 ** 20));
    const half = { src: "half", dest: "x" };
    expect((await inlined({ files: [half, { ...half, dest: "y" }] })).files).toHaveLength(2);
    const third = { dest: "z", content: "1" };
    await expect(inlined({ files: [half, { ...half, dest: "y" }, third] })).rejects.toThrow("name it as `git`");
    writeTestFile(folder.path, "half/b", Buffer.alloc(32 * 2 ** 20 + 1));
    await expect(inlined({ files: [half] })).rejects.toThrow(
      'may have at most 64 MB in total, and "half" exceeds that',
    );
  });
});

describe("EnvironmentReader", () => {
  it("reads sources shared by examples once", async () => {
    writeTestFile(folder.path, "app/a", "first");
    const reader = new EnvironmentReader(folder.path);
    const [one] = (await reader.read({ files: [{ src: "app", dest: "." }] })).files ?? [];
    writeFileSync(join(folder.path, "app/a"), "second");
    const [same] = (await reader.read({ files: [{ src: "app", dest: "." }], env: {} })).files ?? [];
    const [moved] = (await reader.read({ files: [{ src: "./app", dest: "b" }] })).files ?? [];
    expect(same).toBe(one);
    expect(moved).toEqual({ dest: "b/a", content: "first" });
  });
});
