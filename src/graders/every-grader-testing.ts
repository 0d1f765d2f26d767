import type { Graded } from "../core/grader.js";
import { makeTrajectory } from "./graded-testing.js";

type CaseConfig = Readonly<Record<string, unknown>>;

/** What a case grades: an output, and optionally the files of a workspace. */
interface CaseWork {
  readonly output?: Graded["output"];
  readonly files?: Readonly<Record<string, string>>;
}

export interface GraderCase extends CaseWork {
  readonly config: CaseConfig;
}

/** One case of each kind for one grader type. */
export interface GraderCases {
  readonly passes: GraderCase;
  readonly fails: GraderCase;
  /** A case where the grader ends in error, or the reason why there is none. */
  readonly errs: GraderCase | { readonly never: string };
  /** A config that is rejected, and a part of the error message. */
  readonly refuses: { readonly config: CaseConfig; readonly words: string };
}

const HI: CaseWork = { output: { response: "hi" } };
const NOTHING: CaseWork = {};
/** A pattern with catastrophic backtracking on this answer. */
const SLOW_PATTERN: GraderCase = { config: { pattern: "^(a+)+$" }, output: { response: `${"a".repeat(40)}b` } };
const ANSWER_ONLY = { never: "a missing answer is graded as an empty one" };

const TIMELINE = makeTrajectory(
  { type: "assistant_message", text: "Looking." },
  { type: "tool_call", name: "Read", callId: "1", arguments: { path: "a.js" } },
  { type: "tool_result", callId: "1", success: false, result: "no such file" },
  { type: "skill_activation", name: "pdf" },
  { type: "tool_call", name: "Read", callId: "2", arguments: { path: "a.js" } },
  { type: "tool_result", callId: "2", success: true, result: "found" },
  { type: "assistant_message", text: "Done." },
);
const WORKED: CaseWork = {
  output: { response: "Done.", trajectory: TIMELINE, usage: { input: 8, output: 2 }, costUsd: 0.1, latency: 5 },
};
const FOLDER: CaseWork = { files: { "a.js": "const a = 1;\n", "metrics.json": '{"lines": 81}' } };
const CHANGED: CaseWork = {
  output: { workspace: { changes: [{ path: "a.js", status: "added", content: "const a = 1;\n" }] } },
};
const UNCHANGED: CaseWork = { output: { workspace: { changes: [] } } };

const YES = { type: "output-contains", config: { substring: "hi" } };
const NO = { type: "output-contains", config: { substring: "ho" } };
const SILENT = { type: "file-exists", config: { path: "a" } };

/** Cases of a grader with one config that passes on one output and fails on another. */
function makeWorkCases(
  config: CaseConfig,
  [passing, failing]: readonly [CaseWork, CaseWork],
  rest: Pick<GraderCases, "errs" | "refuses">,
) {
  return { passes: { config, ...passing }, fails: { config, ...failing }, ...rest };
}

/** Cases of a grader with two configs, one that passes and one that fails; without any work it ends in error. */
function makeConfigCases(
  work: CaseWork,
  [passing, failing]: readonly [CaseConfig, CaseConfig],
  refuses: GraderCases["refuses"],
) {
  return {
    passes: { config: passing, ...work },
    fails: { config: failing, ...work },
    errs: { config: passing, ...NOTHING },
    refuses,
  };
}

const makeMissingKeyCase = (key: string, config: CaseConfig = {}) => ({ config, words: `${key} is missing` });
const makeUnknownKeyCase = (config: CaseConfig) => ({
  config: { ...config, colour: 1 },
  words: 'unknown key "colour"',
});

/** Every built-in grader, with a case of each kind. */
export const EVERY_GRADER: Readonly<Record<string, GraderCases>> = {
  completed: makeWorkCases({}, [HI, NOTHING], { errs: ANSWER_ONLY, refuses: makeUnknownKeyCase({}) }),
  "exit-success": makeWorkCases({}, [HI, { output: { response: "hi", metadata: { exitCode: 1 } } }], {
    errs: ANSWER_ONLY,
    refuses: makeUnknownKeyCase({}),
  }),
  "output-contains": makeWorkCases({ substring: "hi" }, [HI, NOTHING], {
    errs: ANSWER_ONLY,
    refuses: makeMissingKeyCase("substring"),
  }),
  "output-not-contains": makeWorkCases({ substring: "hi" }, [NOTHING, HI], {
    errs: ANSWER_ONLY,
    refuses: makeUnknownKeyCase({ substring: "hi" }),
  }),
  "output-matches": makeWorkCases({ pattern: "^h" }, [HI, NOTHING], {
    errs: SLOW_PATTERN,
    refuses: { config: { pattern: "(" }, words: "pattern is not a regular expression" },
  }),
  "output-not-matches": makeWorkCases({ pattern: "^h" }, [NOTHING, HI], {
    errs: SLOW_PATTERN,
    refuses: { config: { pattern: "a", flags: "q" }, words: "flags must be regular expression flags" },
  }),
  "transcript-contains": makeConfigCases(
    WORKED,
    [{ substring: "looking" }, { substring: "elephant" }],
    makeMissingKeyCase("substring"),
  ),
  "transcript-not-contains": makeConfigCases(
    WORKED,
    [{ substring: "elephant" }, { substring: "looking" }],
    makeUnknownKeyCase({ substring: "a" }),
  ),
  "file-exists": makeConfigCases(FOLDER, [{ path: "*.js" }, { path: "b.js" }], makeMissingKeyCase("path")),
  "file-not-exists": makeConfigCases(FOLDER, [{ path: "b.js" }, { path: "*.js" }], {
    config: { path: "../a" },
    words: "must not leave the workspace",
  }),
  "file-contains": makeConfigCases(
    FOLDER,
    [
      { path: "a.js", value: "const" },
      { path: "a.js", value: "let" },
    ],
    makeMissingKeyCase("value", { path: "a.js" }),
  ),
  "file-not-contains": makeConfigCases(
    FOLDER,
    [
      { path: "a.js", value: "let" },
      { path: "a.js", value: "const" },
    ],
    makeUnknownKeyCase({ path: "a.js", value: "let" }),
  ),
  "file-matches": makeConfigCases(
    FOLDER,
    [
      { path: "a.js", pattern: "a = \\d" },
      { path: "a.js", pattern: "b = \\d" },
    ],
    makeMissingKeyCase("pattern", { path: "a.js" }),
  ),
  "file-not-matches": makeConfigCases(
    FOLDER,
    [
      { path: "a.js", pattern: "b = \\d" },
      { path: "a.js", pattern: "a = \\d" },
    ],
    { config: { path: "a.js", pattern: "[" }, words: "not a regular expression" },
  ),
  "diff-contains": makeConfigCases(CHANGED, [{ value: "const" }, { value: "let" }], {
    config: {},
    words: "needs one of value and pattern",
  }),
  "diff-not-contains": makeConfigCases(
    CHANGED,
    [{ value: "let" }, { value: "const" }],
    makeUnknownKeyCase({ value: "let" }),
  ),
  "diff-empty": makeWorkCases({}, [UNCHANGED, CHANGED], { errs: { config: {} }, refuses: makeUnknownKeyCase({}) }),
  "tool-calls": makeConfigCases(WORKED, [{ required: ["Read"] }, { disallowed: ["Read"] }], {
    config: {},
    words: "names no call",
  }),
  "tool-call-count": makeConfigCases(WORKED, [{ max: 2 }, { max: 1 }], { config: {}, words: "has no bound" }),
  "turn-count": makeConfigCases(WORKED, [{ max: 3 }, { min: 4 }], {
    config: { max: -1 },
    words: "must not be negative",
  }),
  "step-count": makeConfigCases(WORKED, [{ max: 3 }, { max: 2 }], {
    config: { min: 3, max: 2 },
    words: "has a min above its max",
  }),
  "error-count": makeConfigCases(WORKED, [{ max: 1 }, {}], { config: { max: 0.5 }, words: "must be a whole number" }),
  "token-budget": makeConfigCases(WORKED, [{ max: 10 }, { max: 9 }], makeMissingKeyCase("max")),
  "cost-budget": makeConfigCases(WORKED, [{ max_usd: 0.1 }, { max_usd: 0.05 }], makeMissingKeyCase("max_usd")),
  "wall-time": makeConfigCases(WORKED, [{ max: "5s" }, { max: "4s" }], { config: { max: 5 }, words: "with a unit" }),
  "skill-invocation": makeConfigCases(WORKED, [{ required: ["pdf"] }, { disallowed: ["pdf"] }], {
    config: { required: [] },
    words: "names no skill",
  }),
  "max-repeat": makeConfigCases(WORKED, [{ max: 2 }, { max: 1 }], { config: { max: 0 }, words: "must be at least 1" }),
  "custom-metrics": makeConfigCases(
    FOLDER,
    [
      { path: "metrics.json", assertions: [{ metric: "lines", op: ">=", value: 80 }] },
      { path: "metrics.json", assertions: [{ metric: "lines", min: 90 }] },
    ],
    { config: { assertions: [{ metric: "lines" }] }, words: "asserts nothing" },
  ),
  "json-schema": makeConfigCases(
    FOLDER,
    [
      { path: "metrics.json", schema: { required: ["lines"] } },
      { path: "metrics.json", schema: { required: ["branches"] } },
    ],
    makeMissingKeyCase("schema", { output: true }),
  ),
  "run-command": makeConfigCases(
    FOLDER,
    [{ command: "test -f a.js" }, { command: "test -f b.js" }],
    makeMissingKeyCase("command"),
  ),
  program: {
    passes: { config: { program: "test", args: ["-f", "a.js"] }, ...FOLDER },
    fails: { config: { program: "test", args: ["-f", "b.js"] }, ...FOLDER },
    errs: { config: { program: "no-such-program" }, ...HI },
    refuses: { config: { program: "test", timeout: 30 }, words: "with a unit" },
  },
  "all-of": {
    passes: { config: { graders: [YES, YES] }, ...HI },
    fails: { config: { graders: [YES, NO] }, ...HI },
    errs: { config: { graders: [YES, SILENT] }, ...HI },
    refuses: { config: { graders: [] }, words: "must not be empty" },
  },
  "any-of": {
    passes: { config: { graders: [NO, YES] }, ...HI },
    fails: { config: { graders: [NO, NO] }, ...HI },
    errs: { config: { graders: [NO, SILENT] }, ...HI },
    refuses: { config: { graders: [{ type: "nothing-known" }] }, words: 'Unknown grader type "nothing-known"' },
  },
  not: {
    passes: { config: { grader: NO }, ...HI },
    fails: { config: { grader: YES }, ...HI },
    errs: { config: { grader: SILENT }, ...HI },
    refuses: makeMissingKeyCase("grader"),
  },
};
