import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { startMock } from "../src/testing/mock/index.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, PARIS_SYSTEM, TempProject } from "../src/testing/temp-project.js";

const files = { "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM, "paris.mjs": PARIS_SYSTEM };
const BASE = ["--dataset", "capitals.jsonl", "--system", "./oracle.mjs", "--output", "json"];

async function json(space: TempProject, ...args: string[]) {
  const finished = await runPooledAssay(space.dir, ...args);
  expect(finished.stderr).not.toMatch(/^assay:/m);
  return parseReport(finished);
}

describe("assay run", () => {
  it("is the default command", async () => {
    const space = new TempProject(files);
    const short = await json(space, ...BASE);
    const long = await json(space, "run", ...BASE);
    expect(short.rows.map(({ exampleId, outcome }) => [exampleId, outcome])).toEqual(
      CAPITAL_EXAMPLES.map(({ id }) => [id, "pass"]),
    );
    expect(long.summary).toMatchObject({ oracle: { mean_score: 1, pass_rate: 1, num_planned: 4 } });
  });

  it("accepts --system several times", async () => {
    const report = await json(new TempProject(files), ...BASE, "--system", "./paris.mjs");
    expect(report.summary).toMatchObject({ oracle: { pass_rate: 1 }, paris: { pass_rate: 0.25 } });
  });

  it("accepts --agent-command several times, each with its --agent-name", async () => {
    const say = (word: string) => ["--agent-command", `node -p '"${word}"' {prompt}`];
    const names = ["--agent-name", "right", "--agent-name", "wrong"];
    const flags = ["--dataset", "capitals.jsonl", "-n", "1", "--head", "--output", "json"];
    const report = await json(new TempProject(files), ...flags, ...say("Paris"), ...say("Oslo"), ...names);
    expect(report.config.systems).toEqual(["right", "wrong"]);
    expect(report.summary).toMatchObject({ right: { pass_rate: 1 }, wrong: { pass_rate: 0 } });
  });

  it("accepts --agent-continue for further messages of the user", async () => {
    const conversation = JSON.stringify({ id: 1, turns: ["Paris", "Oslo"], answer: "Oslo" });
    const space = new TempProject({ ...files, "talk.jsonl": conversation });
    const echo = (word: string) => `node -p 'process.argv.slice(1).join()' ${word} {session} {prompt}`;
    const flags = ["--dataset", "talk.jsonl", "--evaluator", "answer_quality", "--output", "json"];
    const agent = ["--agent-command", echo("first")];
    const report = await json(space, ...flags, ...agent, "--agent-continue", echo("again"));
    expect(report.rows[0]?.metadata).toMatchObject({ userTurns: 2 });
  });

  it("accepts --user-model for examples with a simulated user, records and replays it, and needs it", async () => {
    const asked = { id: 1, question: "Hello", answer: "Paris", user: { goal: "to hear a city", max_turns: 5 } };
    const reply = [
      { model: "gpt-6-sol", match: "Paris", reply: "[END]" },
      { model: "gpt-6-sol", match: "/./", reply: "Which city?" },
      { model: "gpt-6-luna", match: "Which city", reply: "Paris" },
      { model: "gpt-6-luna", match: "/./", reply: "Hello" },
    ];
    const space = new TempProject({ ...files, "talk.jsonl": [asked], "mock.yaml": JSON.stringify({ reply }) });
    const flags = ["--dataset", "talk.jsonl", "--evaluator", "answer_quality", "--model", "openai/gpt-6-luna"];
    const user = ["--user-model", "openai/gpt-6-sol", "--output", "json"];
    const report = await json(space, ...flags, ...user, "--mock", "mock.yaml", "--record", "calls");
    expect(report.rows[0]).toMatchObject({ outcome: "pass", turns: 2, userCostUsd: expect.any(Number) });
    const replayed = await runPooledAssay(space.dir, ...flags, ...user, "--replay-traffic", "calls");
    expect(parseReport(replayed).rows[0]).toMatchObject({ outcome: "pass", turns: 2 });
    const refused = await runPooledAssay(space.dir, ...flags, "--mock", "mock.yaml");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("has a simulated user, but no model plays it. Name one with --user-model");
    const unused = await runPooledAssay(space.dir, ...BASE, "--user-model", "openai/gpt-6-sol");
    expect(unused.stderr).toContain("but the run has none. Add --model, --proxy or --agent");
  });

  it("accepts --dataset several times, each with its own rows", async () => {
    const space = new TempProject({ ...files, "more.csv": "id,question,answer\n1,Two?,2\n" });
    const report = await json(space, ...BASE, "--dataset", "more.csv");
    expect(report.rows.map(({ dataset }) => dataset)).toEqual([...CAPITAL_EXAMPLES.map(() => "capitals"), "more"]);
    expect(report.summary.oracle).toMatchObject({ "dataset:more": 1 });
  });

  it("accepts an --evaluator by name and from a file", async () => {
    const brief = `export default { name: "brief", score: (_, output) => ({ brief: output.response.length < 5 ? 1 : 0 }) };`;
    const space = new TempProject({ ...files, "brief.mjs": brief });
    const report = await json(space, ...BASE, "--evaluator", "./brief.mjs", "--evaluator", "answer_quality");
    expect(report.rows[1]?.scores).toMatchObject({ brief: 1, f1: 1 });
    expect(report.config.evaluators).toEqual(["brief", "answer_quality"]);
  });

  it("accepts a --metric by name and from a file, in addition to the standard ones, and shows it", async () => {
    const count = `export const metric = { name: "rows", compute: (rows) => ({ row_count: rows.length }) };`;
    const space = new TempProject({ ...files, "count.ts": count });
    const report = await json(space, ...BASE, "--metric", "./count.ts", "--metric", "pass_rate");
    expect(report.summary.oracle).toMatchObject({ row_count: 4, pass_rate: 1 });
    expect(report.summary.oracle).toHaveProperty("latency_p95");
    const { stdout } = await runPooledAssay(space.dir, ...BASE, "--metric", "./count.ts", "--output", "table");
    expect(stdout).toMatch(/\| system +\| row_count \|\n.*\n\| oracle +\| +4 \|/);
  });

  it("-n takes a seeded sample, --head the first rows, --filter matching ones", async () => {
    const rows = Array.from({ length: 40 }, (_, i) => ({ id: i, question: `q${i}`, answer: "x", part: `p,${i % 2}` }));
    const space = new TempProject({ ...files, "many.jsonl": rows });
    const ids = async (...args: string[]) => {
      const base = ["--dataset", "many.jsonl", "--system", "./oracle.mjs", "--output", "json"];
      return (await json(space, ...base, ...args)).rows.map(({ exampleId }) => exampleId);
    };
    const [sample, again, other, head, filtered] = await Promise.all([
      ids("-n", "5"),
      ids("--max-examples", "5", "--seed", "0"),
      ids("-n", "5", "--seed", "1"),
      ids("-n", "3", "--head"),
      ids("--filter", "part=p,1", "-n", "2", "--head"),
    ]);
    expect(again).toEqual(sample);
    expect(other).not.toEqual(sample);
    expect(sample).not.toEqual([0, 1, 2, 3, 4]);
    expect(head).toEqual([0, 1, 2]);
    expect(filtered).toEqual([1, 3]);
  });

  it("--map names the columns of a file", async () => {
    const space = new TempProject({ ...files, "data.csv": "n,prompt,gold\n7,Two?,2\n" });
    const report = await json(
      space,
      ...["--dataset", "data.csv", "--map", "id=n,question=prompt", "--map", "answer=gold"],
      ...["--system", "./oracle.mjs", "--output", "json"],
    );
    expect(report.rows).toMatchObject([{ exampleId: "7", outcome: "pass" }]);
  });

  it("--expert-cost is stored with the datasets", async () => {
    const report = await json(new TempProject(files), ...BASE, "--expert-cost", "capitals=2.5");
    expect(report.config.datasets).toMatchObject([{ expertCostUsd: 2.5 }]);
  });

  it("--skip-bad-rows counts skipped rows", async () => {
    const space = new TempProject({ ...files, "bad.jsonl": `${JSON.stringify(CAPITAL_EXAMPLES[0])}\n{broken\n[]\n` });
    const report = await json(
      space,
      ...["--dataset", "bad.jsonl", "--system", "./oracle.mjs", "--output", "json", "--skip-bad-rows"],
    );
    expect(report.rows).toHaveLength(1);
    expect(report.notes).toEqual([expect.stringMatching(/^2 bad rows skipped \(first: bad\.jsonl:2: /)]);
  });

  it("--score-field and --threshold decide what passes", async () => {
    const verbose = `export default { name: "verbose", process: (e) => ({ response: "I believe that it is " + e.answer }) };`;
    const space = new TempProject({ ...files, "verbose.mjs": verbose });
    const base = ["--dataset", "capitals.jsonl", "--system", "./verbose.mjs", "--output", "json"];
    const [strict, contained, lenient] = await Promise.all([
      json(space, ...base),
      json(space, ...base, "--score-field", "contains", "--threshold", "1"),
      json(space, ...base, "--threshold", "0.1"),
    ]);
    expect(strict.summary.verbose?.pass_rate).toBe(0);
    expect(contained.summary.verbose?.pass_rate).toBe(1);
    expect(lenient.summary.verbose?.pass_rate).toBe(1);
  });

  it("--trials repeats every example, and adds pass@k", async () => {
    const flaky = `export default { name: "flaky", process: (e, { trial }) => ({ response: trial === 1 ? e.answer : "?" }) };`;
    const space = new TempProject({ ...files, "flaky.mjs": flaky });
    const report = await json(
      space,
      ...["--dataset", "capitals.jsonl", "--system", "./flaky.mjs", "--trials", "3", "--output", "json"],
    );
    expect(report.rows).toHaveLength(12);
    expect(report.summary.flaky).toMatchObject({ pass_at_3: 1, pass_hat_3: 0, flaky_rate: 1 });
  });

  it("--max-workers limits concurrent trials", async () => {
    const watched = `let now = 0, most = 0;
      export default { name: "watched", async process() {
        most = Math.max(most, ++now);
        await new Promise((resolve) => setImmediate(resolve));
        now -= 1;
        return { response: "x", metadata: { most } };
      } };`;
    const space = new TempProject({ ...files, "watched.mjs": watched });
    const most = async (workers: string) => {
      const { rows } = await json(
        space,
        ...["--dataset", "capitals.jsonl", "--system", "./watched.mjs", "--max-workers", workers, "--output", "json"],
      );
      return Math.max(...rows.map(({ metadata }) => (metadata as { most: number }).most));
    };
    expect(await most("1")).toBe(1);
    expect(await most("3")).toBe(3);
  });

  it("--tokenizer sets how tokens are counted", async () => {
    const row = { id: 1, question: "Здравствуйте, уважаемые коллеги и дорогие друзья", answer: "да" };
    const space = new TempProject({ ...files, "russian.jsonl": [row] });
    const tokens = async (name: string) => {
      const base = ["--dataset", "russian.jsonl", "--system", "./oracle.mjs", "--output", "json"];
      return Number((await json(space, ...base, "--tokenizer", name)).rows[0]?.inputTokens);
    };
    expect(await tokens("o200k_base")).toBeLessThan(await tokens("cl100k_base"));
  });

  it("--cache-dir stores outputs by content and reuses them", async () => {
    const counting = `import { appendFileSync } from "node:fs";
      export default { name: "counting", process: (e) => { appendFileSync("calls", "."); return { response: e.answer }; } };`;
    const space = new TempProject({ ...files, "counting.mjs": counting });
    const run = (...args: string[]) =>
      json(space, "--dataset", "capitals.jsonl", "--system", "./counting.mjs", "--output", "json", ...args);
    await run("--cache-dir");
    expect(existsSync(space.path(".assay/cache"))).toBe(true);
    expect(space.read("calls")).toHaveLength(4);
    const again = await run("--cache-dir", ".assay/cache", "--evaluator", "answer_quality");
    expect(space.read("calls")).toHaveLength(4);
    expect(again.rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    await run("--cache-dir", "other", "--trials", "2");
    expect(space.read("calls")).toHaveLength(12);
  });

  it("--runs-dir and --title set the run folder and the title", async () => {
    const space = new TempProject(files);
    const report = await json(space, ...BASE, "--runs-dir", "kept", "--title", "All the capitals!");
    expect(report.config.title).toBe("All the capitals!");
    expect(space.runs("kept")).toEqual([expect.stringMatching(/^kept\/\d{8}-\d{6}-all-the-capitals$/)]);
    expect(report.run).toBe(space.runs("kept")[0]);
    expect(space.runs()).toEqual([]);
    const folder = space.runs("kept")[0] ?? "";
    expect(readdirSync(space.path(folder)).sort()).toEqual([
      "card.json",
      "examples.jsonl",
      "manifest.json",
      "outputs.jsonl",
      "rows.jsonl",
      "summary.json",
    ]);
    expect(JSON.parse(space.read(folder, "summary.json"))).toMatchObject({ complete: true, summary: report.summary });
  });

  it("--output table prints a Markdown table with the selected --columns", async () => {
    const space = new TempProject(files);
    const base = ["--dataset", "capitals.jsonl", "--system", "./oracle.mjs"];
    const [all, few] = await Promise.all([
      runPooledAssay(space.dir, ...base),
      runPooledAssay(space.dir, ...base, "--output", "table", "--columns", "quality,speed"),
    ]);
    expect(all.stdout).toMatch(/^# capitals: oracle\n\n\| system +\|/);
    expect(all.stdout).toMatch(/\| oracle \| +1 \[0.51, 1\] \|/);
    expect(all.stdout).toContain("4 trials planned: 4 pass, 0 fail");
    expect(all.stdout).toContain("tokens in → out");
    expect(few.stdout).toContain("latency p50");
    expect(few.stdout).not.toContain("tokens in → out");
  });

  it("--dry-run prints the plan, runs nothing and stores nothing", async () => {
    const bomb = `export default { name: "bomb", process: () => { throw new Error("ran"); } };`;
    const space = new TempProject({ ...files, "bomb.mjs": bomb });
    const base = ["--dataset", "capitals.jsonl", "--system", "./bomb.mjs", "--trials", "2", "--dry-run"];
    const words = await runPooledAssay(space.dir, ...base);
    expect(words).toMatchObject({ code: 0, stderr: "" });
    expect(words.stdout).toContain("1 system × 4 examples × 2 trials = 8 planned trials");
    expect(words.stdout).toMatch(/minimum detectable difference between two pass rates .*: \d+\.\d points/);
    const asJson = await runPooledAssay(space.dir, ...base, "--output", "json");
    expect(JSON.parse(asJson.stdout)).toMatchObject({ schema: "assay.plan/1", planned: 8, systems: ["bomb"] });
    expect(space.runs()).toEqual([]);
  });

  it("--dry-run counts the input like the run", async () => {
    const same = "One text, which is question and context.";
    const rows = [
      { id: 1, question: "What is it?", context: "It is tea.", answer: "tea" },
      { id: 2, question: same, context: same, answer: "tea" },
      { id: 3, turns: [{ role: "user", content: "Hello there." }], question: "And then?", answer: "tea" },
    ];
    const space = new TempProject({ ...files, "three.jsonl": rows });
    const base = ["--dataset", "three.jsonl", "--system", "./oracle.mjs", "--trials", "2", "--output", "json"];
    const plan = JSON.parse((await runPooledAssay(space.dir, ...base, "--dry-run")).stdout) as { inputTokens: number };
    const report = await json(space, ...base);
    expect(plan.inputTokens).toBe(report.rows.reduce((total, row) => total + Number(row.inputTokens), 0));
    expect(plan.inputTokens).toBeGreaterThan(0);
  });

  it("--fail-over exits 1 if a metric is higher, or was not measured", async () => {
    const space = new TempProject(files);
    const run = (gate: string) => runPooledAssay(space.dir, ...BASE, "--fail-over", gate);
    const [met, missed, unknown] = await Promise.all([
      run("error_rate=0"),
      run("pass_rate=0.5"),
      run("mean_cost_usd=1"),
    ]);
    expect(met.code).toBe(0);
    expect(missed).toMatchObject({ code: 1 });
    expect(missed.stderr).toContain("oracle: pass_rate = 1 is over 0.5");
    expect(unknown).toMatchObject({ code: 1 });
    expect(unknown.stderr).toContain("oracle: mean_cost_usd = – was not measured");
  });

  it("--output markdown and junit show the gates that decide the exit code", async () => {
    const space = new TempProject(files);
    const run = (output: string) =>
      runPooledAssay(
        space.dir,
        ...["--dataset", "capitals.jsonl", "--system", "./paris.mjs", "--fail-under", "pass_rate=0.9"],
        ...["--output", output],
      );
    const [comment, junit] = await Promise.all([run("markdown"), run("junit")]);
    expect([comment.code, junit.code]).toEqual([1, 1]);
    expect(comment.stdout).toContain(": 1 of 1 gate failed\n");
    expect(comment.stdout).toContain("- ❌ paris: pass_rate = 0.25 is under 0.9 (--fail-under pass_rate=0.9)\n");
    expect(comment.stdout).not.toContain("stimul");
    expect(junit.stdout).toContain('<failure type="gate" message="paris: pass_rate = 0.25 is under 0.9"/>');
  });

  it("--fail-under exits 1 and --min-coverage exits 3, each with the reason", async () => {
    const half = `export default { name: "half", process: (e) => { if (e.id === "it") throw new Error("down"); return { response: "Paris" }; } };`;
    const space = new TempProject({ ...files, "half.mjs": half });
    const run = (...args: string[]) => runPooledAssay(space.dir, "--dataset", "capitals.jsonl", ...args);
    const [met, missed, uncovered, allowed, both] = await Promise.all([
      run("--system", "./paris.mjs", "--fail-under", "pass_rate=0.25"),
      run("--system", "./paris.mjs", "--fail-under", "pass_rate=0.2", "--fail-under", "mean_score=0.9"),
      run("--system", "./half.mjs"),
      run("--system", "./half.mjs", "--min-coverage", "0.75"),
      run("--system", "./half.mjs", "--fail-under", "pass_rate=1"),
    ]);
    expect(met.code).toBe(0);
    expect(missed.code).toBe(1);
    expect(missed.stderr).toContain("paris: mean_score = 0.25 is under 0.9");
    expect(missed.stderr).not.toContain("pass_rate =");
    expect(uncovered.code).toBe(3);
    expect(uncovered.stderr).toContain("half: only 75 % of the planned trials were scored (--min-coverage 0.95)");
    expect(allowed.code).toBe(0);
    expect(both.code).toBe(3);
  });

  it.each([
    [["--until", "decided"], /compares systems, but the run has one/],
    [["--until", "pass_rate>=0.5", "--margin", "0.1"], /--margin is for --until decided/],
    [["--until", "pass_rate>=0.5", "--quality", "mean_score"], /Remove --quality mean_score/],
    [["--until", "pass_rate>=0.5", "--population", "all"], /--population must be tasks or dataset/],
    [["--confidence", "0.9"], /--confidence needs --until/],
  ])("%j is refused", async (flags, message) => {
    const { code, stderr } = await runPooledAssay(new TempProject(files).dir, ...BASE, ...flags);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("--quiet prints no progress", async () => {
    const { stderr } = await runPooledAssay(new TempProject(files).dir, ...BASE, "--quiet");
    expect(stderr).toMatch(/^Stored in \S+\n$/);
  });

  it("writes only results to stdout and everything else to stderr", async () => {
    const space = new TempProject(files);
    const noisy = `export default { name: "noisy", process: (e, t) => { t.log("hello"); console.error("NOISE"); return { response: e.answer }; } };`;
    space.write("noisy.mjs", noisy);
    const finished = await runPooledAssay(
      space.dir,
      ...["--dataset", "capitals.jsonl", "--system", "./noisy.mjs", "--output", "json", "--fail-under", "pass_rate=2"],
    );
    expect(finished.code).toBe(1);
    expect(parseReport(finished).rows[0]?.notes).toEqual(["hello"]);
    expect(finished.stderr).toMatch(/NOISE[\s\S]*Stored in [\s\S]*is under 2/);
  });

  it("--trust runs the config of another folder, which is rejected without it", async () => {
    const config = 'export default { datasets: ["capitals.jsonl"], systems: ["./oracle.mjs"], output: "json" };';
    const theirs = new TempProject({ ...files, "assay.config.mjs": config });
    const space = new TempProject();
    const flags = ["--config", theirs.path("assay.config.mjs")];
    const refused = await runPooledAssay(space.dir, ...flags);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("--trust")]);
    expect(await json(space, ...flags, "--trust")).toMatchObject({ summary: { oracle: { pass_rate: 1 } } });
  });

  it("--on-outage wait continues when the endpoint is back", async () => {
    const script = { reply: "Paris" };
    const before = await startMock(script);
    await before.close();
    const space = new TempProject(files);
    const flags = ["--dataset", "capitals.jsonl", "--proxy", `${before.url}/v1`, "--model", "m", "--output", "json"];
    const running = startAssay(space.dir, [...flags, "--on-outage", "wait"]);
    await running.says("is down");
    const after = await startMock({ ...script, port: before.port });
    const { rows } = parseReport(await running.finished);
    await after.close();
    expect(rows.filter(({ outcome }) => outcome !== "error")).not.toEqual([]);
    expect((await runPooledAssay(space.dir, ...flags, "--on-outage", "maybe")).stderr).toContain(
      "It must be stop or wait",
    );
  });

  it("--batch submits with --batch-no-wait, and --resume collects", async () => {
    const mock = await startMock({ reply: "Paris", batch: { delayMs: 3000 } });
    onTestFinished(() => mock.close());
    const space = new TempProject(files);
    const model = ["--dataset", "capitals.jsonl", "--proxy", `${mock.url}/v1`, "--model", "m"];
    const submitted = await runPooledAssay(space.dir, ...model, "--batch", "--batch-no-wait", "--batch-deadline", "6h");
    expect(submitted.stderr).toContain("Collect the results with: assay run --resume");
    expect(submitted).toMatchObject({ code: 0, stdout: "" });
    const { rows } = parseReport(await runPooledAssay(space.dir, "--resume", "--output", "json"));
    expect(rows.map(({ latency }) => latency)).toEqual(rows.map(() => null));
    expect(mock.requests.filter(({ batch }) => batch !== null)).toHaveLength(rows.length);
    const late = await runPooledAssay(space.dir, ...model, "--batch", "--batch-late", "never");
    expect(late.stderr).toContain("It must be live or leave");
  });

  it("--batch-late leave ends with exit 3 after the deadline, since results are missing", async () => {
    const mock = await startMock({ reply: "Paris", batch: { delayMs: 3_600_000 } });
    onTestFinished(() => mock.close());
    const space = new TempProject(files);
    const model = ["--dataset", "capitals.jsonl", "--proxy", `${mock.url}/v1`, "--model", "m"];
    const left = await runPooledAssay(
      space.dir,
      ...model,
      "--batch",
      "--batch-deadline",
      "1s",
      "--batch-late",
      "leave",
    );
    expect(left.stderr).toContain("The deadline of the batches is over: ");
    expect(left.stderr).toContain("Collect the results with: assay run --resume");
    expect(left.stderr).toContain("To wait longer, add --batch-deadline 24h; to send the rest one by one");
    expect(left).toMatchObject({ code: 3, stdout: "" });
  });

  it.each([
    ["a queue", ["--batch", "--queue", "redis://127.0.0.1:1"], "--batch cannot be combined with --queue"],
    ["a service tier", ["--batch", "--service-tier", "flex"], "batches are a tier of their own"],
    ["no --batch", ["--batch-deadline", "6h"], "--batch-deadline needs --batch"],
    ["--mock that is left", ["--batch", "--batch-late", "leave", "--mock", "m.yaml"], "ends with the command"],
    ["a compressor", ["--batch", "--system", "truncate:0.5"], "--batch is for models"],
  ])("--batch is refused with %s", async (_, flags, message) => {
    const space = new TempProject({ ...files, "m.yaml": "reply: Paris\n" });
    const model = flags.includes("--system") ? [] : ["--proxy", "http://127.0.0.1:9/v1", "--model", "m"];
    const { code, stderr } = await runPooledAssay(space.dir, "--dataset", "capitals.jsonl", ...model, ...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("has a test for each of its flags", async () => {
    const { stdout } = await runPooledAssay(new TempProject().dir, "run", "--help", "all");
    const flags = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
    expect(flags.length).toBeGreaterThan(25);
    const folder = new URL(".", import.meta.url);
    const suites = readdirSync(folder)
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    expect(flags.filter((flag) => !suites.includes(`"${flag}"`))).toEqual([]);
  });
});
