import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Environment } from "../../core/environment.js";
import { buildEvalYaml, createExperimentFolder, type ExperimentFolder, GREET_SKILL } from "./experiment-testing.js";
import { loadExperiment } from "./load-experiment.js";
import { type PlanExperimentOptions, planExperiment } from "./plan-experiment.js";
import { createSpecReader } from "./spec-reader.js";

let bench: ExperimentFolder;

beforeAll(() => {
  bench = createExperimentFolder();
  bench.write("skill/SKILL.md", GREET_SKILL);
  bench.write("eval.yaml", buildEvalYaml(["one", "two", "js-three"]));
  bench.write("second.yaml", buildEvalYaml(["one", "four"], "second"));
});
afterAll(() => bench.remove());

async function plan(text: string, options: PlanExperimentOptions = {}) {
  return planExperiment(await loadExperiment(bench.write("experiment.yaml", text)), options);
}

const SKILL_HELP = `name: does-the-skill-help
eval: eval.yaml
baseline: without-skill
vary: [/skill, /environment/skills]
variants:
  without-skill: { /skill: null, /environment/skills: [] }
  with-skill: {}
`;

/** An experiment on `eval.yaml` whose baseline is the unchanged eval. */
function varying(vary: string, variant: string, evals = "eval.yaml"): string {
  return `name: x\neval: ${evals}\nbaseline: base\nvary: [${vary}]\nvariants:\n  base: {}\n  other: { ${variant} }\n`;
}

describe("planExperiment", () => {
  test("plans a dataset for each variant, with its system in its terms", async () => {
    const { datasets, variants, record, notes } = await plan(SKILL_HELP);
    expect(datasets.map(({ name, terms }) => [name, terms?.systems, terms?.trials])).toEqual([
      ["without-skill/greeting", ["without-skill"], 3],
      ["with-skill/greeting", ["with-skill"], 3],
    ]);
    expect(datasets.flatMap(({ examples }) => examples.map(({ id, dataset }) => `${dataset}:${id}`))).toEqual([
      "without-skill/greeting:one",
      "without-skill/greeting:two",
      "without-skill/greeting:js-three",
      "with-skill/greeting:one",
      "with-skill/greeting:two",
      "with-skill/greeting:js-three",
    ]);
    expect(variants.map(({ name, isBaseline, systems }) => ({ name, isBaseline, systems }))).toEqual([
      {
        name: "without-skill",
        isBaseline: true,
        systems: [{ name: "without-skill", executor: "claude", model: "gpt-5.5" }],
      },
      {
        name: "with-skill",
        isBaseline: false,
        systems: [{ name: "with-skill", executor: "claude", model: "gpt-5.5" }],
      },
    ]);
    expect(variants[0]?.evals[0]?.limits).toEqual({ runs: 3, timeoutMs: 30_000, maxCostUsd: null });
    expect(record).toMatchObject({ baseline: "without-skill", stimuli: 3, shard: null });
    expect(notes).toEqual([]);
    const offered = datasets.map(({ examples }) => {
      const { skills = [] } = (examples[0]?.environment ?? {}) as Environment;
      return skills.length;
    });
    expect(offered).toEqual([0, 1]);
  });

  test("drops gates, which a baseline is expected to miss", async () => {
    bench.write("gated.yaml", `${buildEvalYaml(["one"])}gate: { metric: pass_rate, op: ">=", value: 0.9 }\n`);
    const { datasets } = await plan(SKILL_HELP.replace("eval.yaml", "gated.yaml"));
    expect(datasets.map(({ gates }) => gates)).toEqual([undefined, undefined]);
  });

  test("names systems by executor and model where a variant has several", async () => {
    const { variants, datasets } = await plan(varying("/defaults/model", "/defaults/model: [gpt-5.5, gpt-5.5-mini]"));
    expect(variants[1]?.systems.map(({ name }) => name)).toEqual([
      "other (claude:gpt-5.5)",
      "other (claude:gpt-5.5-mini)",
    ]);
    expect(datasets[1]?.terms?.systems).toEqual(["other (claude:gpt-5.5)", "other (claude:gpt-5.5-mini)"]);
  });

  test("takes runs from the command, else from the experiment, else from the eval", async () => {
    const trials = async (text: string, options?: PlanExperimentOptions) =>
      (await plan(text, options)).datasets.map(({ terms }) => terms?.trials);
    expect(await trials(`${SKILL_HELP}runs: 7\n`)).toEqual([7, 7]);
    expect(await trials(`${SKILL_HELP}runs: 7\n`, { runs: 2 })).toEqual([2, 2]);
  });

  test("selects only test cases with the requested tags", async () => {
    const { datasets } = await plan(SKILL_HELP, { tags: ["area=js"] });
    expect(datasets.map(({ examples }) => examples.map(({ id }) => id))).toEqual([["js-three"], ["js-three"]]);
    await expect(plan(SKILL_HELP, { tags: ["area=css"] })).rejects.toThrow("No test case has the tags area=css");
  });

  test("supports several evals", async () => {
    const { datasets, record } = await plan(SKILL_HELP.replace("eval.yaml", "[eval.yaml, second.yaml]"));
    expect(datasets.map(({ name }) => name)).toEqual([
      "without-skill/greeting",
      "without-skill/second",
      "with-skill/greeting",
      "with-skill/second",
    ]);
    expect(record.stimuli).toBe(5);
    await expect(plan(SKILL_HELP.replace("eval.yaml", "[eval.yaml, eval.yaml]"))).rejects.toThrow(
      'two evals have the name "greeting"',
    );
  });
});

describe("vary", () => {
  test("accepts a setting below a varied pointer, and what follows from it", async () => {
    await expect(plan(varying("/environment", "/environment/env/STYLE: fancy"))).resolves.toBeDefined();
    await expect(plan(varying("/defaults", "/defaults/runs: 9"))).resolves.toBeDefined();
    await expect(plan(varying("/scoring", "/scoring/threshold: 0.4"))).resolves.toBeDefined();
    await expect(plan(varying("/stimuli/0/constraints", "/stimuli/0/constraints/max_turns: 4"))).resolves.toBeDefined();
  });

  test("rejects a difference elsewhere, with both values and its location", async () => {
    await expect(plan(varying("/environment/skills", "/environment/env/STYLE: fancy"))).rejects.toMatchObject({
      code: "EXPERIMENT",
      exitCode: 2,
      message: `${bench.dir}/experiment.yaml:7:12: variant "other" differs at /environment/env/STYLE, which is not under vary: "fancy", but "plain" in "base". Add /environment/env/STYLE to vary, or make the values equal.`,
    });
  });

  test("names each difference elsewhere", async () => {
    const failed = plan(varying("/skill", "/defaults/model: m, /environment/env/NEW: x, /stimuli/1/prompt: Hi"));
    await expect(failed).rejects.toMatchObject({
      problems: [
        { text: expect.stringContaining('/defaults/model, which is not under vary: "m", but "gpt-5.5"') },
        { text: expect.stringContaining('/environment/env/NEW, which is not under vary: "x", but nothing') },
        { text: expect.stringContaining("/stimuli/1/prompt, which is not under vary") },
      ],
    });
  });

  test("counts a setting of the baseline alone as a difference", async () => {
    const text = varying("/skill", "/skill: null, /environment/skills: []").replace(
      "base: {}",
      "base: { /environment/env/STYLE: bare }",
    );
    await expect(plan(text)).rejects.toThrow(
      /experiment\.yaml:6:11: variant "other" differs at \/environment\/env\/STYLE/,
    );
  });

  test("ignores a setting that all variants share", async () => {
    const text = varying("/defaults/model", "/defaults/model: m, /defaults/runs: 2").replace(
      "base: {}",
      "base: { /defaults/runs: 2 }",
    );
    await expect(plan(text)).resolves.toMatchObject({ notes: [] });
  });

  test("applies to another eval file as well", async () => {
    bench.write("other.yaml", buildEvalYaml(["one", "two", "js-three"]).replace("Say hello to two", "Greet two"));
    await expect(plan(varying("/defaults/model", "eval: other.yaml"))).rejects.toThrow(
      'differs at /stimuli/1/prompt, which is not under vary: "Greet two", but "Say hello to two" in "base"',
    );
    await expect(plan(varying("/stimuli/1/prompt", "eval: other.yaml"))).resolves.toBeDefined();
  });

  test("finds differences that only appear in the loaded evals", async () => {
    const reader = createSpecReader();
    const sly = {
      ...reader,
      load: async (file: string, edit: (raw: unknown) => unknown) => {
        let isFancy = false;
        const spec = await reader.load(file, (raw) => {
          const edited = edit(raw);
          isFancy = JSON.stringify(edited).includes("fancy") && !JSON.stringify(raw).includes("fancy");
          return edited;
        });
        loads += 1;
        // On the first read of the fancy variant, not when it is checked.
        return isFancy && loads === 2 ? { ...spec, defaults: { ...spec.defaults, runs: 99 } } : spec;
      },
    };
    let loads = 0;
    await expect(
      plan(varying("/environment/env/STYLE", "/environment/env/STYLE: fancy"), { reader: sly }),
    ).rejects.toThrow('differs at /defaults/runs, which is not under vary: 99, but 3 in "base"');
  });

  test("rejects a variant that is the same as the baseline, however it is written", async () => {
    await expect(plan(varying("/environment/env/STYLE", "/environment/env/STYLE: plain"))).rejects.toThrow(
      ':7:3: variant "other" is the same as the baseline "base"',
    );
    await expect(plan(varying("/description", "/description: other words"))).rejects.toThrow("is the same as");
  });

  test("notes a pointer that nothing varies, and variants that are the same", async () => {
    const text = `${varying("/defaults/model, /environment/env/STYLE", "/defaults/model: m")}  twin: { /defaults/model: m }\n`;
    expect((await plan(text)).notes).toEqual([
      "vary names /environment/env/STYLE, but its value is the same in all variants",
      'variants "other" and "twin" are the same',
    ]);
  });

  test("repeats notes of eval files once, whatever the number of variants", async () => {
    bench.write(
      "noted.yaml",
      buildEvalYaml(["one"]).replace("defaults:", "config:").replace("runs: 3", "trials_per_task: 3"),
    );
    const { notes, datasets } = await plan(SKILL_HELP.replace("eval.yaml", "noted.yaml"));
    expect(notes.length).toBeGreaterThan(0);
    expect(new Set(notes).size).toBe(notes.length);
    expect(datasets.flatMap((dataset) => dataset.notes ?? [])).toEqual([]);
  });

  test("shows locations relative to the working directory", async () => {
    const before = process.cwd();
    const file = bench.write("sub/experiment.yaml", varying("/stimuli", "/stimuli: []", "../eval.yaml"));
    try {
      process.chdir(bench.dir);
      await expect(loadExperiment(file).then((read) => planExperiment(read))).rejects.toThrow(
        /^sub\/experiment\.yaml:7:3: variant "other" is not a valid eval:\n {2}eval\.yaml:/,
      );
    } finally {
      process.chdir(before);
    }
  });

  test("names the variant whose settings make an invalid eval", async () => {
    await expect(plan(varying("/stimuli", "/stimuli: []"))).rejects.toThrow(
      /:7:3: variant "other" is not a valid eval:\n {2}.*eval\.yaml:/,
    );
    await expect(plan(varying("/defaults", "/defaults/modle: x"))).rejects.toThrow(
      /variant "other" is not a valid eval/,
    );
    await expect(plan(varying("/name", "/name/deep: x"))).rejects.toThrow(
      ':7:12: variant "other": /name/deep leads through "greeting", which has no keys.',
    );
    await expect(plan("name: x\neval: eval.yaml\nmatrix: { /name/deep: [1, 2] }\n")).rejects.toThrow(
      ':3:11: variant "deep=1": /name/deep leads through',
    );
  });
});

describe("shards of a plan", () => {
  const TWO = SKILL_HELP.replace("eval.yaml", "[eval.yaml, second.yaml]");
  const keysOf = ({ datasets }: Awaited<ReturnType<typeof plan>>) =>
    datasets.flatMap(({ examples }) => examples.map(({ id, dataset }) => `${dataset}:${id}`));

  test("cover the whole experiment and keep pairs together", async () => {
    const whole = keysOf(await plan(TWO));
    const parts = await Promise.all([1, 2, 3].map((index) => plan(TWO, { shard: { index, of: 3 } })));
    expect(parts.flatMap(keysOf).sort()).toEqual(whole.sort());
    for (const part of parts) {
      const stimuli = (variant: string) =>
        keysOf(part)
          .filter((key) => key.startsWith(variant))
          .map((key) => key.slice(variant.length));
      expect(stimuli("with-skill/")).toEqual(stimuli("without-skill/"));
    }
  });

  test("record the order of all test cases and the total number of planned trials", async () => {
    const parts = await Promise.all([1, 2, 3].map((index) => plan(TWO, { shard: { index, of: 3 } })));
    for (const { record } of parts) {
      expect(record.order?.map((name) => name.join(":"))).toEqual([
        "greeting:one",
        "greeting:two",
        "greeting:js-three",
        "second:one",
        "second:four",
      ]);
      expect(record.variants.map(({ planned }) => planned?.all)).toEqual([15, 15]);
    }
    const here = parts.map(({ record }) => record.variants[0]?.planned?.here ?? 0);
    expect(here.toSorted()).toEqual([3, 6, 6]);
  });

  test("have the fingerprint of the whole, wherever the files are", async () => {
    const { record } = await plan(TWO);
    const part = (await plan(TWO, { shard: { index: 2, of: 3 } })).record;
    expect(part).toEqual({ ...record, variants: part.variants, shard: { index: 2, of: 3 } });
    const elsewhere = createExperimentFolder();
    try {
      elsewhere.write("skill/SKILL.md", GREET_SKILL);
      elsewhere.write("eval.yaml", buildEvalYaml(["one", "two", "js-three"]));
      elsewhere.write("second.yaml", buildEvalYaml(["one", "four"], "second"));
      const same = await planExperiment(await loadExperiment(elsewhere.write("experiment.yaml", TWO)));
      expect(same.record.fingerprint).toBe(record.fingerprint);
      elsewhere.write("skill/SKILL.md", `${GREET_SKILL}Loudly.\n`);
      const other = await planExperiment(await loadExperiment(`${elsewhere.dir}/experiment.yaml`));
      expect(other.record.fingerprint).not.toBe(record.fingerprint);
    } finally {
      elsewhere.remove();
    }
  });

  test("are rejected if one would have nothing to run", async () => {
    await expect(plan(SKILL_HELP, { shard: { index: 1, of: 4 } })).rejects.toThrow("4 shards are too many for");
  });
});
