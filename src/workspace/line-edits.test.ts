import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { startCpuTime } from "../../test/cpu-time.js";
import { lacks } from "../../test/system-command.js";
import { diffOf } from "./diff.js";
import { lineEdits } from "./line-edits.js";
import { put, testFolder } from "./workspace-testing.js";

const lines = fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 12 });

/** The length of the longest common subsequence, by trying everything. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  const table = a.map(() => b.map(() => 0));
  for (let i = 0; i < a.length; i++) {
    for (let j = 0; j < b.length; j++) {
      const [above, left, corner] = [table[i - 1]?.[j] ?? 0, table[i]?.[j - 1] ?? 0, table[i - 1]?.[j - 1] ?? 0];
      (table[i] as number[])[j] = a[i] === b[j] ? corner + 1 : Math.max(above, left);
    }
  }
  return table.at(-1)?.at(-1) ?? 0;
}

describe("lineEdits", () => {
  it("leads from one to the other, by the shortest way", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const edits = lineEdits(before, after);
        expect(edits.filter(({ sign }) => sign !== "+").map(({ line }) => line)).toEqual(before);
        expect(edits.filter(({ sign }) => sign !== "-").map(({ line }) => line)).toEqual(after);
        expect(edits.filter(({ sign }) => sign === " ")).toHaveLength(longestCommon(before, after));
      }),
      { numRuns: 500 },
    );
  });

  it("gives up on what has nothing in common, in good time", () => {
    const before = Array.from({ length: 20_000 }, (_, i) => `a${i}`);
    const after = Array.from({ length: 20_000 }, (_, i) => `b${i}`);
    const cpuMs = startCpuTime();
    expect(lineEdits(before, after)).toHaveLength(40_000);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe("diffOf", () => {
  const folder = testFolder();
  const text = fc
    .tuple(fc.array(fc.constantFrom("a", "b", "c", "d e", ""), { maxLength: 30 }), fc.boolean())
    .map(([all, ends]) => all.join("\n") + (ends ? "\n" : ""));

  it.skipIf(lacks("git"))("is a diff that git applies", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after && before !== "" && after !== "");
        put(folder.path, "f.txt", before);
        const changes = [{ path: "f.txt", status: "modified" as const, content: after }];
        put(folder.path, "f.diff", diffOf({ changes }, () => before).replace(/^new mode.*\n/m, ""));
        execFileSync("git", ["apply", "f.diff"], { cwd: folder.path, stdio: "pipe" });
        expect(readFileSync(join(folder.path, "f.txt"), "utf8")).toBe(after);
      }),
      { numRuns: 40 },
    );
  });

  it("shows what was added, deleted, linked, and what is no text", () => {
    const diff = diffOf(
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

  it("says when it leaves something out", () => {
    const changes = [
      { path: "a", status: "added" as const, content: "x\n".repeat(2 ** 20) },
      { path: "b", status: "added" as const, content: "y\n" },
    ];
    const diff = diffOf({ changes }, undefined);
    expect(diff).toContain("+y\n(Too long, and left out: 1 of 2 files.)");
    expect(diff).not.toContain("+x");
  });
});
