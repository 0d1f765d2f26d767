import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSkill } from "./read-skill.js";

const HEAD = "---\nname: tidy-up\ndescription: Tidies up.\n---\n# Tidy\n";

let dir = "";
beforeEach(() => {
  dir = join(mkdtempSync(join(tmpdir(), "assay-skill-")), "tidy");
  put("SKILL.md", HEAD);
});
afterEach(() => rmSync(dirname(dir), { recursive: true, force: true }));

function put(path: string, content: string | Buffer = ""): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

describe("a skill", () => {
  it("has the name and description of its front matter, and all its files sorted by path", async () => {
    put("scripts/run.sh", "#!/bin/sh\n");
    chmodSync(join(dir, "scripts/run.sh"), 0o755);
    put("assets/dot.bin", Buffer.from([0xff, 0x00]));
    expect(await readSkill(dir)).toEqual({
      name: "tidy-up",
      description: "Tidies up.",
      files: [
        { dest: "SKILL.md", content: HEAD },
        { dest: "assets/dot.bin", content: "/wA=", encoding: "base64" },
        { dest: "scripts/run.sh", content: "#!/bin/sh\n", executable: true },
      ],
    });
  });

  it("is named after its folder when it has no name", async () => {
    put("SKILL.md", "---\ndescription: Tidies up.\n---\n");
    expect(await readSkill(dir)).toMatchObject({ name: "tidy" });
  });

  it("is offered without its evals, its git history and its packages", async () => {
    for (const path of [
      "eval.yaml",
      "a.eval.yaml",
      "more/b.eval.yml",
      "evals/golden.diff",
      ".git/HEAD",
      "node_modules/x/i.js",
    ])
      put(path);
    for (const path of ["retrieval.yaml", "more/evals/kept.md", "evals.md"]) put(path);
    const { files } = await readSkill(dir);
    expect(files.map(({ dest }) => dest)).toEqual(["SKILL.md", "evals.md", "more/evals/kept.md", "retrieval.yaml"]);
  });

  it("follows links inside its folder", async () => {
    put("notes/a.md", "A");
    symlinkSync("notes/a.md", join(dir, "b.md"));
    expect((await readSkill(dir)).files).toContainEqual({ dest: "b.md", content: "A" });
  });
});

describe("an invalid skill", () => {
  it.each<[string, () => void, string]>([
    ["no folder", () => rmSync(dir, { recursive: true }), "the folder does not exist"],
    ["no SKILL.md", () => rmSync(join(dir, "SKILL.md")), "has no SKILL.md"],
    ["no head", () => put("SKILL.md", "# Tidy\n"), "SKILL.md:1:1: it has no front matter"],
    ["a head that is no YAML", () => put("SKILL.md", "---\nname: [\n---\n"), "SKILL.md:"],
    [
      "a SKILL.md that is no text",
      () => put("SKILL.md", Buffer.concat([Buffer.from(HEAD), Buffer.from([0xff, 0xfe])])),
      "SKILL.md: it is not valid UTF-8",
    ],
    ["no description", () => put("SKILL.md", "---\nname: a\n---\n"), "has no description."],
    [
      "a description that is no text",
      () => put("SKILL.md", "---\nname: a\ndescription: 1\n---\n"),
      "has no description.",
    ],
    [
      "a name that is no text",
      () => put("SKILL.md", "---\nname: 1\ndescription: b\n---\n"),
      "a name that is the number 1",
    ],
    [
      "a name that leaves",
      () => put("SKILL.md", "---\nname: ../b\ndescription: b\n---\n"),
      '"../b" is not a valid skill name',
    ],
    ["a link out of it", () => symlinkSync("/etc/passwd", join(dir, "p")), "is a link to a target outside the skill"],
    ["a circle", () => symlinkSync(".", join(dir, "again")), "is a link to one of its parent folders"],
    ["a dead link", () => symlinkSync("nowhere", join(dir, "dead")), "cannot be read"],
  ])("is rejected: %s", async (_, spoil, message) => {
    spoil();
    await expect(readSkill(dir)).rejects.toMatchObject({ code: "DATASET", message: expect.stringContaining(message) });
  });

  it("is rejected: a file", async () => {
    await expect(readSkill(join(dir, "SKILL.md"))).rejects.toThrow(/is neither a folder/);
  });
});
