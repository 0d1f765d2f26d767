import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { nolimaFixture } from "../src/datasets/catalog/entries/nolima.fixture.js";
import type { HubFaultPlan } from "../src/datasets/hub/scripted-hub.js";
import { type ScriptedHub, startScriptedHub } from "../src/datasets/hub/scripted-hub.js";
import type { RepoPlan } from "../src/datasets/hub/scripted-repos.js";
import { runInPool } from "../src/testing/cli-pool.js";
import { type FinishedCommand, parseReport } from "../src/testing/run-assay.js";
import { encodeParquet } from "../src/testing/serve-fixture.js";
import { TempProject } from "../src/testing/temp-project.js";

/** A system without answers. */
const SILENT = "export default () => '';";
const GSM8K = "main/test-00000-of-00001.parquet";

/** Invented rows in the schema of GSM8K. */
function sums(count: number) {
  return Array.from({ length: count }, (_, i) => ({
    question: `What is ${i} plus ${i}?`,
    answer: `${i} + ${i} = ${2 * i}\n#### ${2 * i}`,
  }));
}

const columns = { question: "VARCHAR", answer: "VARCHAR" };

async function gsm8k(rows: readonly Record<string, unknown>[] = sums(30)): Promise<RepoPlan> {
  const bytes = await encodeParquet({ columns, rows }, { compression: "snappy" });
  return { revisions: { main: { files: { [GSM8K]: bytes } } } };
}

interface Served {
  hub: ScriptedHub;
  space: TempProject;
  assay(...args: string[]): Promise<FinishedCommand>;
}

/** A hub, and a folder in which the real command line uses it. */
async function serve(repos: Record<string, RepoPlan>, faults: readonly HubFaultPlan[] = []): Promise<Served> {
  const hub = await startScriptedHub({ repos, faults });
  onTestFinished(() => hub.close());
  const space = new TempProject({ "silent.mjs": SILENT });
  const env = { HF_ENDPOINT: hub.url, ASSAY_DATASETS_CACHE: space.path("cache"), HF_TOKEN: "", HF_HOME: space.dir };
  return { hub, space, assay: (...args) => runInPool(space.dir, args, env) };
}

const RUN = ["run", "--system", "./silent.mjs", "--output", "json", "--quiet"];

describe("a hub dataset", () => {
  it("is run, its revision is stored with the run, and the run works offline afterwards", async () => {
    const { hub, assay, space } = await serve({ "openai/gsm8k": await gsm8k() });
    const report = parseReport(await assay(...RUN, "--dataset", "gsm8k", "-n", "10"));
    const revision = hub.commit("openai/gsm8k");
    expect(report.config.datasets[0]).toMatchObject({
      name: "gsm8k",
      examples: 10,
      primaryField: "math_equiv",
      origin: { repo: "openai/gsm8k", revision, files: [GSM8K] },
    });
    await hub.close();
    const env = { HF_HUB_OFFLINE: "1", HF_ENDPOINT: hub.url, ASSAY_DATASETS_CACHE: space.path("cache") };
    const offline = await runInPool(space.dir, [...RUN, "--dataset", "gsm8k", "-n", "10"], env);
    expect(parseReport(offline).rows.map(({ exampleId }) => exampleId)).toEqual(
      report.rows.map(({ exampleId }) => exampleId),
    );
    const never = await runInPool(space.dir, [...RUN, "--dataset", "mmlu"], env);
    expect(never.code).toBe(3);
    expect(never.stderr).toMatch(/HF_HUB_OFFLINE/);
  });

  it("is pinned by its revision, which resumed and graded runs keep", async () => {
    const before = await gsm8k(sums(4));
    const { assay, hub } = await serve({ "openai/gsm8k": before });
    const first = parseReport(await assay(...RUN, "--dataset", "gsm8k"));
    const commit = hub.commit("openai/gsm8k");
    const now = await encodeParquet({ columns, rows: sums(9) }, { compression: "zstd" });
    Object.assign(before.revisions, {
      old: { files: before.revisions.main?.files },
      main: { files: { [GSM8K]: now } },
    });
    expect(parseReport(await assay(...RUN, "--dataset", "gsm8k")).rows).toHaveLength(9);
    expect(parseReport(await assay(...RUN, "--dataset", "gsm8k@old")).rows).toHaveLength(4);
    const graded = await assay("grade", first.run ?? "", "--output", "json");
    expect(graded.stderr).not.toMatch(/^assay:/m);
    expect(parseReport(graded).rows).toHaveLength(4);
    // A resumed run must have the plan it was started with.
    const resumed = await assay("run", "--resume", first.run ?? "", "--output", "json");
    expect(resumed.stderr).not.toMatch(/^assay:/m);
    expect(parseReport(resumed).rows).toHaveLength(4);
    expect(hub.requests.some(({ path }) => path.includes(commit))).toBe(true);
    const missing = await assay(...RUN, "--dataset", "gsm8k@nowhere");
    expect(missing.code).not.toBe(0);
    expect(missing.stderr).toMatch(/nowhere/);
  });

  it("is shown with its description and one example", async () => {
    const { assay } = await serve({ "openai/gsm8k": await gsm8k() });
    const { stdout, code } = await assay("datasets", "show", "gsm8k");
    expect(code).toBe(0);
    for (const part of ["openai/gsm8k", "1,319", "license: mit", "gated: no", "math_equivalence", "What is", "Gold: "])
      expect(stdout).toContain(part);
  });

  it("is found after it has moved", async () => {
    const { assay } = await serve({
      "openai/gsm8k": { revisions: {}, movedTo: "openai/grade-school" },
      "openai/grade-school": await gsm8k(sums(3)),
    });
    const report = parseReport(await assay(...RUN, "--dataset", "gsm8k"));
    expect(report.rows).toHaveLength(3);
    expect(report.notes.join("\n")).toMatch(/openai\/grade-school/);
  });

  const other = () =>
    encodeParquet(
      { columns: { prompt: "VARCHAR", answer: "VARCHAR" }, rows: [{ prompt: "?", answer: "#### 1" }] },
      { compression: "snappy" },
    );
  const cases: [string, () => Promise<{ repo?: RepoPlan; faults?: HubFaultPlan[] }>, RegExp, number][] = [
    [
      "without a column",
      async () => ({ repo: { revisions: { main: { files: { [GSM8K]: await other() } } } } }),
      /has no column "question".*Its columns: prompt, answer/s,
      2,
    ],
    [
      "that is truncated",
      async () => ({ repo: { revisions: { main: { files: { [GSM8K]: (await other()).subarray(0, 200) } } } } }),
      /openai\/gsm8k main\/test-00000-of-00001\.parquet.*(?:truncated|cut|end|Parquet)/s,
      2,
    ],
    [
      "that asks for a token",
      async () => ({ repo: { ...(await gsm8k()), isGated: true, token: "hf_right" } }),
      /HF_TOKEN/,
      2,
    ],
    ["that is private or gone", async () => ({}), /openai\/gsm8k/, 2],
    [
      "whose bytes are wrong",
      async () => ({
        repo: {
          revisions: {
            main: {
              files: {
                "main/test.jsonl": Buffer.from(
                  sums(3)
                    .map((row) => JSON.stringify(row))
                    .join("\n"),
                ),
              },
            },
          },
        },
        faults: [{ kind: "wrong", path: "test.jsonl", times: 9 }],
      }),
      /checksum|hash|damaged|differ/i,
      3,
    ],
  ];
  it.each(cases)("%s has its own error, and the cache stays intact", async (_, make, message, code) => {
    const { repo, faults } = await make();
    const { assay, space, hub } = await serve(repo === undefined ? {} : { "openai/gsm8k": repo }, faults ?? []);
    const failed = await assay(...RUN, "--dataset", "gsm8k");
    expect(failed.stderr).toMatch(message);
    expect(failed.stderr).not.toMatch(/ {4}at /);
    expect(failed.code).toBe(code);
    // The same cache with a healthy hub.
    const sound = await serve({ "openai/gsm8k": await gsm8k(sums(5)) });
    const env = { HF_ENDPOINT: sound.hub.url, ASSAY_DATASETS_CACHE: space.path("cache") };
    const again = await runInPool(space.dir, [...RUN, "--dataset", "gsm8k"], env);
    expect(parseReport(again).rows).toHaveLength(5);
    await hub.close();
  });

  it("can be downloaded by two processes at once", async () => {
    const { assay } = await serve({ "openai/gsm8k": await gsm8k(sums(200)) });
    const both = await Promise.all([assay(...RUN, "--dataset", "gsm8k"), assay(...RUN, "--dataset", "gsm8k")]);
    for (const finished of both) expect(parseReport(finished).rows).toHaveLength(200);
  });
});

describe("samples", () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    question: `Q${i}`,
    answer: "A",
    subject: i < 40 ? "law" : "maths",
  }));

  async function mmlu(): Promise<RepoPlan> {
    const types = { question: "VARCHAR", subject: "VARCHAR", choices: "VARCHAR[]", answer: "BIGINT" };
    const given = rows.map((row) => ({ ...row, choices: ["w", "x", "y", "z"], answer: 2 }));
    const bytes = await encodeParquet({ columns: types, rows: given }, { compression: "zstd" });
    return { revisions: { main: { files: { "all/test-00000-of-00001.parquet": bytes } } } };
  }

  it("are stratified by subject, the same for the same seed, and different for another", async () => {
    const { assay } = await serve({ "cais/mmlu": await mmlu() });
    const sample = async (...flags: string[]) =>
      parseReport(await assay(...RUN, "--dataset", "mmlu", ...flags)).rows as unknown as {
        exampleId: string;
        facets: { subject: string };
      }[];
    const drawn = await sample("-n", "9");
    expect(drawn.filter(({ facets }) => facets.subject === "law")).toHaveLength(6);
    expect(drawn.map(({ exampleId }) => exampleId)).toEqual((await sample("-n", "9")).map((row) => row.exampleId));
    const ids = new Set((await sample("-n", "9", "--shuffle-seed", "3")).map((row) => row.exampleId));
    expect(drawn.some(({ exampleId }) => !ids.has(exampleId))).toBe(true);
    const head = await sample("-n", "5", "--head");
    expect(head.every(({ facets }) => facets.subject === "law")).toBe(true);
    const filtered = await sample("--filter", "subject=maths");
    expect(filtered).toHaveLength(20);
    const nothing = await assay(...RUN, "--dataset", "mmlu", "--filter", "subject=cooking");
    expect(nothing.stderr).toMatch(/subject=cooking.*law, maths/s);
    expect(nothing.code).toBe(2);
  });
});

describe("local files", () => {
  const given = [
    { id: 1, q: "Two plus two?", a: "4" },
    { id: 2, q: "Three, or four?", a: "4" },
  ];
  const delimited = (separator: string) =>
    ["id,q,a", ...given.map(({ id, q, a }) => `${id},"${q}",${a}`)]
      .map((line) => line.replaceAll(/,(?! )/g, separator))
      .join("\n");

  it("of every format, plain and compressed, contain the same examples", async () => {
    const space = new TempProject({ "silent.mjs": SILENT });
    const types = { id: "BIGINT", q: "VARCHAR", a: "VARCHAR" };
    const contents: Record<string, Buffer> = {
      "data.jsonl": Buffer.from(given.map((row) => JSON.stringify(row)).join("\n")),
      "data.json": Buffer.from(JSON.stringify(given)),
      "data.csv": Buffer.from(delimited(",")),
      "data.tsv": Buffer.from(delimited("\t")),
      "data.parquet": await encodeParquet({ columns: types, rows: given }, { compression: "gzip" }),
    };
    const files = Object.entries(contents).flatMap(([name, bytes]) => {
      const plain = name.replace("data", `plain-${name.split(".")[1]}`);
      const packed = `${name.replace("data", `packed-${name.split(".")[1]}`)}.gz`;
      space.writeBytes(plain, bytes);
      space.writeBytes(packed, gzipSync(bytes));
      return [plain, packed];
    });
    const datasets = files.flatMap((file) => ["--dataset", file]);
    const args = [...RUN, ...datasets, "--map", "question=q,answer=a", "--evaluator", "regex:/^$/"];
    const report = parseReport(await runInPool(space.dir, args));
    const found = files.map((file) => {
      const own = report.rows.filter(({ dataset }) => dataset === file.replace(/\..*$/, ""));
      return [file, own.map(({ exampleId, outcome }) => [String(exampleId), outcome])];
    });
    const both = [
      ["1", "pass"],
      ["2", "pass"],
    ];
    expect(found).toEqual(files.map((file) => [file, both]));
  });

  it.each([
    ["cut.jsonl.gz", gzipSync(Buffer.alloc(4000, "x")).subarray(0, 30), /cut\.jsonl\.gz" is truncated/],
    ["bad.tsv", Buffer.from("question\tanswer\nWhy?\n"), /bad\.tsv:2: the row has 1 cell, but the header has 2/],
    ["not.parquet", Buffer.from("hello"), /not\.parquet.*(?:not a|no) Parquet/s],
  ])("%s is rejected with the problem and its place", async (name, content, message) => {
    const space = new TempProject({ "silent.mjs": SILENT });
    space.writeBytes(name, content);
    const failed = await runInPool(space.dir, [...RUN, "--dataset", name]);
    expect(failed.stderr).toMatch(message);
    expect(failed.code).toBe(2);
  });

  it("report the row of a Parquet file that cannot be used", async () => {
    const space = new TempProject({ "silent.mjs": SILENT });
    const rows = [{ question: "Why?" }, { question: null }];
    space.writeBytes(
      "data.parquet",
      await encodeParquet({ columns: { question: "VARCHAR" }, rows }, { compression: "snappy" }),
    );
    const failed = await runInPool(space.dir, [...RUN, "--dataset", "data.parquet"]);
    expect(failed.stderr).toMatch(/data\.parquet row 2: the row has neither a context nor a question/);
    const skipped = await runInPool(space.dir, [...RUN, "--dataset", "data.parquet", "--skip-bad-rows"]);
    expect(parseReport(skipped).rows).toHaveLength(1);
  });

  it("are read like a dataset of the catalog", async () => {
    const space = new TempProject({ "silent.mjs": SILENT, "mine.jsonl": sums(3) });
    const report = parseReport(await runInPool(space.dir, [...RUN, "--dataset", "gsm8k=mine.jsonl"]));
    expect(report.rows.map(({ scores }) => Object.keys(scores))).toEqual(
      sums(3).map(() => expect.arrayContaining(["math_equiv", "f1"])),
    );
    const mapped = await runInPool(space.dir, [...RUN, "--dataset", "gsm8k=mine.jsonl", "--map", "question=q"]);
    expect(mapped.stderr).toMatch(/--map is only for files/);
  });
});

describe("assay datasets", () => {
  it("lists all of them, with license and score", async () => {
    const { stdout, code } = await runInPool(new TempProject().dir, ["datasets"]);
    expect(code).toBe(0);
    for (const name of ["gsm8k", "mmlu[:CONFIG]", "swebench-lite", "needle", "locomo", "longmemeval[:CONFIG]"])
      expect(stdout).toMatch(new RegExp(`^\\| ${name.replaceAll(/[[\]]/g, "\\$&")} +\\|`, "m"));
    expect(stdout).toMatch(/gpqa.*gated/);
  });

  it.each([
    ["of the config that is found", "assay.config.yaml", []],
    ["of the config that is named", "project/other.yaml", ["--config", "project/other.yaml"]],
    ["of a flag and the config", "assay.config.yaml", ["--plugin", "plugin.mjs"]],
  ])("lists and shows datasets of plugins: %s", async (_, config, flags) => {
    const plugin = `export const register = (registry) =>
      registry.register("dataset", "riddles", {
        name: "riddles",
        description: "Riddles of ours.",
        load: () => ({ name: "riddles", examples: [{ id: 1, question: "What has keys?", answer: "a piano" }] }),
      });`;
    const place = config.includes("/") ? "../plugin.mjs" : "./plugin.mjs";
    const space = new TempProject({ "plugin.mjs": plugin, [config]: `plugins: [${place}]\n` });
    const listed = await runInPool(space.dir, ["datasets", ...flags]);
    expect(listed).toMatchObject({ code: 0, stderr: "" });
    expect(listed.stdout).toMatch(/^\| riddles .*Riddles of ours\./m);
    const shown = await runInPool(space.dir, ["datasets", "show", "riddles", ...flags]);
    expect(shown).toMatchObject({ code: 0, stderr: "" });
    expect(shown.stdout).toContain("What has keys?");
  });

  it("import names files, keeps the config's comments, and works at once", async () => {
    const space = new TempProject({
      "silent.mjs": SILENT,
      "assay.config.yaml": "# nightly\ntrials: 2\n",
      "data/faq.csv": "q,a,topic\nWhy?,So,life\nHow?,Thus,work\n",
    });
    const args = ["datasets", "import", "faq", "data/faq.csv", "--map", "question=q,answer=a", "--subject", "topic"];
    const imported = await runInPool(space.dir, args);
    expect(imported.stderr).toMatch(/faq: 2 examples in 1 file, added to .*assay\.config\.yaml/);
    const config = readFileSync(space.path("assay.config.yaml"), "utf8");
    expect(config).toMatch(/^# nightly\ntrials: 2\n/);
    expect(config).toContain("data/faq.csv");
    const report = parseReport(await runInPool(space.dir, [...RUN, "--dataset", "faq"]));
    expect(report.rows).toHaveLength(4);
    expect(report.summary.silent).toMatchObject({ "facet:topic=life": 0 });
    const again = await runInPool(space.dir, args);
    expect(again.stderr).toMatch(/--replace/);
    expect(again.code).toBe(2);
    expect((await runInPool(space.dir, [...args, "--replace"])).code).toBe(0);
  });

  it.each([
    [["import", "x"], /The dataset name or its files are missing/],
    [["import", "gsm8k", "a.csv"], /belongs to a built-in dataset/],
    [["import", "a/b", "a.csv"], /not a valid dataset name/],
    [["import", "x", "nowhere.csv"], /File not found: "nowhere\.csv"/],
    [["import", "x", "bad.csv"], /bad\.csv:2: the row has neither a context nor a question/],
    [["import", "x", "a.csv", "--template", "needle"], /uses the template "needle"/],
    [["import", "x", "a.csv", "--template", "gsm8k", "--map", "question=q"], /Remove --map and --subject/],
    [["import", "x", "a.csv", "--score-field", "nonsense"], /No evaluator of x returns "nonsense"/],
    [["import", "x", "a.csv", "--subject", "nonsense"], /No row has the field "nonsense"/],
    [["imprt"], /Did you mean "import"/],
    [["show"], /The dataset is missing/],
    [["show", "mmlu:anatmy"], /Did you mean "anatomy"/],
    [["show", "gsm8k:mian"], /has no configs/],
    [["show", "needle", "--template", "gsm8k"], /--template is only for assay datasets import/],
  ])("rejects %j", async (words, message) => {
    const space = new TempProject({ "a.csv": "question,answer\nWhy?,So\n", "bad.csv": "q\nWhy?\n" });
    const { code, stderr } = await runInPool(space.dir, ["datasets", ...words]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
    expect(readdirSync(space.dir)).not.toContain("assay.config.yaml");
  });

  it("import does not change a config that is code, and prints what to add", async () => {
    const space = new TempProject({ "assay.config.mjs": "export default {};", "a.csv": "question,answer\nWhy?,So\n" });
    const { code, stderr } = await runInPool(space.dir, ["datasets", "import", "x", "a.csv"]);
    expect(stderr).toMatch(/is code and is not changed.*namedDatasets/s);
    expect(code).toBe(2);
    expect(readFileSync(join(space.dir, "assay.config.mjs"), "utf8")).toBe("export default {};");
  });
});

describe("two configs of one dataset", () => {
  it("have different names, also for --evaluator", async () => {
    const space = new TempProject({ "silent.mjs": SILENT, "a.tsv": "One?\t1\n", "b.tsv": "Eins?\t1\n" });
    const datasets = ["--dataset", "mgsm:en=a.tsv", "--dataset", "mgsm:de=b.tsv"];
    const report = parseReport(
      await runInPool(space.dir, [...RUN, ...datasets, "--evaluator", "mgsm:de=numeric_tolerance"]),
    );
    expect(
      report.rows.map(({ dataset, scores }) => [dataset, "math_equiv" in scores, "numeric_tolerance" in scores]),
    ).toEqual([
      ["mgsm:en", true, false],
      ["mgsm:de", false, true],
    ]);
  });
});

describe("ambiguous names", () => {
  it.each([
    [["--dataset", "needle=x.jsonl"], /needle does not read files/],
    [["--dataset", "locomo"], /Write: assay memory --dataset locomo/],
    [["--dataset", "needle", "--head"], /--head.*Add -n/],
    [["--dataset", "needle", "--shuffle-seed", "3"], /--shuffle-seed.*Add -n/],
    [["--dataset", "."], /is a folder/],
  ])("are rejected: %j", async (args, message) => {
    const space = new TempProject({ "silent.mjs": SILENT, "x.jsonl": sums(2) });
    const { code, stderr } = await runInPool(space.dir, [...RUN, ...args]);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("are read if the file exists: an equals sign in a file name", async () => {
    const space = new TempProject({ "silent.mjs": SILENT, "run=1.jsonl": sums(2) });
    expect(parseReport(await runInPool(space.dir, [...RUN, "--dataset", "run=1.jsonl"])).rows).toHaveLength(2);
  });

  it("are rejected in a config: files named like a dataset, with the position", async () => {
    const config = "namedDatasets:\n  gsm8k:\n    files: [x.jsonl]\n";
    const space = new TempProject({ "silent.mjs": SILENT, "x.jsonl": sums(2), "assay.config.yaml": config });
    const { code, stderr } = await runInPool(space.dir, ["datasets"]);
    expect(stderr).toMatch(/namedDatasets in the config uses the name "gsm8k"/);
    expect(code).toBe(2);
  });

  it("are shown for what they are: a file named like a memory dataset", async () => {
    const space = new TempProject({ "locomo.jsonl": sums(2) });
    const { code, stdout } = await runInPool(space.dir, ["datasets", "show", "locomo.jsonl"]);
    expect(stdout).toMatch(/What is/);
    expect(code).toBe(0);
  });
});

describe("nolima", () => {
  it("varies depth and length, and shows a heat map", async () => {
    const [fixture] = nolimaFixture;
    if (fixture === undefined) throw new Error("no fixture");
    const files = Object.fromEntries(
      Object.entries(fixture.files).map(([path, file]) => [path, Buffer.from("text" in file ? file.text : "")]),
    );
    const { assay } = await serve({ "amodaresi/NoLiMa": { revisions: { main: { files } } } });
    const run = ["run", "--system", "./silent.mjs", "--dataset", "nolima:lengths=300,600;depths=0,1;hops=1", "--quiet"];
    const { stdout, stderr } = await assay(...run);
    expect(stderr).not.toMatch(/^assay:/m);
    expect(stdout).toMatch(/mean score by depth and length/);
    expect(stdout).toMatch(/\| depth ↓ length → +\| +300 +\| +600 +\| +mean +\|/);
    const wrong = await assay(...run.with(4, "nolima:lengths=300;depth=0"));
    expect(wrong.stderr).toMatch(/unknown setting "depth".*Did you mean "depths"/);
  });
});
