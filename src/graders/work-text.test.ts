import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { makeGraded, makeGradedFolder, makeTrajectory } from "./graded-testing.js";
import { cutMiddle, formatTranscript, MAX_PART_LENGTH, readWorkPart, selectDefaultParts } from "./work-text.js";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folder(files: Readonly<Record<string, string>>): string {
  const made = makeGradedFolder(files);
  folders.push(made);
  return made;
}

describe("cutMiddle", () => {
  it("keeps both ends, says how much is missing and splits no character", () => {
    expect(cutMiddle("abcdefgh", 4)).toBe("ab\n[… 4 characters left out …]\ngh");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), fc.integer({ min: 2, max: 40 }), (text, most) => {
        const cut = cutMiddle(text, most);
        const [start = "", end = ""] = cut.split(/\n\[… \d+ characters left out …\]\n/);
        if (text.length <= most) return cut === text;
        const missing = Number(/\[… (\d+) characters/.exec(cut)?.[1]);
        return (
          text.startsWith(start) &&
          text.endsWith(end) &&
          start.length + end.length + missing === text.length &&
          !/\p{Surrogate}/u.test(cut) &&
          start.length + end.length <= most + 1
        );
      }),
    );
  });
});

describe("formatTranscript", () => {
  it("lists what was said and done in order, with parts of a text joined", () => {
    const output = {
      trajectory: makeTrajectory(
        { type: "turn_start" },
        { type: "user_message", text: "Write it." },
        { type: "reasoning", text: "Easy." },
        { type: "assistant_message", text: "I will " },
        { type: "assistant_message", text: "list files." },
        { type: "tool_call", name: "Bash", callId: "1", arguments: { command: "ls" } },
        { type: "tool_result", callId: "1", success: false, result: "no such folder" },
        { type: "token_usage", model: "m", usage: { input: 1, output: 1 }, costUsd: null, durationMs: 1 },
        { type: "skill_activation", name: "test-writer" },
        { type: "error", message: "overloaded" },
      ),
    };
    expect(formatTranscript(output)).toBe(
      [
        "[user] Write it.",
        "[reasoning] Easy.",
        "[assistant] I will list files.",
        '[tool call] Bash {"command":"ls"}',
        "[tool result, failed] no such folder",
        "[skill] test-writer",
        "[error] overloaded",
      ].join("\n\n"),
    );
  });

  it("cuts a long step, and throws without a trajectory", () => {
    const long = { type: "tool_result", callId: "1", success: true, result: "x".repeat(10_000) };
    const text = formatTranscript({ trajectory: makeTrajectory(long, { type: "assistant_message", text: "Done." }) });
    expect(text).toContain("[… 6000 characters left out …]");
    expect(text).toContain("[assistant] Done.");
    expect(() => formatTranscript({})).toThrow("no trajectory");
  });
});

describe("readWorkPart", () => {
  it("shows the files of the folder, changed ones first", async () => {
    const workspace = folder({ "a.txt": "first", "src/b.txt": "second", "node_modules/m/index.js": "hidden" });
    writeFileSync(join(workspace, "c.bin"), Buffer.from([0, 1, 2]));
    const changes = [{ path: "src/b.txt", status: "added", content: "second" } as const];
    const text = await readWorkPart("workspace", makeGraded({ workspace, output: { workspace: { changes } } }));
    expect(text).toBe("==> src/b.txt\nsecond\n\n==> a.txt\nfirst\n\n==> c.bin\n[this is no text]");
    await expect(readWorkPart("workspace", makeGraded())).rejects.toThrow("no workspace");
  });

  it("lists files that do not fit, and cuts long ones", async () => {
    const names = Array.from({ length: 8 }, (_, index) => `f${index}.txt`);
    const workspace = folder(Object.fromEntries(names.map((name) => [name, name + "x".repeat(20_000)])));
    const text = await readWorkPart("workspace", makeGraded({ workspace }));
    expect(text).toContain("==> f0.txt\nf0.txtxxx");
    expect(text).toContain("characters left out");
    expect(text).toContain("[not shown: f5.txt, f6.txt, f7.txt]");
    expect(text.length).toBeLessThan(MAX_PART_LENGTH + 100);
  });

  it("shows the changes to the example's files, and says what is unknown", async () => {
    const example = {
      id: 1,
      question: "Change it.",
      environment: { files: [{ dest: "a.txt", content: "one\nold\n" }] },
    };
    const changes = [{ path: "a.txt", status: "modified", content: "one\nnew\n" } as const];
    const diff = await readWorkPart("diff", makeGraded({ example, output: { workspace: { changes } } }));
    expect(diff).toContain("-old\n+new");
    expect(diff).toContain(" one");
    const partly = { workspace: { changes, incomplete: "a file is too large" } };
    expect(await readWorkPart("diff", makeGraded({ example, output: partly }))).toContain(
      "[not all that was changed is known: a file is too large]",
    );
    await expect(readWorkPart("diff", makeGraded())).rejects.toThrow("does not say what was changed");
  });

  it("cuts a long answer, and selects the default parts", async () => {
    const text = await readWorkPart("response", makeGraded({ output: { response: "y".repeat(MAX_PART_LENGTH + 10) } }));
    expect(text).toContain("[… 10 characters left out …]");
    expect(selectDefaultParts({ response: "hi" })).toEqual(["response"]);
    expect(selectDefaultParts({ workspace: { changes: [] } })).toEqual(["response", "diff"]);
  });
});
