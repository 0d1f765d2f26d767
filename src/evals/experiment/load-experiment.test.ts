import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createExperimentFolder, type ExperimentFolder } from "./experiment-testing.js";
import { loadExperiment } from "./load-experiment.js";

let bench: ExperimentFolder;

beforeAll(() => {
  bench = createExperimentFolder();
  bench.write("eval.yaml", "name: e\n");
});
afterAll(() => bench.remove());

function load(text: string) {
  return loadExperiment(bench.write("experiment.yaml", text));
}

const HEAD = "name: x\neval: eval.yaml\n";
const VARIANTS = "variants:\n  a: { /skill: null }\n  b:\n";

describe("loadExperiment", () => {
  test("reads variants", async () => {
    const experiment = await load(`${HEAD}baseline: a\nvary: [/skill]\n${VARIANTS}runs: 5\n`);
    expect(experiment).toMatchObject({ name: "x", baseline: "a", vary: [["skill"]], runs: 5, notes: [] });
    expect(experiment.variants).toEqual([
      { name: "a", evals: null, settings: [{ path: ["skill"], value: null }], isCombination: false },
      { name: "b", evals: null, settings: [], isCombination: false },
    ]);
    expect(experiment.evals).toEqual([`${bench.dir}/eval.yaml`]);
  });

  test("expands a matrix into every combination, named by its values", async () => {
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
    expect(experiment.notes).toEqual([
      "no baseline is named: the first combination is used (gpt-5.5,no-skills,runs=3)",
    ]);
  });

  test("numbers variants of a matrix whose names would be equal", async () => {
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

describe("loadExperiment reports the location of a problem:", () => {
  const rest = `baseline: a\nvary: [/skill]\n${VARIANTS}`;
  test.each([
    ["an unknown key", `${HEAD}${rest}varry: [/skill]\n`, /:8:1: unknown key "varry"\. Did you mean "vary"\?/],
    [
      "a pointer at the top",
      `${HEAD}${rest}/skill: null\n`,
      /:8:1: unknown key "\/skill"\. Write JSON pointers inside a var/,
    ],
    ["no name", `eval: eval.yaml\n${rest}`, /:1:1: name is missing/],
    ["no eval", `name: x\n${rest}`, /eval is missing: name the eval file/],
    [
      "a name with a line break",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  "b\\nc": { /skill: null }\n`,
      /:7:3: the variant name "b\\nc" contains a line break: write it on one line\./,
    ],
    [
      "a name with a control character",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  "b\\x1b": { /skill: null }\n`,
      /the variant name "b\\u001b" contains a control character/,
    ],
    [
      "a name of blanks",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants:\n  a: {}\n  " ": {}\n`,
      /a variant needs a name/,
    ],
    ["a missing eval file", `name: x\neval: no.yaml\n${rest}`, /:2:7: eval file .*no\.yaml does not exist/],
    ["an unknown baseline", `${HEAD}baseline: c\nvary: [/skill]\n${VARIANTS}`, /:3:11: unknown variant "c"/],
    ["no baseline", `${HEAD}vary: [/skill]\n${VARIANTS}`, /baseline is missing/],
    ["no vary", `${HEAD}baseline: a\n${VARIANTS}`, /vary is missing/],
    ["no variants", `${HEAD}baseline: a\nvary: [/skill]\nvariants: {}\n`, /:5:1: variants is empty/],
    [
      "one variant",
      `${HEAD}baseline: a\nvary: [/skill]\nvariants: { a: {} }\n`,
      /:5:1: one variant alone cannot be compared/,
    ],
    ["neither variants nor matrix", `${HEAD}baseline: a\nvary: [/skill]\n`, /nothing to compare/],
    ["both variants and matrix", `${HEAD}${rest}matrix: { /a: [1] }\n`, /:8:1: variants and matrix cannot be combined/],
    [
      "a setting that is not a pointer",
      `${HEAD}${rest}  c: { defaults.model: x }\n`,
      /:8:8: c: "defaults\.model" is not a JSON pointer: write \/defaults\/model/,
    ],
    ["an invalid pointer", `${HEAD}baseline: a\nvary: [/a~2]\n${VARIANTS}`, /:4:7: vary "\/a~2" has an invalid ~/],
    [
      "a key that is no pointer in vary",
      `${HEAD}baseline: a\nvary: ["/skill", skill]\n${VARIANTS}`,
      /"skill" does not begin with \//,
    ],
    ["invalid runs", `${HEAD}${rest}runs: 0\n`, /:8:7: runs must be a whole number of at least 1/],
    ["a variant that is a text", `${HEAD}${rest}  c: yes\n`, /:8:6: c must be a mapping of JSON pointers/],
    ["a matrix without a list", `${HEAD}matrix: { /a: 1 }\n`, /:3:15: matrix: \/a needs a list of values/],
    [
      "a duplicate value",
      `${HEAD}matrix: { /a: [{ x: 1, y: 2 }, { y: 2, x: 1 }] }\n`,
      /:3:32: matrix: \/a lists this value twice/,
    ],
    [
      "too large a matrix",
      `${HEAD}matrix: { /a: [1,2,3,4,5,6,7,8,9], /b: [1,2,3,4,5,6,7,8] }\n`,
      /:3:1: 72 variants are too many: the maximum is 64/,
    ],
    [
      "a different number of evals",
      `${HEAD}${rest}  c: { eval: [eval.yaml, eval.yaml] }\n`,
      /c has 2 eval files, but the experiment has 1/,
    ],
    ["no YAML", "name: [", /:1:\d+: /],
  ])("%s", async (_, text, message) => {
    await expect(load(text)).rejects.toMatchObject({
      code: "EXPERIMENT",
      exitCode: 2,
      message: expect.stringMatching(message),
    });
  });

  test("reports a missing file", async () => {
    await expect(loadExperiment(`${bench.dir}/nowhere.yaml`)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/^There is no file .*nowhere\.yaml\. Name an experiment file\.$/),
    });
  });
});
