import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { isCommandMissing } from "../../testing/system-command.js";
import { chooseOmissions, isLikelyHarmless, listOmissions } from "./omissions.js";

import { applyGitPatch, createFolder, createPatch, type OracleFiles } from "./oracle-testing.js";

type Change = (folder: string) => Promise<void>;

/** The text of a file after a patch and another change; null when there is none. */
async function patched(before: OracleFiles, patch: string, path: string, change?: Change): Promise<string | null> {
  const folder = createFolder(before);
  try {
    applyGitPatch(folder, patch);
    await change?.(folder);
    return readFileSync(join(folder, path), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each omission leaves of a file. */
function leftBy(before: OracleFiles, patch: string, path: string) {
  const { all } = listOmissions(patch);
  return Promise.all(
    all.map(async (one) => [`${one.kind} ${one.text}`, await patched(before, patch, path, one.undoIn)]),
  );
}

const FROM = { "a.txt": "one\ntwo\nthree\n" };

const hasNoGit = isCommandMissing("git");

describe.skipIf(hasNoGit)("listOmissions", () => {
  it("leaves out an added line, or keeps a removed one", async () => {
    const patch = createPatch(FROM, { "a.txt": "one\nTWO\nthree\nfour\n" });
    expect(await leftBy(FROM, patch, "a.txt")).toEqual([
      ["kept two", "one\ntwo\nTWO\nthree\nfour\n"],
      ["left out TWO", "one\nthree\nfour\n"],
      ["left out four", "one\nTWO\nthree\n"],
    ]);
  });

  it("reports line numbers in the file and in the patch", () => {
    const patch = createPatch(FROM, { "a.txt": "one\nthree\nfour\n" });
    const lines = patch.split("\n");
    const [removed, added] = listOmissions(patch).all;
    expect(removed).toMatchObject({ path: "a.txt", line: 2, kind: "kept", text: "two" });
    expect(added).toMatchObject({ path: "a.txt", line: 3, kind: "left out", text: "four" });
    expect(lines[(removed?.patchLine ?? 0) - 1]).toBe("-two");
    expect(lines[(added?.patchLine ?? 0) - 1]).toBe("+four");
  });

  it("ignores context lines", () => {
    const patch = createPatch(FROM, { "a.txt": "one\ntwo\nthree!\n" });
    expect(listOmissions(patch).all.map(({ text }) => text)).toEqual(["three", "three!"]);
  });

  it("empties a new file of one line without removing it", async () => {
    const patch = createPatch({}, { "new.txt": "only\n" });
    expect(await leftBy({}, patch, "new.txt")).toEqual([["left out only", ""]]);
  });

  it("keeps one line of a deleted file", async () => {
    const before = { "gone.txt": "one\ntwo\n", "other.txt": "x\n" };
    const patch = createPatch(before, { "other.txt": "x\n" });
    expect(await patched(before, patch, "gone.txt")).toBeNull();
    expect(await leftBy(before, patch, "gone.txt")).toEqual([
      ["kept one", "one\n"],
      ["kept two", "two\n"],
    ]);
  });

  it("keeps the only line of a deleted file", async () => {
    const before = { "gone.txt": "one\n" };
    expect(await leftBy(before, createPatch(before, {}), "gone.txt")).toEqual([["kept one", "one\n"]]);
  });

  it("preserves CRLF line ends", async () => {
    const before = { "a.txt": "one\r\ntwo\r\n" };
    const patch = createPatch(before, { "a.txt": "one\r\nTWO\r\nthree\r\n" });
    expect(await leftBy(before, patch, "a.txt")).toEqual([
      ["kept two", "one\r\ntwo\r\nTWO\r\nthree\r\n"],
      ["left out TWO", "one\r\nthree\r\n"],
      ["left out three", "one\r\nTWO\r\n"],
    ]);
  });

  it("handles files without a final line break", async () => {
    const before = { "a.txt": "one\ntwo" };
    const patch = createPatch(before, { "a.txt": "one\nTWO" });
    expect(await leftBy(before, patch, "a.txt")).toEqual([
      ["kept two", "one\ntwo\nTWO"],
      ["left out TWO", "one\n"],
    ]);
  });

  it("finds the right one of several equal lines, in each of several hunks", async () => {
    const alike = (from: number, to: number) => "x\n".repeat(to - from);
    const before = { "a.txt": alike(0, 30) };
    const patch = createPatch(before, { "a.txt": `${alike(0, 5)}A\nB\n${alike(5, 20)}C\n${alike(20, 30)}` });
    expect(patch.match(/^@@/gm)).toHaveLength(2);
    expect(await leftBy(before, patch, "a.txt")).toEqual([
      ["left out A", `${alike(0, 5)}B\n${alike(5, 20)}C\n${alike(20, 30)}`],
      ["left out B", `${alike(0, 5)}A\n${alike(5, 20)}C\n${alike(20, 30)}`],
      ["left out C", `${alike(0, 5)}A\nB\n${alike(5, 30)}`],
    ]);
  });

  it("applies everything else: renames, modes, binary contents, other files", async () => {
    const body = Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join("");
    const before = { "old.txt": body, "b.bin": Buffer.from([0, 1, 2]), "c.txt": "c\n" };
    const after = { "new.txt": body.replace("line 3\n", "line three\n"), "b.bin": Buffer.from([0, 9]), "c.txt": "C\n" };
    const patch = createPatch(before, after, "-M");
    expect(patch).toContain("rename to");
    const { all, whole } = listOmissions(patch);
    expect(whole).toEqual(["b.bin"]);
    const left = all.find(({ text }) => text === "line three");
    expect(left?.path).toBe("new.txt");
    const undone = (path: string) => patched(before, patch, path, left?.undoIn);
    expect(await undone("new.txt")).toBe(body.replace("line 3\n", ""));
    expect(await undone("c.txt")).toBe("C\n");
    expect(await undone("b.bin")).toBe("\0\t");
  });

  it("reads patches of other tools and from mails", async () => {
    const plain = "--- a/a.txt\t2024-01-01\n+++ b/a.txt\t2024-01-02\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n";
    expect(await leftBy(FROM, plain, "a.txt")).toEqual([
      ["kept two", "one\ntwo\n2\nthree\n"],
      ["left out 2", "one\nthree\n"],
    ]);
    const made = "--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+only\n";
    expect(await leftBy({}, made, "new.txt")).toEqual([["left out only", ""]]);
    const git = createPatch(FROM, { "a.txt": "one\ntwo\n" });
    const mail = `From 1 Mon\nSubject: change\n\n--- \n a.txt | 1 -\n\n${git}-- \n2.39.5\n`;
    expect(await leftBy(FROM, mail, "a.txt")).toEqual([["kept three", FROM["a.txt"]]]);
  });

  it("is not misled by lines that look like parts of a patch", async () => {
    const before = { "a.sql": "-- a\n++ b\n@@ -1 +1 @@\nend\n" };
    const patch = createPatch(before, { "a.sql": "end\n-- a\n" });
    expect(listOmissions(patch).all.map(({ text }) => text)).toEqual(["-- a", "++ b", "@@ -1 +1 @@", "-- a"]);
    expect((await leftBy(before, patch, "a.sql"))[1]).toEqual(["kept ++ b", "++ b\nend\n-- a\n"]);
  });

  it("does not split links", () => {
    const link =
      "diff --git a/l b/l\nnew file mode 120000\nindex 0000000..1de5659\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n\\ No newline at end of file\n";
    expect(listOmissions(link)).toEqual({ all: [], whole: ["l"] });
  });

  it("names files without prefixes", async () => {
    const patch = createPatch({}, { "süß/a b.txt": "x\n" });
    expect(listOmissions(patch).all[0]?.path).toBe("süß/a b.txt");
    expect(await leftBy({}, patch, "süß/a b.txt")).toEqual([["left out x", ""]]);
  });

  it("chooses omissions from all over the patch, relevant ones first", () => {
    const lines = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? `x${i}` : "")).join("\n");
    const { all } = listOmissions(createPatch({}, { "a.txt": `${lines}\n` }));
    expect(all).toHaveLength(40);
    expect(chooseOmissions(all, 4).map(({ text }) => text)).toEqual(["x0", "x10", "x20", "x30"]);
    expect(chooseOmissions(all, 22).filter((one) => one.looksHarmless)).toHaveLength(2);
    expect(chooseOmissions(all, 100)).toEqual(all);
    expect(chooseOmissions(all, 0)).toEqual([]);
  });
});

const someLine = fc.constantFrom("a", "b", "c", "", "  x", "+p", "-m", "@@ -1 +1 @@", "\\ y", "--- n", "+++ n");
const someEdit = fc.constantFrom("keep", "keep", "keep", "keep", "keep", "remove", "add");
/** A text before and after, line by line, with hunks that are close together and far apart. */
const someChange = fc
  .tuple(
    fc.array(fc.tuple(someLine, fc.constantFrom("\n", "\n", "\r\n"), someEdit), { maxLength: 40 }),
    fc.boolean(),
    fc.boolean(),
  )
  .map(([lines, isBaseEnded, isGoldenEnded]) => {
    const side = (other: string) =>
      lines.flatMap(([text, end, edit]) => (edit === other ? [] : [`${text}${end}`])).join("");
    const cut = (text: string, isEnded: boolean) => (isEnded ? text : text.replace(/\r?\n$/, ""));
    return [cut(side("add"), isBaseEnded), cut(side("remove"), isGoldenEnded)] as const;
  });

/** With line ends, so that only the last line may lack one. */
function split(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** The golden lines with one reverted, found by counting in the patch alone; only the last may lack a line break. */
function expected(base: string, golden: string, patch: string, patchLine: number): string {
  const [from, to] = [split(base), split(golden)];
  const headLines = patch.slice(0, patch.indexOf("\n@@ ") + 1).split("\n").length - 1;
  let [old, now] = [0, 0];
  for (const [index, line] of patch
    .slice(patch.indexOf("\n@@ ") + 1)
    .split("\n")
    .entries()) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (header !== null) {
      old = Number(header[1]) - (header[2] === "0" ? 0 : 1);
      now = Number(header[3]) - (header[4] === "0" ? 0 : 1);
      continue;
    }
    if (headLines + index + 1 === patchLine) {
      if (line.startsWith("+")) to.splice(now, 1);
      else to.splice(now, 0, from[old] ?? "?");
      return to.map((each, i) => (i < to.length - 1 && !each.endsWith("\n") ? `${each}\n` : each)).join("");
    }
    if (line.startsWith("-")) old += 1;
    else if (line.startsWith("+")) now += 1;
    else if (line.startsWith(" ")) [old, now] = [old + 1, now + 1];
  }
  throw new Error(`no line ${patchLine}`);
}

describe.skipIf(hasNoGit)("any omission of any patch", () => {
  it("leaves the golden text with that one line reverted", async () => {
    const folder = createFolder({});
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const flags = fc.constantFrom("-U3", "-U1", "-U8");
    await fc.assert(
      fc.asyncProperty(someChange, flags, async ([base, golden], context) => {
        fc.pre(base !== golden);
        const patch = createPatch({ f: base }, { f: golden }, context);
        const { all } = listOmissions(patch);
        expect(all.length).toBe(changedLines(patch));
        for (const one of all) {
          writeFileSync(join(folder, "f"), golden);
          await one.undoIn(folder);
          expect(readFileSync(join(folder, "f"), "utf8")).toBe(expected(base, golden, patch, one.patchLine));
        }
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});

/** By the numbers in the headers. */
function changedLines(patch: string): number {
  let [left, count] = [0, 0];
  let [before, after] = [0, 0];
  for (const line of patch.split("\n")) {
    const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (left === 0 && header !== null) {
      [before, after] = [Number(header[1] ?? 1), Number(header[2] ?? 1)];
      left = before + after;
    } else if (left > 0 && !line.startsWith("\\")) {
      if (line.startsWith(" ")) left -= 2;
      else [left, count] = [left - 1, count + 1];
    }
  }
  return count;
}

describe("isLikelyHarmless", () => {
  it.each([
    ["a.ts", "   "],
    ["a.ts", "  // why"],
    ["a.ts", " * more"],
    ["a.ts", "/* all of it */"],
    ["a.py", "# why"],
    ["Makefile", "# why"],
    ["q.sql", "-- why"],
    ["p.html", "<!-- why -->"],
  ])("accepts %s: %s", (path, line) => expect(isLikelyHarmless(path, line)).toBe(true));

  it.each([
    ["a.ts", "return 1; // why"],
    ["a.ts", "/* why */ return 1;"],
    ["a.css", "* { margin: 0 }"],
    ["a.sh", "#!/bin/sh"],
    ["a.c", "#include <x.h>"],
    ["README.md", "# Title"],
    ["a.txt", "// text"],
    ["p.html", "<!-- why --><b>"],
  ])("rejects %s: %s", (path, line) => expect(isLikelyHarmless(path, line)).toBe(false));
});
