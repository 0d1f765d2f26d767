import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSpec } from "../../spec/read-spec.js";
import { toDataset } from "../../spec/spec-dataset.js";
import { lint } from "../lint.js";
import { createLintFolder, createLintOptions } from "../lint-testing.js";
import { buildSkillFile } from "../skill/skill-cases.js";

const STIMULUS = "{ name: basic, prompt: Do it., graders: [{ type: run-command, config: { command: npm test } }]";
const spec = (environment: string) => `name: sample\nenvironment: ${environment}\nstimuli: [${STIMULUS} }]\n`;

interface Case {
  readonly what: string;
  readonly environment: string;
  readonly says: string;
  readonly spoil?: (tidy: string) => void;
}

const OFFERED = "{ skills: [tidy] }";

const CASES: readonly Case[] = [
  {
    what: "two skills of one name",
    environment: "{ skills: [tidy, other] }",
    says: 'two skills named "tidy"',
    spoil: (tidy) => {
      mkdirSync(join(tidy, "../other"));
      writeFileSync(join(tidy, "../other/SKILL.md"), buildSkillFile());
    },
  },
  {
    what: "a skill that is too large",
    environment: OFFERED,
    says: "larger than 64 MB",
    // A sparse file takes no disk space.
    spoil: (tidy) => {
      writeFileSync(join(tidy, "large.bin"), "");
      truncateSync(join(tidy, "large.bin"), 65 * 2 ** 20);
    },
  },
  {
    what: "a link out of a skill",
    environment: OFFERED,
    says: "is a link to a target outside the skill",
    spoil: (tidy) => symlinkSync("/etc/hosts", join(tidy, "hosts")),
  },
  {
    what: "a SKILL.md that is no text",
    environment: OFFERED,
    says: "it is not valid UTF-8",
    spoil: (tidy) =>
      writeFileSync(join(tidy, "SKILL.md"), Buffer.concat([Buffer.from(buildSkillFile()), Buffer.from([0xff])])),
  },
  {
    what: "a skill without a description",
    environment: OFFERED,
    says: "has no description",
    spoil: (tidy) => writeFileSync(join(tidy, "SKILL.md"), buildSkillFile({ description: "" })),
  },
  {
    what: "a server at no address",
    environment: "{ mcpServers: { docs: { url: 'ftp://example.org' } } }",
    says: "begins with http:// or https://",
  },
  {
    what: "a server whose name no agent takes",
    environment: "{ mcpServers: { 'my docs': { command: node } } }",
    says: 'has the name "my docs"',
  },
  {
    what: "content that is not encoded as it says",
    environment: "{ files: [{ dest: a, content: '!', encoding: base64 }] }",
    says: "is not base64",
  },
];

describe("environments that a run rejects", () => {
  it.each(CASES)("are reported: $what", async ({ environment, says, spoil }) => {
    using folder = createLintFolder({ "eval.yaml": spec(environment), "tidy/SKILL.md": buildSkillFile() });
    spoil?.(join(folder.path, "tidy"));
    const file = join(folder.path, "eval.yaml");
    await expect(toDataset(await loadSpec(file))).rejects.toThrow(says);
    const { findings } = await lint([file], { cwd: folder.path, ...createLintOptions() });
    expect(findings).toEqual([
      expect.objectContaining({ code: "EVAL-ENVIRONMENT", line: 2, message: expect.stringContaining(says) }),
    ]);
  });

  it("are reported once, where they are written", async () => {
    const own = `  - ${STIMULUS.replace("basic", "own")}, environment: { mcpServers: { docs: { url: 'ftp://a' } } } }`;
    const text = `name: sample\nstimuli:\n  - ${STIMULUS} }\n${own}\n`;
    using folder = createLintFolder({ "eval.yaml": text });
    const { findings } = await lint([], { cwd: folder.path, ...createLintOptions() });
    expect(findings.map(({ code, line }) => [code, line])).toEqual([["EVAL-ENVIRONMENT", 4]]);
    const second = `${STIMULUS.replace("basic", "second")} }`;
    const shared = spec("{ mcpServers: { docs: { url: 'ftp://a' } } }").replace("stimuli: [", `stimuli: [${second}, `);
    writeFileSync(join(folder.path, "eval.yaml"), shared);
    const twice = await lint([], { cwd: folder.path, ...createLintOptions() });
    expect(twice.findings.map(({ code, line }) => [code, line])).toEqual([["EVAL-ENVIRONMENT", 2]]);
  });

  it("are not reported again for a skill under test that cannot be read", async () => {
    using folder = createLintFolder({
      "eval.yaml": `skill: tidy\n${spec(OFFERED)}`,
      "tidy/SKILL.md": buildSkillFile(),
    });
    writeFileSync(join(folder.path, "tidy/SKILL.md"), buildSkillFile({ description: "" }));
    const { findings } = await lint([join(folder.path, "eval.yaml")], { cwd: folder.path, ...createLintOptions() });
    expect(findings.map(({ code, line }) => [code, line])).toEqual([["EVAL-SCHEMA", 1]]);
    rmSync(join(folder.path, "tidy"), { recursive: true });
    const gone = await lint([], { cwd: folder.path, ...createLintOptions() });
    expect(new Set(gone.findings.map(({ code }) => code))).toEqual(new Set(["EVAL-PATH-DEAD"]));
  });

  it("include a skill whose SKILL.md is not text", async () => {
    using folder = createLintFolder({ "tidy/SKILL.md": "" });
    writeFileSync(
      join(folder.path, "tidy/SKILL.md"),
      Buffer.concat([Buffer.from(buildSkillFile()), Buffer.from([0xff])]),
    );
    const { findings } = await lint([], { cwd: folder.path });
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ["SKILL-FRONT-MATTER", "The file is not valid UTF-8: save it as UTF-8 and remove binary content."],
    ]);
  });
});
