import { describe, expect, it, onTestFinished } from "vitest";
import { runInPool, runPooledAssay } from "../src/testing/cli-pool.js";
import { type Mock, type MockOptions, startMock } from "../src/testing/mock/index.js";
import { type PrintedReport, parseReport } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

async function mockOf(script: MockOptions = {}): Promise<Mock> {
  const answers = CAPITAL_EXAMPLES.map(({ question, answer }) => ({
    question: String(question),
    answer: String(answer),
  }));
  const mock = await startMock({ answers, keepBodies: true, ...script });
  onTestFinished(() => mock.close());
  return mock;
}

const MODELS = `models:
  clever:
    api_name: clever-1
    base_url: BASE
    pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }
    budgets: { max_cost_usd: 0.25, hard_timeout_secs: 60 }
  free:
    base_url: BASE
    pricing: { input_per_1k: 0, output_per_1k: 0 }
default: clever
`;

const spaceOf = (mock?: Mock) =>
  new TempProject({
    "capitals.jsonl": CAPITAL_EXAMPLES,
    ...(mock === undefined ? {} : { "models.yml": MODELS.replaceAll("BASE", `${mock.url}/v1`) }),
  });

async function run(
  space: TempProject,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<PrintedReport> {
  const fixed = ["run", "--dataset", "capitals.jsonl", "--output", "json", "--quiet", "--score-field", "contains"];
  return parseReport(await runInPool(space.dir, [...fixed, ...args], env));
}

const bodiesOf = (mock: Mock) => mock.requests.map(({ body }) => body as Record<string, unknown>);

describe("models on the command line", () => {
  it.each(["chat", "responses", "anthropic", "gemini"])("calls a --proxy in %s with --api", async (api) => {
    const mock = await mockOf();
    const report = await run(spaceOf(), ["--proxy", mock.url, "--model", "gpt-4o", "--api", api]);
    const port = new URL(mock.url).port;
    expect(report.summary[`127.0.0.1:${port}/gpt-4o`]).toMatchObject({ pass_rate: 1, coverage: 1 });
    expect(report.rows[0]).toMatchObject({ usage: { input: expect.any(Number) }, costSource: "priced", turns: 1 });
    expect(new Set(mock.requests.map(({ dialect }) => dialect))).toEqual(new Set([api]));
    expect(mock.requests.every(({ stream }) => stream === true)).toBe(true);
  });

  it("pairs --proxy, --model and --name", async () => {
    const [one, two] = [await mockOf(), await mockOf()];
    const args = [
      "--proxy",
      one.url,
      "--name",
      "a",
      "--model",
      "m1",
      "--proxy",
      two.url,
      "--name",
      "b",
      "--model",
      "m2",
    ];
    const report = await run(spaceOf(), args);
    expect(Object.keys(report.summary)).toEqual(["a", "b"]);
    expect(new Set(one.requests.map(({ model }) => model))).toEqual(new Set(["m1"]));
    expect(new Set(two.requests.map(({ model }) => model))).toEqual(new Set(["m2"]));
  });

  it("takes models from --models, by name, with their prices and limits", async () => {
    const mock = await mockOf();
    const space = spaceOf(mock);
    const report = await run(space, ["--models", "models.yml", "--model", "clever", "--model", "free"]);
    expect(Object.keys(report.summary)).toEqual(["clever", "free"]);
    expect(report.rows.find(({ system }) => system === "free")).toMatchObject({ costUsd: 0, costSource: "priced" });
    expect(report.rows.find(({ system }) => system === "clever")?.costUsd).toBeGreaterThan(0);
    expect(new Set(mock.requests.map(({ model }) => model))).toEqual(new Set(["clever-1", "free"]));
    const manifest = JSON.parse(space.read(space.runs()[0] ?? "", "manifest.json"));
    expect(manifest.systems.clever).toMatchObject({ model: "clever-1", limits: { maxCostUsd: 0.25 } });
  });

  it("measures the default of models.yml if nothing is named", async () => {
    const mock = await mockOf();
    const report = await run(spaceOf(mock), []);
    expect(Object.keys(report.summary)).toEqual(["clever"]);
  });

  it("sends the configured settings", async () => {
    const mock = await mockOf();
    const flags = ["--system-prompt", "Be brief.", "--temperature", "0.5", "--max-tokens", "77"];
    const more = ["--extra-body", '{"top_p":0.9}', "--header", "X-Team: blue", "--timeout", "30"];
    await run(spaceOf(), ["--proxy", mock.url, "--model", "m", ...flags, ...more]);
    expect(bodiesOf(mock)[0]).toMatchObject({ temperature: 0.5, max_tokens: 77, top_p: 0.9 });
    expect(JSON.stringify(bodiesOf(mock)[0])).toContain("Be brief.");
    expect(mock.requests[0]?.headers).toMatchObject({ "x-team": "blue" });
  });

  it("sends --service-tier, and counts its price", async () => {
    const mock = await mockOf();
    const pricing = "{ input_per_1k: 2, output_per_1k: 2, flex: { input_per_1k: 1, output_per_1k: 1 } }";
    const space = new TempProject({
      "capitals.jsonl": CAPITAL_EXAMPLES,
      "models.yml": `models:\n  m: { base_url: "${mock.url}", pricing: ${pricing} }\n`,
    });
    const costs = [];
    for (const flags of [[], ["--service-tier", "flex"]]) {
      const report = await run(space, ["--model", "m", "--trial-max-cost", "0", ...flags]);
      costs.push(report.rows.reduce((sum, { costUsd }) => sum + Number(costUsd ?? Number.NaN), 0));
    }
    expect(bodiesOf(mock).map((body) => (body as { service_tier?: string }).service_tier)).toEqual([
      ...CAPITAL_EXAMPLES.map(() => undefined),
      ...CAPITAL_EXAMPLES.map(() => "flex"),
    ]);
    expect(costs[0]).toBeGreaterThan(0);
    expect(costs[1]).toBeCloseTo((costs[0] ?? 0) / 2, 9);
    const [unknown, wrong] = [
      await runPooledAssay(
        space.dir,
        "run",
        "--dataset",
        "capitals.jsonl",
        "--model",
        "m",
        "--service-tier",
        "priority",
        "--max-cost",
        "1",
      ),
      await runPooledAssay(space.dir, "run", "--dataset", "capitals.jsonl", "--model", "m", "--service-tier", "fast"),
    ];
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining("pricing.priority in models.yml") });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("It must be flex or priority.") });
  });

  it("sends the key from the variable of --api-key-env, and names one that is not set", async () => {
    const mock = await mockOf({ requireKey: "dummy-key" });
    const args = ["--proxy", mock.url, "--model", "m", "--api-key-env", "TEAM_KEY"];
    const report = await run(spaceOf(), args, { TEAM_KEY: "dummy-key" });
    expect(report.rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    const missing = await runPooledAssay(spaceOf().dir, "run", "--dataset", "capitals.jsonl", ...args);
    expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining("TEAM_KEY") });
    const wrong = await run(spaceOf(), args, { TEAM_KEY: "other-key" });
    expect(wrong.rows[0]).toMatchObject({ outcome: "error", errorCategory: "api_error" });
    expect(wrong.rows[0]?.attempts[0]?.message).toContain("TEAM_KEY");
    expect(JSON.stringify(wrong)).not.toContain("other-key");
  });

  it("rejects sending a key over plain http to another machine without --allow-insecure", async () => {
    const args = ["run", "--dataset", "capitals.jsonl", "--proxy", "http://192.0.2.1:9/v1", "--model", "m"];
    const env = { TEAM_KEY: "dummy-key" };
    const keyed = [...args, "--api-key-env", "TEAM_KEY"];
    const refused = await runInPool(spaceOf().dir, keyed, env);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/plain http/i) });
    const dry = await runInPool(spaceOf().dir, [...keyed, "--allow-insecure", "--dry-run"], env);
    expect(dry).toMatchObject({ code: 0 });
  });

  it.each([
    ["a proxy that is no URL", ["--proxy", "localhost", "--model", "m"], "--proxy must be an http or https URL"],
    ["a name for nothing", ["--name", "a"], "--name and --api require a --model or --proxy"],
    [
      "two names for one model",
      ["--model", "m", "--proxy", "http://127.0.0.1:9", "--name", "a", "--name", "b"],
      "--name",
    ],
    ["a dialect that is none", ["--proxy", "http://127.0.0.1:9", "--api", "chatt"], 'Did you mean "chat"?'],
    ["a model that nobody knows", ["--model", "gpt"], "--proxy URL"],
    ["a body that is no object", ["--proxy", "http://127.0.0.1:9", "--extra-body", "[1]"], "JSON object"],
    ["a header without a colon", ["--proxy", "http://127.0.0.1:9", "--header", "x"], "Name: value"],
    ["a budget of nothing", ["--proxy", "http://127.0.0.1:9", "--max-cost", "0"], "more than 0"],
    ["a price that nobody knows", ["--proxy", "http://127.0.0.1:9", "--model", "zz", "--max-cost", "1"], "no price"],
    ["an unused setting", ["--system", "passthrough", "--temperature", "1"], "--temperature is only for models"],
    ["an effort of neither", ["--system", "passthrough", "--effort", "low"], "--effort is only for models and agents"],
    ["batches as a tier", ["--proxy", "http://127.0.0.1:9", "--service-tier", "batch"], "use --batch"],
    ["a models file that is not there", ["--models", "no.yml", "--model", "m"], "no.yml"],
  ])("rejects %s", async (_, args, message) => {
    const { code, stderr } = await runPooledAssay(spaceOf().dir, "run", "--dataset", "capitals.jsonl", ...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(code).toBe(2);
  });
});

describe("budgets on the command line", () => {
  it("--trial-max-cost stops a trial in its stream, and grades its partial output", async () => {
    const mock = await mockOf({ outputTokens: 4000, tokensPerSec: 20_000 });
    const report = await run(spaceOf(mock), ["--model", "clever", "--trial-max-cost", "0.0005"]);
    for (const row of report.rows) {
      expect(row).toMatchObject({ outcome: "pass", errorCategory: "cost_killed", partial: true });
      expect(row.costKilledAt).toBeGreaterThan(0.0005);
      // One event past the limit, not the whole answer.
      expect(row.costUsd).toBeLessThan(0.002);
    }
    expect(report.summary.clever?.efficiency).toMatchObject({ cost_killed_count: 4 });
  });

  it("--max-cost stops the run evenly across systems, and says so", async () => {
    const mock = await mockOf({ outputTokens: 200 });
    const args = ["--model", "clever", "--trial-max-cost", "0.0006", "--max-cost", "0.0030", "--trials", "5"];
    const report = await run(spaceOf(mock), args);
    const skipped = report.rows.filter(({ outcome }) => outcome === "skipped");
    expect(skipped.length).toBeGreaterThan(5);
    expect(skipped.some(({ trial }) => trial === 0)).toBe(false);
    expect(report.notes).toContain("budget stopped: 4 of 4 tasks have at least one trial");
    expect(report.notes.at(-1)).toMatch(/^spent \$0\.00\d+ of \$0\.0030$/);
  });

  it("--dry-run prints cost and time estimates, and calls no model", async () => {
    const mock = await mockOf();
    const dry = await runPooledAssay(
      spaceOf(mock).dir,
      "run",
      "--dataset",
      "capitals.jsonl",
      "--model",
      "clever",
      "--dry-run",
      "--output",
      "json",
    );
    const plan = JSON.parse(dry.stdout);
    expect(plan).toMatchObject({ planned: 4, costUsd: { high: 1 }, maxCostUsd: null, wallSeconds: 2.5 });
    expect(plan.costUsd.low).toBeGreaterThan(0);
    expect(mock.counts.requests).toBe(0);
  });

  it("report --prices recomputes costs from the tokens, and runs nothing", async () => {
    const mock = await mockOf();
    const space = spaceOf(mock);
    const first = await run(space, ["--model", "clever"]);
    await mock.close();
    space.write("dear.yml", MODELS.replaceAll("BASE", mock.url).replace("0.001,", "0.01,").replace("0.002 ", "0.02 "));
    const again = parseReport(await runPooledAssay(space.dir, "report", "--output", "json"));
    const dear = parseReport(await runPooledAssay(space.dir, "report", "--output", "json", "--prices", "dear.yml"));
    // A report has its own row order, which affects the last digit of summed times.
    const untimed = ({ summary }: typeof first) =>
      Object.entries(summary.clever ?? {}).filter(([key]) => !/latency|efficiency|seconds_per_pass/.test(key));
    expect(untimed(again)).toEqual(untimed(first));
    expect(dear.summary.clever?.mean_cost_usd).toBeCloseTo(10 * Number(first.summary.clever?.mean_cost_usd), 12);
    expect(dear.notes.join()).toContain("dear.yml");
    const table = await runPooledAssay(space.dir, "report");
    expect(table.stdout).toBe((await runPooledAssay(space.dir, "report")).stdout);
  });

  it("neither pays for cached outputs nor charges the budget for them", async () => {
    const mock = await mockOf();
    const space = spaceOf(mock);
    const args = ["--model", "clever", "--cache-dir", "cache", "--max-cost", "1"];
    await run(space, args);
    const before = mock.counts.requests;
    const report = await run(space, args);
    expect(mock.counts.requests).toBe(before);
    expect(report.notes).toContain("spent $0.0000 of $1.00");
  });
});

describe("bad endpoints", () => {
  it.each<[string, MockOptions, string, RegExp]>([
    ["401", { faults: [{ kind: "401" }] }, "api_error", /401/],
    ["404", { faults: [{ kind: "404" }] }, "api_error", /404/],
    ["429 forever", { faults: [{ kind: "429", retryAfter: 3600 }] }, "rate_limit", /429/],
    ["HTML", { faults: [{ kind: "html" }] }, "api_error", /HTML/],
    ["empty choices", { faults: [{ kind: "empty" }] }, "api_error", /no choices/],
    ["a stream cut in the middle", { faults: [{ kind: "cut", afterTokens: 2 }], outputTokens: 50 }, "api_error", /./],
    ["malformed JSON", { faults: [{ kind: "malformed" }] }, "api_error", /malformed|JSON/],
    ["invalid UTF-8", { faults: [{ kind: "invalid-utf8" }] }, "api_error", /UTF-8/],
    ["a 50 MB line", { faults: [{ kind: "huge-line" }] }, "api_error", /sent a line or event/],
    ["an error inside the stream", { faults: [{ kind: "error-event" }] }, "api_error", /./],
  ])("%s costs rows, not the run", async (_, script, category, message) => {
    const mock = await mockOf(script);
    const report = await run(spaceOf(), ["--proxy", mock.url, "--model", "gpt-4o", "--max-retries", "1"]);
    expect(report.rows).toHaveLength(4);
    for (const row of report.rows) {
      expect(row).toMatchObject({ outcome: "error", errorCategory: category });
      expect(row.attempts.at(-1)?.message).toMatch(message);
    }
  });

  it("that are down or unknown cost rows too", async () => {
    const mock = await mockOf();
    await mock.close();
    const down = await run(spaceOf(), ["--proxy", mock.url, "--model", "m", "--max-retries", "0"]);
    expect(down.rows[0]?.attempts[0]?.message).toMatch(/refused|down|listen/i);
    const nowhere = ["--proxy", "http://no-such-host.invalid/v1", "--model", "m", "--max-retries", "0"];
    const lost = await run(spaceOf(), nowhere);
    expect(lost.rows[0]).toMatchObject({ outcome: "error", errorCategory: "api_error" });
    expect(lost.rows[0]?.attempts[0]?.message).toContain("no-such-host.invalid");
  });

  it("that recover are retried, and every attempt is on the row", async () => {
    const mock = await mockOf({ faults: [{ kind: "500", first: 3 }] });
    const report = await run(spaceOf(), ["--proxy", mock.url, "--model", "m"]);
    expect(report.rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(report.rows.flatMap(({ attempts }) => attempts)).toHaveLength(3);
  });

  it.each<[string, MockOptions]>([
    ["missing", { usageQuirk: "missing" }],
    ["decreasing", { usageQuirk: "decreasing" }],
    ["negative", { usageQuirk: "negative" }],
  ])("whose usage is %s are graded, and the row says what is known", async (quirk, script) => {
    const mock = await mockOf({ ...script, outputTokens: 30 });
    const report = await run(spaceOf(), ["--proxy", mock.url, "--model", "gpt-4o"]);
    for (const row of report.rows) {
      expect(row.outcome).toBe("pass");
      expect(Number(row.costUsd)).toBeGreaterThan(0);
      if (quirk === "missing") expect(row).toMatchObject({ costSource: "estimated", partial: true });
    }
  });
});

it("add a note and a count if a model is slower than expected", async () => {
  const mock = await mockOf({ latencyMs: 60 });
  const space = spaceOf();
  const slow = MODELS.replaceAll("BASE", `${mock.url}/v1`).replace(
    "hard_timeout_secs",
    "expected_ttft_secs: 0.01, hard_timeout_secs",
  );
  space.write("models.yml", slow);
  const report = await run(space, ["--model", "clever"]);
  expect(report.rows.every(({ notes }) => notes.some((note) => note.startsWith("slow: first token after")))).toBe(true);
  expect(report.summary.clever).toMatchObject({ slow_count: 4 });
});

it("stop a trial at its hard timeout, and grade its partial output", async () => {
  const mock = await mockOf({ outputTokens: 2000, tokensPerSec: 200 });
  const space = spaceOf();
  space.write(
    "models.yml",
    MODELS.replaceAll("BASE", `${mock.url}/v1`).replace("hard_timeout_secs: 60", "hard_timeout_secs: 3"),
  );
  const report = await run(space, ["--model", "clever"]);
  for (const row of report.rows) expect(row).toMatchObject({ outcome: "pass", errorCategory: "time_killed" });
});

describe("run folder", () => {
  it("contains no secret: a header with a key is not stored, and required again on resume", async () => {
    const mock = await mockOf();
    const space = spaceOf(mock);
    const secret = "dummy-secret-value";
    await run(space, ["--model", "clever", "--header", `Authorization: Bearer ${secret}`, "--header", "X-Team: blue"]);
    const dir = space.runs()[0] ?? "";
    for (const file of ["manifest.json", "examples.jsonl", "rows.jsonl", "outputs.jsonl", "summary.json"])
      expect(space.read(dir, file), file).not.toContain(secret);
    expect(space.read(dir, "manifest.json")).toContain("X-Team");
    const resumed = await runPooledAssay(space.dir, "run", "--resume", dir);
    expect(resumed).toMatchObject({ code: 2, stderr: expect.stringContaining("Authorization") });
    const again = await runPooledAssay(
      space.dir,
      "run",
      "--resume",
      dir,
      "--header",
      `Authorization: Bearer ${secret}`,
    );
    expect(again.code).toBe(0);
  });

  it.each([
    ["a password in the URL", ["--proxy", "http://user:dummy@127.0.0.1:9/v1"], "a user name or a password"],
    ["a key in the URL", ["--proxy", "http://127.0.0.1:9/v1?key=dummy"], '"key"'],
    ["a key in the body", ["--proxy", "http://127.0.0.1:9", "--extra-body", '{"api_key":"dummy"}'], '"api_key"'],
  ])("rejects %s", async (_, args, message) => {
    const { code, stderr } = await runPooledAssay(
      spaceOf().dir,
      "run",
      "--dataset",
      "capitals.jsonl",
      "--model",
      "m",
      ...args,
    );
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it("counts the cost of failed trials when the run is resumed", async () => {
    const mock = await mockOf({ faults: [{ kind: "cut", afterTokens: 8 }], outputTokens: 40 });
    const space = spaceOf(mock);
    const args = ["--model", "clever", "--trial-max-cost", "0.01", "--max-cost", "1", "--api", "anthropic"];
    const spentOf = ({ notes }: PrintedReport) => Number(/^spent \$([\d.e-]+)/.exec(notes.at(-1) ?? "")?.[1]);
    const first = spentOf(await run(space, args));
    expect(first).toBeGreaterThan(0);
    const resume = ["run", "--resume", space.runs()[0] ?? "", "--output", "json", "--quiet"];
    const second = spentOf(parseReport(await runPooledAssay(space.dir, ...resume)));
    expect(second).toBeCloseTo(2 * first, 5);
  });
});

it("rejects a run that could not pay for one trial, before it starts", async () => {
  const mock = await mockOf();
  const args = ["run", "--dataset", "capitals.jsonl", "--model", "clever", "--max-cost", "0.1"];
  const { code, stderr } = await runPooledAssay(spaceOf(mock).dir, ...args);
  expect(stderr).toContain('does not cover one trial of "clever", which can cost $0.2500');
  expect(code).toBe(2);
  expect(mock.counts.requests).toBe(0);
});

it("bills a prompt without reported usage", async () => {
  const mock = await mockOf({ noUsage: true });
  const space = spaceOf(mock);
  space.write("capitals.jsonl", [
    { id: 1, context: "word ".repeat(2000), question: "Capital of France?", answer: "Paris" },
  ]);
  const report = await run(space, ["--model", "clever"]);
  expect(report.rows[0]).toMatchObject({ costSource: "estimated", partial: true });
  expect(report.rows[0]?.costUsd).toBeGreaterThan(0.002);
});

it("applies the limits of a system from a file", async () => {
  const mock = await mockOf({ outputTokens: 3000, tokensPerSec: 20_000 });
  const space = spaceOf();
  space.write(
    "mine.mjs",
    `import { ModelSystem } from "assay";
     import { createPrice } from "assay/models";
     const price = createPrice({ input_per_1k: 0.001, output_per_1k: 0.002 }, "test");
     export default new ModelSystem({ name: "mine", model: "m", baseUrl: "${mock.url}/v1", limits: { price, maxCostUsd: 0.0005, hardTimeoutMs: 60000 } });`,
  );
  space.linkAssay();
  const report = await run(space, ["--system", "./mine.mjs"]);
  for (const row of report.rows) expect(row).toMatchObject({ errorCategory: "cost_killed" });
});
