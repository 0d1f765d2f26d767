import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import { makeConfig } from "../testing/make-run.js";
import { TempProject } from "../testing/temp-project.js";
import { writeTestRun } from "./history/run-testing.js";
import { readManifest } from "./journal.js";
import { addTags, clearBaseline, LABELS_FILE, readLabels, removeTags, renameRun } from "./labels.js";
import { findBaseline, findNamedRuns, findRun } from "./run-folder.js";

/** Run folders of consecutive days, oldest first. */
function storeRuns(...names: string[]): { runsDir: string; dirs: string[] } {
  const space = new TempProject();
  const dirs = names.map((name, day) =>
    writeTestRun(space.path(name), { manifest: { createdAt: `2026-11-0${day + 1}T00:00:00.000Z` } }),
  );
  return { runsDir: space.dir, dirs };
}

function storeRun(): { runsDir: string; dir: string } {
  const { runsDir, dirs } = storeRuns("a");
  return { runsDir, dir: dirs[0] ?? "" };
}

describe("labels", () => {
  it("keep tags sorted and once, and the title that was given last", () => {
    const { runsDir, dir } = storeRun();
    addTags(dir, ["nightly", "good"], runsDir);
    addTags(dir, ["nightly"], runsDir);
    renameRun(dir, "first");
    renameRun(dir, "  second ");
    expect(readLabels(dir)).toEqual({ title: "second", tags: ["good", "nightly"] });
    expect(readManifest(dir).config.title).toBe("second");
    removeTags(dir, ["good", "never given"]);
    expect(readLabels(dir)).toEqual({ title: "second", tags: ["nightly"] });
  });

  it("are none for an old folder, and for a damaged or foreign file", () => {
    const { dir } = storeRun();
    const none = { title: null, tags: [] };
    expect(readLabels(dir)).toEqual(none);
    for (const text of ["{", "null", "[]", '"x"', '{"title":1,"tags":"x"}', '{"title":"","tags":[1,null]}']) {
      writeFileSync(join(dir, LABELS_FILE), text);
      expect(readLabels(dir)).toEqual(none);
      expect(readManifest(dir).config.title).toBe("test");
    }
  });

  it.each(["", " ", "a b", "-x", ".x", "a/b", "..", "é", "a,b", "x".repeat(65), "a\n", "latest"])(
    "reject the tag %j",
    (tag) => {
      const { runsDir, dir } = storeRun();
      expect(() => addTags(dir, ["fine", tag], runsDir)).toThrow(UsageError);
      expect(readLabels(dir).tags).toEqual([]);
    },
  );

  it.each(["", "  ", "latest", "two\nlines", "\u001b[31m", "x".repeat(201)])("reject the title %j", (title) => {
    const { dir } = storeRun();
    expect(() => renameRun(dir, title)).toThrow(UsageError);
  });

  it.skipIf(process.getuid?.() === 0)("say which folder cannot be written", () => {
    const { dir } = storeRun();
    chmodSync(dir, 0o500);
    expect(() => renameRun(dir, "x")).toThrow(`The labels of ${dir} cannot be written`);
    chmodSync(dir, 0o700);
  });
});

describe("the baseline", () => {
  it("is one run: setting it takes it from the others", () => {
    const { runsDir, dirs } = storeRuns("a", "b", "c");
    const [a = "", b = ""] = dirs;
    expect(findBaseline(runsDir)).toBeNull();
    addTags(b, ["baseline", "good"], runsDir);
    addTags(a, ["baseline"], runsDir);
    expect(findBaseline(runsDir)).toBe(a);
    expect(readLabels(b).tags).toEqual(["good"]);
    expect(findRun({ runsDir, name: "baseline" })).toBe(a);
    expect(clearBaseline(runsDir)).toEqual(["a"]);
    expect(() => findRun({ runsDir, name: "baseline" })).toThrow("assay baseline set RUN");
  });
});

describe("a name", () => {
  it("is a folder before a tag, and a tag before a title; the newest wins, with a note", () => {
    const { runsDir, dirs } = storeRuns("a", "b", "c");
    const [a = "", b = "", c = ""] = dirs;
    const notes: string[] = [];
    const find = (name: string) => findRun({ runsDir, name, onNote: (note) => notes.push(note) });
    expect(find("test")).toBe(c);
    expect(notes).toEqual(['3 runs have the title "test": using the newest, c.']);
    addTags(b, ["test", "a"], runsDir);
    expect(find("test")).toBe(b);
    expect(find("a")).toBe(a);
    renameRun(a, "my own words");
    expect(find("my own words")).toBe(a);
    expect(notes).toHaveLength(1);
    expect(findNamedRuns(runsDir, "test")).toEqual({ dirs: [b], by: "tag" });
  });

  it("that nothing has is answered with the closest id, tag or title", () => {
    const { runsDir, dirs } = storeRuns("20261101-101010-gsm8k", "b");
    addTags(dirs[1] ?? "", ["nightly"], runsDir);
    renameRun(dirs[1] ?? "", "prompt two");
    const find = (name: string) => () => findRun({ runsDir, name });
    expect(find("nigthly")).toThrow('Did you mean "nightly"? List the runs with assay runs');
    expect(find("Prompt too")).toThrow('Did you mean "prompt two"?');
    expect(find("20261101-101010-gms8k")).toThrow('Did you mean "20261101-101010-gsm8k"?');
    expect(find("something else entirely")).toThrow(/title\. List the runs/);
  });

  it("may be the beginning of an id with date and time, if only one run has it", () => {
    const { runsDir, dirs } = storeRuns("20261101-101010-gsm8k", "20261101-101011-a", "20261101-101011-a-2");
    const find = (name: string) => findRun({ runsDir, name });
    expect(find("20261101-101010")).toBe(dirs[0]);
    expect(find("20261101-101010-gs")).toBe(dirs[0]);
    expect(find("20261101-101011-a")).toBe(dirs[1]);
    expect(() => find("20261101-101011")).toThrow(
      'The ids of 2 runs begin with "20261101-101011": 20261101-101011-a-2, 20261101-101011-a. Pass a whole id.',
    );
    expect(() => find("20261101")).toThrow("There is no run folder 20261101");
  });

  it("with line breaks is found as lists show it", () => {
    const space = new TempProject();
    const dir = writeTestRun(space.path("a"), { manifest: { config: makeConfig({ title: "two\nlines" }) } });
    expect(findRun({ runsDir: space.dir, name: "two lines" })).toBe(dir);
  });

  it("of a folder that is not a run loses to a tag", () => {
    const { runsDir, dirs } = storeRuns("a");
    mkdirSync(join(runsDir, "other"));
    expect(findRun({ runsDir, name: "other" })).toBe(join(runsDir, "other"));
    addTags(dirs[0] ?? "", ["other"], runsDir);
    expect(findRun({ runsDir, name: "other" })).toBe(dirs[0]);
  });
});
