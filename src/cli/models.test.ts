import { describe, expect, it, onTestFinished, vi } from "vitest";
import { BudgetError, UsageError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { executeModels, type ModelsFlags } from "./models.js";

const MODELS = `models:
  cheap:
    api_name: minimax/minimax-m2.7
    provider: openrouter
    pricing: { input_per_1k: 0.0003, output_per_1k: 0.0012, cache_read_per_1k: 0.0000375 }
  claude-sonnet-4-5: { provider: anthropic, budgets: { hard_timeout_secs: 90 } }
  local: { provider: ollama, budgets: { max_tokens: 5000 } }
  off: { provider: openai, api_name: gpt-5, budgets: { max_cost_usd: 0 } }
  agent: { agent_cli: codex, api_name: gpt-5 }
  proxied: { base_url: "http://127.0.0.1:8080/v1?token=hidden", pricing: { input_per_1k: 0, output_per_1k: 0 } }
default: cheap
`;

const ENV = { ANTHROPIC_API_KEY: "the-secret-itself", OPENROUTER_API_KEY: "" };

/** Before any model of these tests ends soon. */
const NOW = new Date("2025-12-01");

interface Said {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the command in a folder and collects its output. */
async function run(files: Record<string, string>, options: ModelsFlags = {}): Promise<Said> {
  const said = { stdout: "", stderr: "" };
  const { dir } = new TempProject(files);
  for (const name of ["stdout", "stderr"] as const) {
    const spy = vi.spyOn(process[name], "write").mockImplementation((text) => {
      said[name] += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
  }
  const code = await executeModels(options, { dir, env: ENV, now: NOW });
  return { code, ...said };
}

function lineOf(stdout: string, model: string): string[] {
  const line = stdout.split("\n").find((text) => text.startsWith(`| ${model} `));
  return (line ?? "")
    .split("|")
    .map((cell) => cell.trim())
    .slice(1, -1);
}

describe("assay models", () => {
  it("prints every resolved value and its rule", async () => {
    const { code, stdout, stderr } = await run({ "models.yml": MODELS });
    expect(code).toBe(0);
    expect(stderr).toBe("");
    const [, wire, provider, agent, url, key, input, output, cacheRead, cacheWrite, hour, , cost, tokens, ...times] =
      lineOf(stdout, "cheap");
    expect([wire, provider, agent]).toEqual(["minimax/minimax-m2.7", "openrouter", "–"]);
    expect([url, key]).toEqual(["https://openrouter.ai/api/v1", "OPENROUTER_API_KEY (not set)"]);
    expect([input, output, cacheRead, cacheWrite, hour]).toEqual(["$0.3", "$1.2", "$0.0375", "$0.3", "$0.3"]);
    expect([cost, tokens, ...times]).toEqual(["$0.058", "–", "–", "–", "10 min 0 s", "formula"]);
    expect(stdout).toContain("default: cheap");
  });

  it("names the rule for each model", async () => {
    const { stdout } = await run({ "models.yml": MODELS });
    const ends = ["claude-sonnet-4-5", "local", "off", "proxied"].map((model) => {
      const [cost, tokens, , , time, rule] = lineOf(stdout, model).slice(-6);
      return [cost, tokens, time, rule];
    });
    expect(ends).toEqual([
      ["$0.500", "–", "1 min 30 s", "ceiling"],
      ["no limit", "5000", "10 min 0 s", "unpriced"],
      ["no limit", "–", "10 min 0 s", "disabled"],
      ["no limit", "–", "10 min 0 s", "free"],
    ]);
    expect(lineOf(stdout, "claude-sonnet-4-5")).toEqual(
      expect.arrayContaining(["$3, $6 over 200000", expect.stringMatching(/^@pydantic\/genai-prices \d/)]),
    );
  });

  it("never prints a key, nor anything in an address that may be one", async () => {
    for (const output of ["table", "json"]) {
      const { stdout } = await run({ "models.yml": MODELS }, { output });
      expect(stdout).not.toMatch(/the-secret-itself|hidden/);
      expect(stdout).toContain("ANTHROPIC_API_KEY");
      vi.restoreAllMocks();
    }
  });

  it("prints the same as JSON", async () => {
    const { stdout } = await run({ "models.yaml": MODELS }, { output: "json" });
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ schema: "assay.models/1", default: "cheap" });
    expect(report.models).toHaveLength(6);
    expect(report.models[0]).toMatchObject({
      name: "cheap",
      dialect: "chat",
      keyVariable: "OPENROUTER_API_KEY",
      isKeySet: false,
      pricesPerMillion: { input: 0.3, output: 1.2, cacheRead: 0.0375, cacheWrite: 0.3, cacheWrite1h: 0.3 },
      priceSource: "models.yml",
      maxCostUsd: 0.0576,
      hardTimeoutSecs: 600,
      enforced: true,
      rule: "formula",
    });
    expect(report.models[1]).toMatchObject({
      isKeySet: true,
      pricesPerMillion: { tiers: [{ over: 200_000, input: 6 }] },
    });
    expect(report.models[2]).toMatchObject({ pricesPerMillion: null, maxCostUsd: null, maxTokens: 5000 });
  });

  it("prefers models.yml to models.yaml, and a named file to both", async () => {
    const files = { "models.yml": "a: {}", "models.yaml": "b: {}" };
    expect(lineOf((await run(files)).stdout, "a")).not.toEqual([]);
    vi.restoreAllMocks();
    const named = new TempProject({ "other.yml": "c: {}" }).path("other.yml");
    expect(lineOf((await run(files, { file: named })).stdout, "c")).not.toEqual([]);
  });

  it("shows an example if there is no file", async () => {
    await expect(run({})).rejects.toThrow(UsageError);
    await expect(run({})).rejects.toThrow(/no models\.yml or models\.yaml here[\s\S]*models:\n {2}gpt-6-sol:/);
  });

  it("fails with the problems of the file", async () => {
    await expect(run({ "models.yml": "a: { provder: x }" })).rejects.toThrow(BudgetError);
    await expect(run({ "models.yml": "a: {}" }, { output: "xml" })).rejects.toThrow(
      /Use --output table or --output json/,
    );
  });
});

describe("assay models --check", () => {
  it("prints only warnings for a valid file, and succeeds", async () => {
    const { code, stdout, stderr } = await run(
      { "models.yml": `${MODELS}`.replace("off:", "nowhere: {}\n  off:") },
      { check: true },
    );
    expect(code).toBe(0);
    expect(stdout).toBe("");
    const warnings = stderr.trimEnd().split("\n");
    expect(warnings.map((line) => line.replace(/^.*models\.yml: /, ""))).toEqual([
      expect.stringMatching(/^cheap: the variable OPENROUTER_API_KEY is not set/),
      expect.stringMatching(/^nowhere: no address is known/),
      expect.stringMatching(/^off: the variable OPENAI_API_KEY is not set/),
    ]);
  });

  it("warns of an effort that the model does not support", async () => {
    const models =
      "a: { provider: openai, api_name: gpt-6-luna, effort: minimal }\nb: { provider: ollama, effort: max }\n";
    const { code, stderr } = await run({ "models.yml": models }, { check: true });
    expect(code).toBe(0);
    expect(stderr).toContain("a: The model gpt-6-luna does not support the effort minimal. Use one of: ");
    expect(stderr).not.toContain("b: ");
    vi.restoreAllMocks();
    const { stdout } = await run({ "models.yml": models });
    expect(stdout).toMatch(/^\| a +\|.*\| minimal +\|/m);
    expect(stdout).toMatch(/^\| b +\|.*\| max +\|/m);
  });

  it("prints each problem on a line and exits 2", async () => {
    const { code, stdout, stderr } = await run({ "models.yml": "a: { provder: x }\nb: 5\n" }, { check: true });
    expect(code).toBe(2);
    expect(stderr).toBe("");
    expect(stdout.trimEnd().split("\n")).toEqual([
      expect.stringMatching(/models\.yml:1:6: unknown key "provder"\. Did you mean "provider"\?/),
      expect.stringMatching(/models\.yml:2:4: b: must be a mapping/),
    ]);
  });

  it("prints them as JSON with --output json", async () => {
    const bad = await run({ "models.yml": "a: 5" }, { check: true, output: "json" });
    expect(JSON.parse(bad.stdout).problems).toEqual([expect.stringMatching(/:1:4: a: must be a mapping/)]);
    vi.restoreAllMocks();
    const good = await run({ "models.yml": "a: {}" }, { check: true, output: "json" });
    expect(JSON.parse(good.stdout)).toEqual({
      schema: "assay.models-check/1",
      problems: [],
      warnings: [expect.stringMatching(/models\.yml: a: no address is known\. Add a base_url or a known provider\.$/)],
    });
  });

  it("checks the config and eval files of a folder without a models file", async () => {
    const files = { "assay.config.yaml": "models: [openai/gpt-4-turbo, anthropic/claude-3-opus]\n" };
    const { code, stdout, stderr } = await run(files, { check: true });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^assay\.config\.yaml:1: claude-3-opus ends on 2026-01-05, in 35 days\.$/m);
  });
});
