import { describe, expect, it } from "vitest";
import { makeEvalFile, TempEvalProject } from "../src/testing/eval-cli-fixtures.js";
import type { TestFileContent } from "../src/testing/temp-project.js";

interface Case {
  what: string;
  files?: Record<string, TestFileContent>;
  args?: string[];
  says: RegExp;
  code?: number;
}

const FINE = { "eval.yaml": makeEvalFile({ good: "prompt: write made.txt, tags: { area: js }" }) };

const CASES: Case[] = [
  { what: "no eval file at all", says: /(?:There is no|No) eval(?: file in \.|\.yaml below this folder)/ },
  {
    what: "an eval file that is not there",
    files: FINE,
    args: ["-e", "no.yaml"],
    says: /No eval file or folder no\.yaml/,
  },
  {
    what: "YAML that cannot be read",
    files: { "eval.yaml": "name: x\nstimuli:\n  - { name: a, prompt: b\n" },
    says: /^assay: eval\.yaml:\d+:\d+: /,
  },
  {
    what: "an unknown key",
    files: { "eval.yaml": FINE["eval.yaml"].replace("stimuli:", "stimulus:") },
    says: /^assay: eval\.yaml:3:1: .*"stimulus".*[\s\S]*stimuli/,
  },
  {
    what: "a duration without a unit",
    files: { "eval.yaml": FINE["eval.yaml"].replace("runs: 1", "timeout: 90") },
    says: /^assay: eval\.yaml:2:\d+: .*90/,
  },
  {
    what: "the same in --timeout",
    files: FINE,
    args: ["--timeout", "90"],
    says: /Use a duration with a unit, such as 500ms/,
  },
  { what: "an unknown executor", files: FINE, args: ["--executor", "claud"], says: /"claud".*claude/ },
  {
    what: "no executor",
    files: { "eval.yaml": FINE["eval.yaml"].replace(/executor: ".*?", /, "") },
    says: /does not name an agent\. Add --executor claude, or defaults\.executor/,
  },
  {
    what: "a suite, and no config file",
    files: FINE,
    args: ["--suite", "quick"],
    says: /Unknown suite "quick": the config file has no suites/,
  },
  {
    what: "an unknown suite",
    files: { ...FINE, "assay.config.yaml": "evals: { suites: { quick: { tags: [js] } } }\n" },
    args: ["--suite", "quik"],
    says: /Unknown suite "quik"\. Did you mean "quick"\?/,
  },
  {
    what: "an unknown stimulus",
    files: FINE,
    args: ["--stimulus", "goood"],
    says: /Unknown test case "goood"\. Did you mean "good"\?/,
  },
  {
    what: "two evals of one name",
    files: { "a/eval.yaml": FINE["eval.yaml"], "b/eval.yaml": FINE["eval.yaml"] },
    says: /Two eval files are named "tidy".*a\/eval\.yaml and .*b\/eval\.yaml\. Rename one/,
  },
  {
    what: "two stimuli of one name",
    files: { "eval.yaml": `${FINE["eval.yaml"]}  - { name: good, prompt: b, graders: [{ type: completed }] }\n` },
    says: /^assay: eval\.yaml:5:\d+: .*"good"/,
  },
  {
    what: "tags that match nothing",
    files: FINE,
    args: ["--tag", "area=ts"],
    says: /No test case matches the tags/,
    code: 3,
  },
  { what: "a filter without a tag", files: FINE, args: ["--tag", "=js"], says: /The tag filter "=js" names no tag/ },
  {
    what: "--mock beside --agent-url",
    files: { ...FINE, "mock.yaml": "reply: hi\n" },
    args: ["--mock", "mock.yaml", "--agent-url", "http://127.0.0.1:1"],
    says: /--mock cannot be combined with --agent-url/,
  },
  {
    what: "a gate on an unknown metric",
    files: {
      "eval.yaml": makeEvalFile({ good: "prompt: b" }, { head: `gate: { metric: pas_rate, op: ">=", value: 1 }\n` }),
    },
    says: /gate.*pas_rate[\s\S]*pass_rate/i,
  },
];

describe("assay eval rejects, before an agent is started,", () => {
  // Each starts a process, so only a few run at a time.
  it("invalid input, and says what to do", async () => {
    const waiting = [...CASES];
    const work = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await refused(one);
    };
    await Promise.all([work(), work(), work()]);
  });
});

it("runs an eval file of another folder only with --trust", async () => {
  const theirs = new TempEvalProject(FINE);
  const space = new TempEvalProject({});
  const args = ["-e", theirs.path("eval.yaml"), "--on-outage", "stop"];
  const finished = await space.eval(...args);
  expect([finished.code, finished.stderr]).toEqual([2, expect.stringContaining("--trust")]);
  expect(space.readStarts()).toEqual([]);
  expect((await space.eval(...args, "--trust")).code).toBe(0);
  expect(space.readStarts()).toHaveLength(1);
});

async function refused({ what, files = {}, args = [], says, code = 2 }: Case): Promise<void> {
  const space = new TempEvalProject(files);
  const finished = await space.eval(...args);
  expect({ what, code: finished.code, stderr: finished.stderr }).toEqual({
    what,
    code,
    stderr: expect.stringMatching(says),
  });
  expect(finished.stderr).not.toMatch(/^ {4}at /m);
  expect(space.readStarts()).toEqual([]);
  expect(space.runs()).toEqual([]);
}
