import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classifyVerdict, findConfigProblem, makeGradedFolder, runBuiltInGrader } from "./graded-testing.js";

let workspace: string;
let outside: string;
beforeAll(() => {
  workspace = makeGradedFolder({
    "add.js": "export const add = (a, b) => a + b;\n",
    "test/add.test.js": "Test it",
    "node_modules/x/index.js": "module.exports = 1",
    ".env": "KEY=1",
  });
  outside = makeGradedFolder({ "secret.txt": "secret" });
  symlinkSync(join(outside, "secret.txt"), join(workspace, "leak.txt"));
  symlinkSync(outside, join(workspace, "away"));
  symlinkSync(join(workspace, "add.js"), join(workspace, "same.js"));
  symlinkSync(workspace, join(workspace, "test", "round"));
});
afterAll(() => {
  for (const folder of [workspace, outside]) rmSync(folder, { recursive: true });
});

describe("file graders", () => {
  it.each([
    ["file-exists", { path: "add.js" }, "pass"],
    ["file-exists", { path: "**/*.test.js" }, "pass"],
    ["file-exists", { path: ".env" }, "pass"],
    ["file-exists", { path: "same.js" }, "pass"],
    ["file-exists", { path: "sub.js" }, "fail"],
    ["file-exists", { path: "test" }, "fail"],
    ["file-exists", { path: "leak.txt" }, "fail"],
    ["file-exists", { path: "away/secret.txt" }, "fail"],
    ["file-exists", { path: "**/index.js" }, "fail"],
    ["file-exists", { path: "node_modules/*/index.js" }, "pass"],
    ["file-not-exists", { path: "*.tmp" }, "pass"],
    ["file-not-exists", { path: "test/*" }, "fail"],
    ["file-contains", { path: "add.js", value: "a + b" }, "pass"],
    ["file-contains", { path: "**/*.js", value: "Test it" }, "pass"],
    ["file-contains", { path: "**/*.js", value: "test it" }, "fail"],
    ["file-contains", { path: "**/*.js", value: "test it", case_sensitive: false }, "pass"],
    ["file-contains", { path: "sub.js", value: "a" }, "fail"],
    ["file-contains", { path: "leak.txt", value: "secret" }, "fail"],
    ["file-not-contains", { path: "add.js", value: "eval" }, "pass"],
    ["file-not-contains", { path: "add.js", value: "add" }, "fail"],
    ["file-not-contains", { path: "sub.js", value: "a" }, "pass"],
    ["file-matches", { path: "add.js", pattern: "^export" }, "pass"],
    ["file-matches", { path: "add.js", pattern: "^EXPORT", flags: "i" }, "pass"],
    ["file-matches", { path: "add.js", pattern: "^import" }, "fail"],
    ["file-not-matches", { path: "*.js", pattern: "^import" }, "pass"],
    ["file-not-matches", { path: "*.js", pattern: "^export" }, "fail"],
  ])("%s %j: %s", async (type, config, expected) => {
    const verdict = await runBuiltInGrader(type, config, { workspace });
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it.each([
    ["file-exists", { path: "add.js" }],
    ["file-not-exists", { path: "add.js" }],
    ["file-contains", { path: "add.js", value: "a" }],
    ["file-not-matches", { path: "add.js", pattern: "a" }],
  ])("%s ends in error without a workspace", async (type, config) => {
    const verdict = await runBuiltInGrader(type, config);
    expect(classifyVerdict(verdict)).toBe("error");
    expect(verdict.evidence).toContain("no workspace");
  });

  it("ends in error for a huge file", async () => {
    const folder = makeGradedFolder();
    writeFileSync(join(folder, "huge.bin"), Buffer.alloc(33 * 2 ** 20));
    expect(
      classifyVerdict(await runBuiltInGrader("file-contains", { path: "huge.bin", value: "x" }, { workspace: folder })),
    ).toBe("error");
    expect(classifyVerdict(await runBuiltInGrader("file-exists", { path: "huge.bin" }, { workspace: folder }))).toBe(
      "pass",
    );
    rmSync(folder, { recursive: true });
  });

  it.each([
    ["file-exists", { path: "../x" }, "must not leave the workspace"],
    ["file-exists", { path: "/etc/passwd" }, "relative"],
    ["file-exists", { paths: "x" }, 'Did you mean "path"?'],
    ["file-contains", { path: "x" }, "value is missing"],
    ["file-matches", { path: "x", pattern: "[" }, "not a regular expression"],
  ])("%s rejects %j", (type, config, words) => {
    expect(findConfigProblem(type, config)).toContain(words);
  });
});
