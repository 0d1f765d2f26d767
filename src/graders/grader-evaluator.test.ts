import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Grader } from "../core/grader.js";
import { Registry } from "../core/registry.js";
import type { Output } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { getWorkspaceState, Workspace } from "../exec/workspace/index.js";
import { isCommandMissing } from "../testing/system-command.js";
import { makeGradedFolder } from "./graded-testing.js";
import { checkGraders, GraderError, GraderEvaluator } from "./index.js";

const HI = { type: "output-contains", config: { substring: "hi" } };
const FILE = { type: "file-exists", config: { path: "a.txt" } };
const COMMAND = { type: "run-command", config: { command: "true" } };

function example(graders: unknown, more: object = {}): Example {
  return { id: 7, question: "Do it.", graders, ...more };
}

async function scored(one: Example, output: Output, evaluator = new GraderEvaluator()): Promise<ScoredWithEvidence> {
  return (await evaluator.score(one, output)) as ScoredWithEvidence;
}

let folder: string;
let formerTmp: string | undefined;
beforeAll(() => {
  folder = makeGradedFolder({ "a.txt": "hello" });
  formerTmp = process.env.TMPDIR;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("GraderEvaluator", () => {
  it("scores the verdict, the weighted score and each grader", async () => {
    const graders = [HI, { ...HI, name: "named", config: { substring: "ho" }, weight: 3 }, HI];
    const { scores, evidence } = await scored(example(graders), { response: "hi" });
    expect(scores).toEqual({ verdict: 0, weighted_score: 0.4, "output-contains": 1, named: 0, "output-contains-2": 1 });
    expect(evidence?.verdict).toBe("not passed; failed graders: named");
    expect(evidence?.named).toContain('does not contain "ho"');
  });

  it("applies the example's threshold and required graders", async () => {
    const graders = [HI, { ...HI, name: "ho", config: { substring: "ho" } }];
    const hi = { response: "hi" };
    expect((await scored(example(graders, { threshold: 0.5 }), hi)).scores.verdict).toBe(1);
    expect((await scored(example(graders, { threshold: 0.6 }), hi)).scores.verdict).toBe(0);
    const [first, second] = graders;
    const required = [first, { ...second, required: true }];
    const failed = await scored(example(required, { threshold: 0.5 }), hi);
    expect(failed.scores.verdict).toBe(0);
    expect(failed.evidence?.verdict).toBe("not passed: score 0.5, threshold 0.5; failed graders: ho (required)");
  });

  it("leaves unscored only what a grader in error would decide", async () => {
    const undecided = await scored(example([HI, FILE]), { response: "hi" });
    expect(undecided.scores).toEqual({ weighted_score: 1, "output-contains": 1 });
    expect(undecided.unscored).toMatchObject({
      verdict: "it depends on graders that could not decide: file-exists",
      "file-exists": "there is no workspace to look at",
    });
    const decided = await scored(example([HI, FILE]), { response: "no" });
    expect(decided.scores).toEqual({ verdict: 0, weighted_score: 0, "output-contains": 0 });
    const nobody = await scored(example([FILE]), {});
    expect(nobody.scores).toEqual({});
    expect(Object.keys(nobody.unscored ?? {})).toEqual(["verdict", "weighted_score", "file-exists"]);
  });

  it("leaves the trials of an example without graders unscored", async () => {
    const none = await scored(example([]), { response: "hi" });
    expect(none.scores).toEqual({});
    expect(Object.keys(none.unscored ?? {})).toContain("verdict");
    expect(new GraderEvaluator().canWatch(example([]))).toBe(false);
  });

  it("never uses a field name that would override the verdict", async () => {
    const graders = ["score", "verdict", "weighted_score", "__proto__"].map((name) => ({ ...HI, name }));
    const { scores } = await scored(example(graders), { response: "hi" });
    expect(Object.keys(scores).sort()).toEqual(
      ["__proto__-2", "score-2", "verdict", "verdict-2", "weighted_score", "weighted_score-2"].sort(),
    );
  });

  it("reads the existing folder before any command runs in it", async () => {
    const graders = [
      { type: "run-command", config: { command: "touch left; echo $HOME > home" } },
      FILE,
      {
        type: "file-not-exists",
        config: { path: "left" },
      },
    ];
    const { scores } = await scored(example(graders), { workspace: { changes: [], path: folder } });
    expect(scores).toMatchObject({ verdict: 1, "run-command": 1, "file-exists": 1, "file-not-exists": 1 });
    expect(existsSync(join(folder, "left"))).toBe(true);
  });

  it("rebuilds a missing folder with the example's variables, and removes it", async () => {
    const own = mkdtempSync(join(tmpdir(), "assay-tmp-"));
    process.env.TMPDIR = own;
    try {
      const environment = { files: [{ dest: "b.txt", content: "b" }], env: { COLOUR: "blue" } };
      const graders = [
        FILE,
        { type: "file-exists", config: { path: "b.txt" }, name: "given" },
        { type: "run-command", config: { command: "cat a.txt b.txt; echo $COLOUR", stdout_contains: "ab" } },
        { type: "run-command", config: { command: "echo $COLOUR", stdout_contains: "blue" } },
      ];
      const workspace = {
        path: join(own, "gone"),
        changes: [{ path: "a.txt", status: "added", content: "a" } as const],
      };
      const { scores, unscored } = await scored(example(graders, { environment }), { workspace });
      expect(unscored).toEqual({});
      expect(scores.verdict).toBe(1);
      expect(readdirSync(own)).toEqual([]);
    } finally {
      if (formerTmp === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = formerTmp;
      rmSync(own, { recursive: true });
    }
  });

  it.skipIf(isCommandMissing("git"))(
    "gives programs a HOME in which git can commit, and hides repositories around the folder",
    async () => {
      const place = makeGradedFolder({ "outer/work/a.txt": "a" });
      execFileSync("git", ["init", "--quiet", place]);
      const git = (command: string, more: object = {}) => ({ type: "run-command", config: { command, ...more } });
      const graders = [
        git("git status", { expected_exit_code: 128 }),
        git("git init -q && git add . && git commit -qm done"),
      ];
      const workspace = { changes: [], path: join(place, "outer/work") };
      const { scores, evidence } = await scored(example(graders), { workspace });
      expect(scores.verdict, JSON.stringify(evidence)).toBe(1);
      rmSync(place, { recursive: true });
    },
  );

  it("knows what the setup created when it grades a diff of a stored run", async () => {
    const graders = [
      { type: "diff-contains", config: { pattern: "^-made$", flags: "m" } },
      { type: "diff-not-contains", config: { value: "kept" } },
      { type: "diff-empty", config: { path: "other" } },
    ];
    const environment = { commands: ["printf 'kept\\nmade\\n' > a.txt"] };
    const changes = [{ path: "a.txt", status: "modified", content: "kept\nnew\n" } as const];
    const { scores, unscored } = await scored(example(graders, { environment }), { workspace: { changes } });
    expect(unscored).toEqual({});
    expect(scores.verdict).toBe(1);
  });

  it("writes nothing through a link that replaced the folder, even during grading", async () => {
    const place = makeGradedFolder({ "victim/kept.txt": "kept" });
    const victim = join(place, "victim");
    const swap = `d=$(pwd); cd /; mv "$d" "$d-x"; ln -s "${victim}" "$d"`;
    const files = [{ dest: "kept.txt", content: "overwritten" }];
    const writes = { type: "run-command", config: { command: "echo > seen", files } };
    const outer = await Workspace.create({ root: place });
    const state = getWorkspaceState(outer, await outer.collectChanges());
    const ran = await scored(example([{ type: "run-command", config: { command: swap } }, writes]), {
      workspace: state,
    });
    expect(ran.unscored?.["run-command-2"]).toContain("removed or replaced while it was graded");
    const again = await scored(example([writes]), { workspace: state });
    expect(again.scores.verdict, "made again").toBe(1);
    const replaced = await scored(example([writes]), {
      workspace: getWorkspaceState(outer, await outer.collectChanges()),
    });
    expect(replaced.unscored?.["run-command"]).toContain("the agent replaced the folder");
    await outer.remove();
    expect(readdirSync(victim)).toEqual(["kept.txt"]);
    expect(readFileSync(join(victim, "kept.txt"), "utf8")).toBe("kept");
    rmSync(place, { recursive: true });
  });

  it("says why the folder cannot be rebuilt", async () => {
    const workspace = { changes: [], incomplete: "too large" };
    const { unscored, scores } = await scored(example([HI, FILE], { threshold: 0.5 }), { response: "hi", workspace });
    expect(unscored?.["file-exists"]).toContain("too large");
    expect(scores.verdict).toBe(1);
  });

  it("can watch a trial that the workspace alone decides", () => {
    const evaluator = new GraderEvaluator();
    expect(evaluator.canWatch(example([FILE, COMMAND, { type: "diff-empty" }]))).toBe(true);
    expect(evaluator.canWatch(example([FILE, HI]))).toBe(false);
    expect(evaluator.canWatch(example([FILE, { ...HI, weight: 0 }]))).toBe(true);
    expect(evaluator.canWatch(example([FILE, { ...HI, weight: 0, required: true }]))).toBe(false);
    expect(evaluator.canWatch(example([{ type: "nothing" }]))).toBe(false);
    expect(evaluator.canWatch(example([{ type: "all-of", config: { graders: [FILE, COMMAND] } }]))).toBe(true);
  });

  it("prepares and closes its graders and their parts once each", async () => {
    const log: string[] = [];
    const registry = new Registry();
    const holding = (name: string): Grader => ({
      name,
      grade: () => ({ passed: true, evidence: name }),
      prepare: () => void log.push(`prepare ${name}`),
      close: async () => void log.push(`close ${name}`),
    });
    registry.register("grader", "first", holding("first"));
    registry.register("grader", "second", () => holding("second"));
    const evaluator = new GraderEvaluator({ registry });
    const part = { type: "all-of", config: { graders: [HI, { type: "not", config: { grader: { type: "second" } } }] } };
    for (const one of [example([{ type: "first" }, HI]), example([{ type: "first" }, part])])
      evaluator.checkExample(one);
    await evaluator.prepare();
    expect(log).toEqual(["prepare first", "prepare second"]);
    await evaluator.close();
    expect(log.slice(2).sort()).toEqual(["close first", "close second"]);
    expect(evaluator.isPaid).toBe(false);
  });

  it("fails the run if a grader cannot be prepared, and closes the others if one cannot be closed", async () => {
    const registry = new Registry();
    let closed = 0;
    const count = async () => {
      closed += 1;
    };
    const fine = { grade: () => ({ passed: true, evidence: "" }) };
    registry.register("grader", "keyless", {
      ...fine,
      name: "keyless",
      prepare: () => Promise.reject(new Error("there is no key")),
      close: () => Promise.reject(new Error("stuck")),
    });
    registry.register("grader", "closing", { ...fine, name: "closing", close: count });
    const evaluator = new GraderEvaluator({ registry });
    const run = evaluate({
      dataset: [example([{ type: "keyless" }, { type: "closing" }])],
      systems: [{ name: "never", process: () => expect.fail("it was asked") }],
      evaluators: [evaluator],
    });
    await expect(run).rejects.toThrow("there is no key");
    await expect(evaluator.close()).rejects.toThrow("stuck");
    expect(closed).toBe(1);
  });

  it("is paid once an example has a grader that asks a model, and then cannot watch", async () => {
    const registry = new Registry();
    const judge = (): Grader => ({
      name: "judge",
      kind: "llm",
      seesWorkspaceOnly: true,
      grade: () => ({ passed: true, evidence: "" }),
    });
    registry.register("grader", "judge", judge);
    const evaluator = new GraderEvaluator({ registry });
    evaluator.checkExample(example([FILE]));
    expect(evaluator.isPaid).toBe(false);
    const judged = example([FILE, { type: "judge", weight: 0 }]);
    evaluator.checkExample(judged);
    expect(evaluator.isPaid).toBe(true);
    expect(evaluator.canWatch(judged)).toBe(false);
    expect(evaluator.estimate(judged, { count: () => 1, answerTokens: 1 })).toEqual({ low: null, high: null });
    const inside = new GraderEvaluator({ registry });
    inside.checkExample(example([{ type: "any-of", config: { graders: [HI, { type: "judge" }] } }]));
    expect(inside.isPaid).toBe(true);
  });

  it("uses the fingerprint of a factory instead of its source", () => {
    const identity = (version: number) => {
      const registry = new Registry();
      const factory = () => ({ name: "mine", grade: () => ({ passed: true, evidence: "" }) });
      registry.register("grader", "mine", Object.assign(factory, { fingerprint: () => ({ version }) }));
      return new GraderEvaluator({ registry }).fingerprint();
    };
    expect(identity(1)).toEqual(identity(1));
    expect(identity(1)).not.toEqual(identity(2));
    expect(JSON.stringify(identity(1))).not.toContain("=>");
  });

  it("makes registered graders once and checks their verdicts", async () => {
    const registry = new Registry();
    let made = 0;
    registry.register("grader", "mine", () => {
      made += 1;
      return { name: "mine", grade: () => ({ passed: true, score: 0.25, evidence: "mine" }) };
    });
    registry.register("grader", "ready", { name: "ready", grade: () => ({ passed: true, evidence: "ready" }) });
    registry.register("grader", "rude", { name: "rude", grade: () => ({ passed: true, score: 7, evidence: "" }) });
    registry.register("grader", "thrown", { name: "thrown", grade: () => Promise.reject(new Error("broken")) });
    const evaluator = new GraderEvaluator({ registry });
    const one = example([{ type: "mine" }, { type: "ready" }, { type: "rude" }, { type: "thrown" }]);
    const { scores, unscored } = await scored(one, {}, evaluator);
    await evaluator.score(one, {});
    expect(made).toBe(1);
    expect(scores).toEqual({ weighted_score: 0.625, mine: 0.25, ready: 1 });
    expect(unscored).toMatchObject({ rude: expect.stringContaining("score the number 7"), thrown: "broken" });
    expect(evaluator.fingerprint()).not.toEqual(new GraderEvaluator({ registry: new Registry() }).fingerprint());
  });

  it("rejects when it is aborted", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(new GraderEvaluator().score(example([HI]), { response: "hi" }, { signal })).rejects.toThrow("enough");
  });

  it("decides pass or fail in a run", async () => {
    const examples = [example([HI]), { ...example([HI, { ...HI, config: { substring: "ho" } }]), id: 8 }];
    const { rows } = await evaluate({
      dataset: examples,
      systems: [{ name: "polite", process: () => ({ response: "hi" }) }],
      evaluators: [new GraderEvaluator()],
    });
    expect(rows.map(({ primaryField, passed }) => ({ primaryField, passed }))).toEqual([
      { primaryField: "verdict", passed: true },
      { primaryField: "verdict", passed: false },
    ]);
  });
});

describe("checkGraders", () => {
  it.each([
    [undefined, "The example 7: its graders are undefined, not a list."],
    [["file-exists"], "its grader 1 cannot be used: it must be an object with a type"],
    [[{ type: "file-exist" }], 'Unknown grader type "file-exist" (grader 1 of example 7). Did you mean "file-exists"?'],
    [[HI, { ...FILE, config: { paths: "a" } }], "its grader 2 (file-exists) cannot be used: path is missing"],
    [[{ ...HI, wieght: 1 }], 'unknown key "wieght". Did you mean "weight"?'],
    [[{ ...HI, weight: -1 }], "weight must not be negative"],
    [[{ ...HI, weight: 0 }], "all of its graders have weight 0"],
  ])("rejects %j", async (graders, words) => {
    expect(() => checkGraders(example(graders))).toThrow(GraderError);
    expect(() => checkGraders(example(graders))).toThrow(words);
    expect((await scored(example(graders), {})).unscored?.verdict).toContain(words);
  });

  it("rejects a threshold outside 0 to 1 and names the dataset", () => {
    expect(() => checkGraders(example([HI], { threshold: 70, dataset: "tasks" }))).toThrow(
      "The example 7 of tasks: its threshold is the number 70, not a number from 0 to 1.",
    );
    expect(() => checkGraders(example([HI], { threshold: 70, dataset: "" }))).toThrow("The example 7: its threshold");
  });

  it("accepts valid graders", () => {
    writeFileSync(join(folder, "b.txt"), "");
    expect(() => checkGraders(example([HI, FILE, COMMAND], { threshold: 0.5 }))).not.toThrow();
  });
});
