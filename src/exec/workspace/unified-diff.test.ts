import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { isCommandMissing } from "../../testing/system-command.js";
import { formatDiff, formatHunks } from "./diff.js";

import { createTestFolder, writeTestFile } from "./workspace-testing.js";

describe("formatHunks", () => {
  it("stops early for texts with nothing in common", () => {
    const write = (name: string) => Array.from({ length: 20_000 }, (_, i) => `${name}${i}\n`).join("");
    const cpuMs = startCpuTimer();
    const hunks = formatHunks(`same\n${write("a")}end\n`, `same\n${write("b")}end\n`).split("\n");
    expect(hunks).toHaveLength(40_004);
    expect(hunks[0]).toBe("@@ -1,20002 +1,20002 @@");
    expect(hunks.filter((line) => /^[-+]/.test(line))).toHaveLength(40_000);
    expect(cpuMs()).toBeLessThan(10_000);
  });

  it("shows the lines around a long replaced part, and no others", () => {
    const same = (count: number) => "x\n".repeat(count);
    const write = (name: string) => Array.from({ length: 600 }, (_, i) => `${name}${i}\n`).join("");
    const hunks = formatHunks(`${same(50)}${write("a")}${same(50)}`, `${same(50)}${write("b")}${same(50)}`);
    expect(hunks).toMatch(/^@@ -48,606 \+48,606 @@\n x\n x\n x\n-a0\n/);
    expect(hunks).toMatch(/\n\+b599\n x\n x\n x\n$/);
  });
});

describe("formatDiff", () => {
  const folder = createTestFolder();
  const text = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", "d e", ""), { maxLength: 30 }), fc.boolean())
    .map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));

  it.skipIf(isCommandMissing("git"))("can be applied by git", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== "" && after !== "");
        writeTestFile(folder.path, "f.txt", before);
        const changes = [{ path: "f.txt", status: "modified" as const, content: after }];
        writeTestFile(folder.path, "f.diff", formatDiff({ changes }, () => before).replace(/^new mode.*\n/m, ""));
        execFileSync("git", ["apply", "f.diff"], { cwd: folder.path, stdio: "pipe" });
        expect(readFileSync(join(folder.path, "f.txt"), "utf8")).toBe(after);
      }),
      { numRuns: 40 },
    );
  });

  it("shows added, deleted, linked and binary files", () => {
    const diff = formatDiff(
      {
        changes: [
          { path: "bin", status: "modified", content: "//4=", encoding: "base64" },
          { path: "gone", status: "deleted" },
          { path: "link", status: "linked", target: "gone" },
          { path: "new", status: "added", content: "x", executable: true },
        ],
      },
      { files: [{ dest: "./gone", content: "was\n" }] },
    );
    expect(diff).toBe(`diff --git a/bin b/bin
new mode 100644
Binary files a/bin and b/bin differ
diff --git a/gone b/gone
deleted file
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-was
diff --git a/link b/link
new mode 120000
--- a/link
+++ b/link
@@ -0,0 +1 @@
+gone
\\ No newline at end of file
diff --git a/new b/new
new file mode 100755
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+x
\\ No newline at end of file
`);
  });

  it("reports what it leaves out", () => {
    const changes = [
      { path: "a", status: "added" as const, content: "x\n".repeat(2 ** 20) },
      { path: "b", status: "added" as const, content: "y\n" },
    ];
    const diff = formatDiff({ changes }, undefined);
    expect(diff).toContain("+y\n(Too long, and left out: 1 of 2 files.)");
    expect(diff).not.toContain("+x");
  });
});
