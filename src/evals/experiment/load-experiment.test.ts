import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Bench, openBench } from "./experiment-testing.js";
import { loadExperiment } from "./load-experiment.js";

let bench: Bench;

beforeAll(() => {
  bench = openBench();
  bench.write("eval.yaml", "name: e\n");
});
afterAll(() => bench.remove());

function load(text: string) {
  return loadExperiment(bench.write("experiment.yaml", text));
}

const HEAD = "name: x\neval: eval.yaml\n";
const VARIANTS = "variants:\n  a: { /skill: null }\n  b:\n";

describe("an experiment file", () => {
  test("with variants", async () => {
    const experiment = await load(`${HEAD}baseline: a\nvary: [/skill]\n${VARIANTS}runs: 5\n`);
    expect(experiment).toMatchObject({ name: "x", baseline: "a", vary: [["skill"]], runs: 5, notes: [] });
    expect(experiment.variants).toEqual([
      { name: "a", evals: null, settings: [{ path: ["skill"], value: null }], isCombination: false },
      { name: "b", evals: null, settings: [], isCombination: false },
    ]);
    expect(experiment.evals).toEqual([`${bench.dir}/eval.yaml`]);
  });

  test("with a matrix has every combination, named by its values", async () => {
    const experiment = await load(
      `${HEAD}matrix: { /defaults/model: [gpt-5.5, gpt-5.5-mini], /environment/skills: [[], [./]], /defaults/runs: [3] }\n`,
    );
    expect(experiment.variants.map(({ name }) => name)).toEqual([
      "gpt-5.5,no-skills,runs=3",
      "gpt-5.5,skills=./,runs=3",
      "gpt-5.5-mini,no-skills,runs=3",
      "gpt-5.5-mini,skills=./,runs=3",
    ]);
    expect(experiment.baseline).toBe("gpt-5.5,no-skills,runs=3");
    expect(experiment.vary).toEqual([
      ["defaults", "model"],
      ["environment", "skills"],
      ["defaults", "runs"],
    ]);
    expect(experiment.notes).toEqual(["no baseline is named: the first combination is it (gpt-5.5,no-skills,runs=3)"]);
  });

  test("a matrix whose values look alike numbers its names", async () => {
    const { variants } = await load(`${HEAD}matrix: { /a/x: [n, null], /a/y: [n, null, "no-y"] }\n`);
    expect(variants.map(({ name }) => name)).toEqual([
      "n,n",
      "n,no-y",
      "n,no-y#2",
      "no-x,n",
      "no-x,no-y",
      "no-x,no-y#2",
    ]);
  });
});

describe("what is wrong is said with its place:", () => {
  const rest = `baseline: a\nvary: [/skill]\n${VARIANTS}`;
  test.each([
    ["an unknown key", `${HEAD}${rest}varry: [/skill]\n`, /:8:1: unknown key "varry"\. Did you mean "vary"\?/],
    [
      "a pointer at the top",
      `${HEAD}${rest}/skill: null\n`,
      /:8:1: unknown key "\/skill"\. A pointer belongs into a var/,
    ],
    ["no name", `eval: eval.yaml\n${rest}`, /:1:1: name is missing/],
    ["no eval", `name: x\n${rest}`, /eval is missing: name the eval file/],
    [
      "a name with a line break",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  "b\\nc": { /skill: null }\n`,
      /:7:3: the name "b\\nc" of a variant has a line break in it: write it on one line\./,
    ],
    [
      "a name with a control character",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  "b\\x1b": { /skill: null }\n`,
      /the name "b\\u001b" of a variant has a control character in it/,
    ],
    [
      "a name of blanks",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  " ": {}\n`,
      /a variant needs a name/,
    ],
    ["an eval that is not there", `name: x\neval: no.yaml\n${rest}`, /:2:7: there is no eval file .*no\.yaml/],
    ["an unknown baseline", `${HEAD}baseline: c\nvary: [/skill]\n${VARIANTS}`, /:3:11: there is no variant "c"/],
    ["no baseline", `${HEAD}vary: [/skill]\n${VARIANTS}`, /baseline is missing/],
    ["no vary", `${HEAD}baseline: a\n${VARIANTS}`, /vary is missing/],
    ["no variants", `${HEAD}baseline: a\nvary: [/skill]\nvariants: {}\n`, /:5:1: there are no variants/],
    [
      "one variant",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants: { a: {} }\n`,
      /:5:1: one variant is nothing to compare/,
    ],
    ["neither variants nor matrix", `${HEAD}baseline: a\nvary: [/skill]\n`, /there is nothing to compare/],
    ["both variants and matrix", `${HEAD}${rest}matrix: { /a: [1] }\n`, /:8:1: there are variants already/],
    [
      "a setting that is no pointer",
      `${HEAD}${rest}  c: { defaults.model: x }\n`,
      /:8:8: c: "defaults\.model" is no JSON pointer: write \/defaults\/model/,
    ],
    [
      "a pointer that is none",
      `${HEAD}baseline: a\nvary: [/a~2]\n${VARIANTS}`,
      /:4:7: vary "\/a~2" has a ~ that means nothing/,
    ],
    [
      "a key that is no pointer in vary",
      `${HEAD}baseline: a\nvary: ["/skill", skill]\n${VARIANTS}`,
      /"skill" does not begin with \//,
    ],
    ["runs that are none", `${HEAD}${rest}runs: 0\n`, /:8:7: runs must be a whole number of at least 1/],
    ["a variant that is a text", `${HEAD}${rest}  c: yes\n`, /:8:6: c must be a mapping of JSON pointers/],
    ["a matrix without a list", `${HEAD}matrix: { /a: 1 }\n`, /:3:15: matrix: \/a needs a list of values/],
    [
      "a value that is there twice",
      `${HEAD}matrix: { /a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] }\n`,
      /:3:32: matrix: this value of \/a stands there twice/,
    ],
    [
      "too large a matrix",
      `${HEAD}matrix: { /a: [1,2,3,4,5,6,7,8,9], /b: [1,2,3,4,5,6,7,8] }\n`,
      /:3:1: 72 variants are too many: at most 64/,
    ],
    [
      "other evals than there are",
      `${HEAD}${rest}  c: { eval: [eval.yaml, eval.yaml] }\n`,
      /c has 2 eval files, the experiment 1/,
    ],
    ["no YAML", "name: [", /:1:\d+: /],
  ])("%s", async (_, text, message) => {
    await expect(load(text)).rejects.toMatchObject({
      code: "EXPERIMENT",
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  });

  test("a file that is not there", async () => {
    await expect(loadExperiment(`${bench.dir}/nowhere.yaml`)).rejects.toMatchObject({
      code: "EXPERIMENT",
      message: expect.stringContaining("cannot be read"),
    });
  });
});
