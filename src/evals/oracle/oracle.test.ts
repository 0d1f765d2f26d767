import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UsageError } from "../../core/errors.js";
import { Registry } from "../../core/registry.js";
import { lacksBoxes } from "../../testing/boxes.js";
import { isCommandMissing } from "../../testing/system-command.js";
import { runOracle } from "./oracle.js";
import {
  createFolder,
  createOracleTask,
  createPatch,
  createShellGrader,
  type OracleTaskParts,
} from "./oracle-testing.js";
import { type CheckedStimulus, isSurvivor, type StimulusCheck, type UncheckedStimulus } from "./result.js";

const BROKEN = { "add.mjs": "export function add(a, b) {\n  return a - b;\n}\n" };
const FIXED = {
  "add.mjs":
    'export function add(a, b) {\n  // Texts would be joined.\n  if (typeof a !== "number") throw new TypeError("a");\n  return a + b;\n}\n',
};
const hasNoGit = isCommandMissing("git");
const PATCH = hasNoGit ? "" : createPatch(BROKEN, FIXED);
const WEAK = 'import { add } from "./add.mjs";\nprocess.exit(add(1, 2) === 3 ? 0 : 1);\n';
const STRONG = `import { add } from "./add.mjs";
import assert from "node:assert";
import { readFileSync } from "node:fs";
assert.equal(add(1, 2), 3);
assert.throws(() => add("1", 2), TypeError);
assert.match(readFileSync("add.mjs", "utf8"), /joined/);
assert.doesNotMatch(readFileSync("add.mjs", "utf8"), /a - b/);
`;

function runsTest(content: string) {
  return { type: "run-command", config: { command: "node test.mjs", files: [{ dest: "test.mjs", content }] } };
}

async function check(parts: OracleTaskParts, options: Parameters<typeof runOracle>[1] = {}): Promise<StimulusCheck> {
  const [found] = await runOracle([createOracleTask(parts)], options);
  if (found === undefined) throw new Error("nothing was checked");
  return found;
}

async function checked(
  parts: OracleTaskParts,
  options: Parameters<typeof runOracle>[1] = {},
): Promise<CheckedStimulus> {
  const found = await check(parts, options);
  if (found.status === "unchecked") throw new Error(found.why);
  return found;
}

async function unchecked(parts: OracleTaskParts): Promise<UncheckedStimulus> {
  const found = await check(parts);
  if (found.status !== "unchecked") throw new Error("it was checked");
  return found;
}

/** Checks the text of the golden code and runs nothing. */
const LOOKS = { type: "file-contains", config: { path: "add.mjs", value: "a + b" } };

// A separate temporary folder, so that leftovers can be seen.
let tmp = "";
beforeEach(() => {
  tmp = mkdtempSync(join(tmpdir(), "assay-oracle-tmp-"));
  vi.stubEnv("TMPDIR", tmp);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(tmp, { recursive: true, force: true });
});

function leftFolders(): string[] {
  return readdirSync(tmp).filter((name) => !name.startsWith("assay-oracle-test-"));
}

describe.skipIf(hasNoGit)("runOracle", () => {
  it("reports sound graders, which fail the untouched state, pass the golden one and notice each line", async () => {
    const found = await checked({ files: BROKEN, patch: PATCH, graders: [runsTest(STRONG)] });
    expect(found).toMatchObject({
      status: "sound",
      untouched: { outcome: "fail" },
      golden: { outcome: "pass" },
      omissions: { found: 4, tried: 4, caught: 4, survived: 0, harmless: 0, failed: 0, uncaught: [] },
    });
  });

  it("finds lines that weak graders miss, and tells comments apart", async () => {
    const { omissions, status } = await checked({ files: BROKEN, patch: PATCH, graders: [runsTest(WEAK)] });
    expect(status).toBe("sound");
    expect(omissions).toMatchObject({ tried: 4, caught: 2, survived: 1, harmless: 1 });
    const [survivor] = omissions?.uncaught.filter(isSurvivor) ?? [];
    expect(survivor).toMatchObject({ kind: "left out", path: "add.mjs", line: 3, outcome: "survived" });
    expect(survivor?.text).toContain("throw new TypeError");
    expect(survivor?.evidence["run-command"]).toContain("exited with code 0");
    expect(omissions?.uncaught.find((one) => one.looksHarmless)?.text).toContain("Texts would be joined");
  });

  it("reports when the untouched state passes, and then tries no omissions", async () => {
    const found = await checked({ files: BROKEN, patch: PATCH, graders: [createShellGrader("test -f add.mjs")] });
    expect(found).toMatchObject({ status: "unsound", untouched: { outcome: "pass" }, golden: { outcome: "pass" } });
    expect(found.omissions).toBeNull();
  });

  it("reports when and why the golden state fails", async () => {
    const found = await checked({ files: BROKEN, patch: PATCH, graders: [createShellGrader("echo never; false")] });
    expect(found).toMatchObject({ status: "unsound", untouched: { outcome: "fail" }, golden: { outcome: "fail" } });
    expect(found.golden.evidence["run-command"]).toContain("stdout: never");
    expect(found.omissions).toBeNull();
  });

  it("shows git's message for a patch that does not apply", async () => {
    const found = await checked({
      files: { "add.mjs": "other\n" },
      patch: PATCH,
      graders: [createShellGrader("false")],
    });
    expect(found).toMatchObject({ status: "unsound", golden: { outcome: "error" }, untouched: { outcome: "fail" } });
    expect(found.golden.reason).toContain(
      "The golden patch does not apply: git apply failed: error: patch failed: add.mjs:1",
    );
  });

  it("accepts a patch without a final line break, and rejects a damaged one", async () => {
    const graders = [LOOKS];
    expect((await checked({ files: BROKEN, patch: PATCH.trimEnd(), graders })).status).toBe("sound");
    const found = await checked({ files: BROKEN, patch: PATCH.slice(0, 160), graders });
    expect(found.golden.reason).toMatch(/git apply failed: error: corrupt patch/);
  });

  it("creates and deletes files, also in folders, and grades the changes", async () => {
    const before = { "old/a.txt": "a\n", "b.txt": "b\n" };
    const patch = createPatch(before, { "b.txt": "b\n", "new/deep/c.txt": "c\n" });
    const graders = [
      { type: "file-not-exists", config: { path: "old/a.txt" } },
      { type: "file-contains", config: { path: "new/deep/c.txt", value: "c" } },
      { type: "diff-contains", config: { value: "c", path: "new/**" } },
      { type: "diff-empty", config: { path: "b.txt" } },
    ];
    const found = await checked({ files: before, patch, graders });
    expect(found).toMatchObject({ status: "sound", omissions: { tried: 2, caught: 2 } });
  });

  it("grades each state in its own folder", async () => {
    const graders = [createShellGrader("test ! -e seen && touch seen && grep -q 'a + b' add.mjs")];
    expect(await checked({ files: BROKEN, patch: PATCH, graders })).toMatchObject({
      status: "sound",
      omissions: { failed: 0, caught: 1 },
    });
  });

  it("leaves out graders that need an agent", async () => {
    const graders = [
      { type: "output-contains", config: { substring: "done" } },
      { type: "turn-count", config: { max: 3 } },
      { type: "all-of", config: { graders: [{ type: "file-exists", config: { path: "x" } }, { type: "completed" }] } },
      { ...LOOKS, name: "first", after_turn: 1 },
      { ...LOOKS, name: "sum" },
    ];
    const found = await checked({ files: BROKEN, patch: PATCH, graders }, { maxOmissions: 0 });
    expect(found.status).toBe("sound");
    expect(found.leftOut.map(({ grader }) => grader)).toEqual(["output-contains", "turn-count", "all-of", "first"]);
    expect(Object.keys(found.golden.evidence)).toEqual(["sum"]);
  });

  it("calls no grader that asks a model, and reports an unknown one", async () => {
    const registry = new Registry();
    const grade = vi.fn(() => ({ passed: true, evidence: "" }));
    registry.register("grader", "judge", { name: "judge", kind: "llm", seesWorkspaceOnly: true, grade });
    registry.register("grader", "mine", { name: "mine", grade });
    const graders = [{ type: "judge" }, { type: "mine" }, LOOKS];
    const found = await checked({ files: BROKEN, patch: PATCH, graders }, { registry, maxOmissions: 0 });
    expect(found.leftOut).toEqual([
      { grader: "judge", why: "needs a model" },
      { grader: "mine", why: "needs the agent's trajectory" },
    ]);
    expect(grade).not.toHaveBeenCalled();
  });

  it("applies the verdict rules to the graders left: weights, threshold, required", async () => {
    const half = { type: "file-contains", config: { path: "add.mjs", value: "export" }, weight: 3 };
    const lists = [
      [half, LOOKS],
      [half, { ...LOOKS, required: true }],
    ];
    const tasks = lists.map((graders) => createOracleTask({ files: BROKEN, patch: PATCH, graders, threshold: 0.7 }));
    const [lax, strict] = await runOracle(tasks, { maxOmissions: 0 });
    expect(lax).toMatchObject({ status: "unsound", untouched: { outcome: "pass" } });
    expect(strict).toMatchObject({ status: "sound" });
  });

  it("lets required graders without weight decide when the others are left out", async () => {
    const graders = [
      { type: "output-contains", config: { substring: "done" } },
      { ...LOOKS, required: true, weight: 0 },
    ];
    expect((await checked({ files: BROKEN, patch: PATCH, graders }, { maxOmissions: 0 })).status).toBe("sound");
  });

  it("reports a missing patch, no applicable grader, or a grader that cannot be created", async () => {
    const output = { type: "output-contains", config: { substring: "x" } };
    expect(await unchecked({ graders: [createShellGrader("true")] })).toMatchObject({ cause: "no-patch" });
    expect(await unchecked({ patch: PATCH, graders: [output] })).toMatchObject({
      cause: "no-grader",
      leftOut: [{ grader: "output-contains" }],
    });
    expect(
      await unchecked({ patch: PATCH, graders: [output, createShellGrader("true", { weight: 0 })] }),
    ).toMatchObject({
      cause: "no-grader",
    });
    const unknown = await unchecked({ patch: PATCH, graders: [{ type: "file-exist" }] });
    expect(unknown).toMatchObject({ cause: "error" });
    expect(unknown.why).toContain("file-exists");
  });

  it("reports a failed set-up and continues with the others", async () => {
    const failing = { files: [], commands: ["echo no network >&2; exit 7"] };
    const [bad, good] = await runOracle([
      createOracleTask({ name: "bad", environment: failing, patch: PATCH, graders: [createShellGrader("true")] }),
      createOracleTask({ name: "good", files: BROKEN, patch: PATCH, graders: [LOOKS] }),
    ]);
    expect(bad).toMatchObject({ status: "unchecked", cause: "error" });
    expect((bad as UncheckedStimulus).why).toContain("no network");
    expect(good).toMatchObject({ status: "sound" });
  });

  it("runs set-up commands once, also in a repository, and leaves nothing behind", async () => {
    const log = join(createFolder({}), "log");
    const commands = [`echo set up >> ${log}`, "chmod +x run.sh", "git init -q && git add . && git commit -qm base"];
    const files = [
      { dest: "add.mjs", content: BROKEN["add.mjs"] },
      { dest: "run.sh", content: "#!/bin/sh\ngrep -q 'a + b' add.mjs && git diff --stat | grep -q '1 file changed'\n" },
    ];
    const found = await checked({
      environment: { files, commands },
      patch: PATCH,
      graders: [createShellGrader("./run.sh")],
    });
    expect(found).toMatchObject({ status: "sound", notes: [], omissions: { tried: 4, survived: 2 } });
    expect(readFileSync(log, "utf8")).toBe("set up\n");
    expect(leftFolders()).toEqual([]);
  });

  it("sets up each state separately where a copy does not pass", async () => {
    const environment = { files: [{ dest: "add.mjs", content: BROKEN["add.mjs"] }], commands: ["pwd > place"] };
    const graders = [createShellGrader('test "$(cat place)" = "$(pwd)" && grep -q "a + b" add.mjs')];
    const found = await checked({ environment, patch: PATCH, graders });
    expect(found).toMatchObject({ status: "sound", omissions: { tried: 4, failed: 0 } });
    expect(found.notes).toEqual(["a copy of its folder does not pass: each state is set up separately"]);
  });

  it("tries at most the given number of lines, and reports how many are left", async () => {
    const found = await checked({ files: BROKEN, patch: PATCH, graders: [LOOKS] }, { maxOmissions: 2 });
    expect(found.omissions).toMatchObject({ found: 4, tried: 2 });
    expect(found.notes[0]).toContain("2 of the 4 lines");
    await expect(runOracle([], { workers: 0 })).rejects.toThrow(UsageError);
  });

  it("grades at most as many folders at a time as there are workers", async () => {
    const log = join(createFolder({}), "log");
    const graders = [createShellGrader(`echo in >> ${log}; sleep 0.1; echo out >> ${log}; grep -q 'a + b' add.mjs`)];
    const tasks = ["one", "two", "three"].map((name) =>
      createOracleTask({ name, files: BROKEN, patch: PATCH, graders }),
    );
    await runOracle(tasks, { workers: 3, maxOmissions: 1 });
    let [now, most] = [0, 0];
    for (const line of readFileSync(log, "utf8").trim().split("\n")) {
      now += line === "in" ? 1 : -1;
      most = Math.max(most, now);
    }
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(3);
  });

  it("reports progress", async () => {
    const told: unknown[] = [];
    await runOracle([createOracleTask({ files: BROKEN, patch: PATCH, graders: [LOOKS] })], {
      onProgress: (progress) => told.push(progress),
    });
    expect(told.at(-1)).toEqual({ done: 6, planned: 6, survived: 2, finished: 1, stimuli: 1 });
  });

  it("leaves no folder and no process behind when it is stopped", async () => {
    const started = join(createFolder({}), "started");
    const controller = new AbortController();
    const graders = [createShellGrader(`echo $$ > ${started}; exec sleep 60`)];
    const environment = { files: [{ dest: "add.mjs", content: BROKEN["add.mjs"] }], commands: ["true"] };
    const tasks = ["one", "two"].map((name) => createOracleTask({ name, environment, patch: PATCH, graders }));
    const running = runOracle(tasks, { signal: controller.signal, workers: 1 });
    await vi.waitUntil(() => existsSync(started) && readFileSync(started, "utf8").endsWith("\n"), { timeout: 120_000 });
    controller.abort();
    const found = await running;
    expect(found.map((each) => each.status === "unchecked" && each.cause)).toEqual(["interrupted", "interrupted"]);
    expect(() => process.kill(Number(readFileSync(started, "utf8")), 0)).toThrow("ESRCH");
    expect(leftFolders()).toEqual([]);
  });
});

describe.skipIf(hasNoGit || (await lacksBoxes()))("with a box", () => {
  it("sets up and grades every state in it", async () => {
    const isBoxed = "test ! -e /var/log";
    const found = await checked(
      {
        files: BROKEN,
        patch: PATCH,
        environment: { commands: [`${isBoxed} && touch boxed.txt`] },
        graders: [
          runsTest(STRONG),
          { type: "run-command", name: "boxed", config: { command: `${isBoxed} && test -e boxed.txt` } },
        ],
      },
      { box: { isolation: "box" }, maxOmissions: 1 },
    );
    expect(found).toMatchObject({ status: "sound", notes: expect.not.arrayContaining([/set up separately/]) });
    expect(found.untouched.evidence.boxed).toMatch(/exited with code 0/);
  });
});
