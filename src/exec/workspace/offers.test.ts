import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { digest } from "../../core/fingerprint.js";
import { EnvironmentReader, loadEnvironment } from "./environment-reader.js";
import { rebuildWorkspace } from "./workspace.js";
import { createTestFolder, readFolderContents, writeTestFile } from "./workspace-testing.js";
import { listOfferedSkills, toSkillFiles, writeSkills } from "./write-skills.js";

const folder = createTestFolder();
const inlined = (value: unknown) => loadEnvironment(value, folder.path);
const head = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n`;
const skill = (name: string) => ({ name, files: [{ dest: "SKILL.md", content: head(name) }] });

describe("skills of an environment", () => {
  it("become their contents, from next to the file, above it or anywhere", async () => {
    writeTestFile(folder.path, "evals/eval.yaml");
    writeTestFile(folder.path, "SKILL.md", head("outer"));
    writeTestFile(folder.path, "evals/near/SKILL.md", head("near"));
    writeTestFile(folder.path, "far/SKILL.md", head("far"));
    const reader = new EnvironmentReader(join(folder.path, "evals"));
    const given = { skills: ["./near", join(folder.path, "far"), skill("inline")], env: { A: "1" } };
    expect(await reader.read(given)).toEqual({
      skills: [skill("near"), skill("far"), skill("inline")],
      env: { A: "1" },
    });
    const [outer] = listOfferedSkills(await reader.read({ skills: [".."] }));
    expect(outer?.files.map(({ dest }) => dest)).toEqual(["SKILL.md", "far/SKILL.md"]);
  });

  it("stay the same object when already read", async () => {
    const environment = { skills: [skill("a")], mcpServers: { docs: { command: "node" } } };
    expect(await inlined(environment)).toBe(environment);
  });

  it("identify an example by their content", async () => {
    writeTestFile(folder.path, "s/SKILL.md", head("s"));
    const before = await inlined({ skills: ["s"] });
    writeTestFile(folder.path, "s/notes.md", "more");
    const after = await inlined({ skills: ["s"] });
    expect(digest(before)).not.toBe(digest(after));
    expect(digest(await inlined({ skills: ["./s/"] }))).toBe(digest(after));
  });

  it.each<[string, unknown, string]>([
    ["no list", "a", 'environment.skills is the string "a", not a list.'],
    ["a number", [1], "environment.skills[0] is the number 1, not an object."],
    ["an empty path", [" "], "environment.skills[0] is empty."],
    ["a folder that is not there", ["nowhere"], "the folder does not exist"],
    [
      "an unknown key",
      [{ name: "a", file: [] }],
      'environment.skills[0] has an unknown key "file". Did you mean "files"?',
    ],
    ["no name", [{ files: [] }], "environment.skills[0].name is undefined, not text."],
    ["a name that leaves", [{ name: "..", files: [] }], 'environment.skills[0].name: ".." is not a valid skill name'],
    ["no files", [{ name: "a" }], "environment.skills[0].files is undefined, not a list."],
    ["no SKILL.md", [{ name: "a", files: [] }], "environment.skills[0].files has no SKILL.md."],
    ["a file that leaves", [{ name: "a", files: [{ dest: "../b", content: "" }] }], "which leaves the folder"],
    [
      "a file by its source",
      [{ name: "a", files: [{ dest: "SKILL.md", src: "x" }] }],
      "environment.skills[0].files[0] has a src.",
    ],
    ["two of one name", [skill("a"), skill("A")], 'environment.skills has two skills named "A".'],
  ])("are rejected: %s", async (_, skills, message) => {
    await expect(inlined({ skills })).rejects.toMatchObject({
      code: "DATASET",
      message: expect.stringContaining(message),
    });
  });

  it("are rejected when two folders have the same name", async () => {
    writeTestFile(folder.path, "a/SKILL.md", head("same"));
    writeTestFile(folder.path, "b/SKILL.md", head("same"));
    await expect(inlined({ skills: ["a", "b"] })).rejects.toThrow(/two skills named "same"/);
  });
});

describe("MCP servers of an environment", () => {
  it("are kept unchanged", async () => {
    const mcpServers = {
      docs: { command: "node", args: ["server.mjs"], env: { A: "1" } },
      "far_away-2": { url: "https://example.org/mcp", headers: { Authorization: "Bearer x" } },
    };
    expect(await inlined({ mcpServers })).toEqual({ mcpServers });
  });

  it.each<[string, unknown, string]>([
    ["no object", [], "environment.mcpServers is an array, not an object."],
    ["a name with a dot", { "a.b": { command: "x" } }, 'environment.mcpServers has the name "a.b".'],
    ["neither", { a: {} }, "environment.mcpServers.a needs either a command"],
    ["both", { a: { command: "x", url: "http://x" } }, "environment.mcpServers.a needs either a command"],
    ["an empty command", { a: { command: "" } }, "environment.mcpServers.a.command is empty."],
    [
      "arguments that are no texts",
      { a: { command: "x", args: [1] } },
      "environment.mcpServers.a.args[0] is the number 1",
    ],
    [
      "a variable that is no text",
      { a: { command: "x", env: { B: 1 } } },
      "environment.mcpServers.a.env.B is the number 1",
    ],
    ["an unknown key", { a: { command: "x", arg: [] } }, 'environment.mcpServers.a has an unknown key "arg".'],
    [
      "headers of a program",
      { a: { command: "x", headers: {} } },
      'environment.mcpServers.a has an unknown key "headers"',
    ],
    ["no address", { a: { url: "example.org" } }, "environment.mcpServers.a.url"],
    ["another way", { a: { url: "ftp://example.org" } }, "begins with http:// or https://"],
  ])("are rejected: %s", async (_, mcpServers, message) => {
    await expect(inlined({ mcpServers })).rejects.toMatchObject({
      code: "DATASET",
      message: expect.stringContaining(message),
    });
  });
});

describe("written skills", () => {
  it("are folders with their names and all their files", async () => {
    const files = [
      { dest: "SKILL.md", content: "A" },
      { dest: "bin/run", content: "/wA=", encoding: "base64" as const, executable: true },
    ];
    await writeSkills(join(folder.path, "deep/skills"), [{ name: "a", files }, skill("b")]);
    expect(readFolderContents(folder.path)).toEqual({
      "deep/skills/a/SKILL.md": "A",
      "deep/skills/a/bin/run": "x \u00FF\u0000",
      "deep/skills/b/SKILL.md": head("b"),
    });
    expect(toSkillFiles([skill("b")], ".x/skills")).toEqual([{ dest: ".x/skills/b/SKILL.md", content: head("b") }]);
  });

  it("must be read first", () => {
    expect(() => listOfferedSkills({ skills: ["./a"] })).toThrow(/has not been read yet/);
  });

  it("are not needed to recreate a folder, even if the agent deleted one", async () => {
    const changes = [{ path: ".claude/skills/a/SKILL.md", status: "deleted" as const }];
    const workspace = await rebuildWorkspace({ environment: { skills: [skill("a")] }, changes: { changes } });
    expect(readFolderContents(workspace.path)).toEqual({});
    await workspace.remove();
  });
});
