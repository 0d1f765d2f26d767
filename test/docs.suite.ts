import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { resolveBudgets } from "../src/budget/index.js";
import { getDefaultBaseUrl, getKeyVariable, getProviderDialect } from "../src/budget/providers.js";
import { buildProgram } from "../src/cli/program.js";
import { evaluatorFactories } from "../src/evaluators/factories.js";
import * as evaluators from "../src/evaluators/index.js";
import { graderFactories } from "../src/graders/index.js";
import { LLMJudge } from "../src/graders/judge/index.js";
import { MemoryEfficiency } from "../src/metrics/index.js";
import { passAtK, passHatK } from "../src/stats/index.js";
import { BUILT_IN_MEMORIES, MEMORY_DATASETS } from "../src/systems/memory/index.js";
import { lacksIsolation } from "../src/testing/isolation.js";
import { DocsProject, ROOT, type ShellResult } from "./docs/docs-project.js";
import {
  type CodeBlock,
  findBrokenLinks,
  findUnprinted,
  listPromisedOutput,
  parseBlocks,
  parseTableRows,
  stripCode,
} from "./docs/markdown.js";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const markdownIn = (dir: string) =>
  readdirSync(join(ROOT, dir), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(dir, file));

const GUIDES = ["README.md", ...markdownIn("docs")];
const PAGES = [...GUIDES, "llms.txt", "examples/README.md", "CONTRIBUTING.md", "CHANGELOG.md"];
/** Each section of it has a folder of its own. test/jobs.test.ts runs it, and compares what is printed. */
const RUN_ELSEWHERE = "docs/guides/jobs.md";
/** A fence such as ` ```js my-system.mjs `: the block is the content of that file. */
const FILE_NAME = /^([\w-]+\/)*[\w-]+(\.[\w-]+)+$/;
const EVERY_COMMAND = [
  "run",
  "eval",
  "init",
  "lint",
  "oracle",
  "experiment run",
  "experiment merge",
  "experiment report",
  "compare",
  "tasks",
  "runs",
  "runs tag",
  "runs rename",
  "runs quarantine",
  "runs rm",
  "baseline",
  "baseline set",
  "baseline save",
  "baseline clear",
  "ci",
  "memory",
  "migrate",
  "stress",
  "demo",
  "datasets",
  "models",
  "models show",
  "prices",
  "prices update",
  "prices pin",
  "report",
  "serve",
  "show",
  "cost",
  "diff",
  "query",
  "export",
  "import",
  "grade",
  "label",
  "judge",
  "gateway",
  "mock",
  "worker",
  "queue status",
  "queue clear",
  "doctor",
  "",
];

const temporary = mkdtempSync(join(tmpdir(), "assay-docs-"));
const workspaces = new Map<string, DocsProject>();
let known: { all: Set<string>; run: Set<string> };

beforeAll(async () => {
  for (const page of [...PAGES, "extra"]) {
    workspaces.set(page, new DocsProject(join(temporary, page.replace(/\W/g, "-"))));
  }
  const flags: Set<string>[] = [];
  for (const command of EVERY_COMMAND) flags.push(await flagsOf(command));
  known = { run: flags[0] ?? new Set(), all: new Set(flags.flatMap((some) => [...some])) };
});

afterAll(() => rmSync(temporary, { recursive: true, force: true }));

function workspaceOf(page: string): DocsProject {
  const workspace = workspaces.get(page);
  if (workspace === undefined) throw new Error(`no workspace for ${page}`);
  return workspace;
}

const fileOf = ({ line }: CodeBlock) => `block-${line}`;
const ran = new Map<string, Promise<ShellResult>>();

/** The output of a block. Each block is run only once. */
function runOnce(page: string, block: CodeBlock): Promise<ShellResult> {
  const key = `${page}:${block.line}`;
  const workspace = workspaceOf(page);
  const ended =
    ran.get(key) ?? (block.language === "sh" ? workspace.shell(block.text) : workspace.node(`${fileOf(block)}.mjs`));
  ran.set(key, ended);
  return ended;
}

/** The output of the shell block of a page that contains this line. */
function printedBy(page: string, line: string): Promise<ShellResult> {
  const block = parseBlocks(read(page)).find(({ language, info, text }) => {
    return language === "sh" && !info.includes("no-run") && text.trim().split("\n").includes(line);
  });
  if (block === undefined) throw new Error(`${page} does not run "${line}"`);
  return runOnce(page, block);
}

/** Runs a command line in a folder that belongs to no page. */
function assay(line: string): Promise<ShellResult> {
  return workspaceOf("extra").assay(line);
}

/** The flags in the help of a command. */
async function flagsOf(command: string): Promise<Set<string>> {
  let help = "";
  const writing = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    help += String(text);
    return true;
  });
  const ended = buildProgram(["node", "assay", ...command.split(" ").filter(Boolean), "--help", "all"]).run();
  await expect(ended).rejects.toMatchObject({ code: "commander.helpDisplayed" });
  writing.mockRestore();
  return flagsIn(help.slice(0, help.search(/^(Systems|Examples?):/m)));
}

function flagsIn(text: string): Set<string> {
  return new Set(text.match(/(?<![\w-])--[a-z][\w-]*/g));
}

describe("runnable blocks", () => {
  /** A fence such as ` ```ts sandbox `: the block runs programs, and is skipped where they cannot be isolated. */
  const needsSandbox = ({ info }: CodeBlock) => info.split(" ").includes("sandbox");
  let isWithoutSandbox = false;
  const isRun = (block: CodeBlock) =>
    !block.info.split(" ").includes("no-run") && !(isWithoutSandbox && needsSandbox(block));
  const scripts = (page: string) => parseBlocks(read(page)).filter((block) => block.language === "ts" && isRun(block));

  /** One compilation for all pages: type checking and, for each block, the module to run. */
  beforeAll(async () => {
    isWithoutSandbox = await lacksIsolation();
    for (const page of PAGES)
      for (const block of scripts(page)) workspaceOf(page).write(`${fileOf(block)}.mts`, block.text);
    const compilerOptions = { noEmit: false, rootDir: ".", typeRoots: [join(ROOT, "node_modules/@types")] };
    const config = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*/block-*.mts"] };
    writeFileSync(join(temporary, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const { code, stdout } = await workspaceOf("extra").node(compiler, "-p", temporary);
    expect(stdout).toBe("");
    expect(code).toBe(0);
  });

  /** Runs a block if it is one to run, and returns what was printed last. */
  async function runBlock(page: string, block: CodeBlock, printed: string): Promise<string> {
    const place = `${page}:${block.line}`;
    if (FILE_NAME.test(block.info)) workspaceOf(page).write(block.info, block.text);
    else if (block.info === "printed") expect(findUnprinted(block.text, printed), place).toEqual([]);
    else if (isRun(block) && ["sh", "ts"].includes(block.language)) {
      const ended = await runOnce(page, block);
      expect(ended, place).toMatchObject({ code: 0 });
      if (!block.text.includes(" > ")) expect(ended.stdout, `${place} prints nothing`).not.toBe("");
      return ended.stdout;
    }
    return printed;
  }

  test.concurrent.each(PAGES.filter((page) => page !== RUN_ELSEWHERE))(
    "%s",
    async (page) => {
      let printed = "";
      for (const block of parseBlocks(read(page))) printed = await runBlock(page, block, printed);
    },
    120_000,
  );

  test("exist in the README, and every executed shell block starts Assay or an example, or writes a file", () => {
    const run = PAGES.flatMap((page) => parseBlocks(read(page))).filter(
      (block) => block.language === "sh" && isRun(block),
    );
    expect(run.length).toBeGreaterThan(10);
    for (const { text } of run)
      expect(text).toMatch(/^(export COLUMNS=\d+\n)?(COLUMNS=\d+ )?(npx assay |node examples\/|cd examples\n|cat > )/);
  });

  test("print what comments say", async () => {
    const page = "docs/reference/numbers.md";
    for (const block of scripts(page)) {
      const { stdout } = await runOnce(page, block);
      const promised = [...block.text.matchAll(/\/\/ (.+)$/gm)].map(([, text = ""]) => text);
      expect(promised.length).toBeGreaterThan(0);
      for (const number of promised.join(" ").match(/\d+\.\d+/g) ?? []) expect(stdout).toContain(number);
    }
  });

  test.each([
    "docs/reference/evaluators.md",
    "docs/guides/judging.md",
    "docs/guides/sandbox.md",
    "docs/guides/datasets.md",
    "docs/guides/memory.md",
  ])(
    "print what %s says",
    async (page) => {
      const isFile = ({ info }: CodeBlock) => FILE_NAME.test(info);
      for (const { info, text } of parseBlocks(read(page)).filter(isFile)) workspaceOf(page).write(info, text);
      const run = scripts(page).filter((block) => !isFile(block));
      expect(run.length).toBeGreaterThan(0);
      for (const block of run) {
        const promised = listPromisedOutput(block.text);
        expect(promised.length, `${page}:${block.line} promises nothing`).toBeGreaterThan(0);
        const { stdout } = await runOnce(page, block);
        for (const text of promised) expect(stdout.replace(/\s/g, ""), `${page}:${block.line}`).toContain(text);
      }
    },
    120_000,
  );

  test("a captured value is not part of a fingerprint, as docs/guides/footguns.md shows", async () => {
    const [block] = scripts("docs/guides/footguns.md");
    if (block === undefined) throw new Error("docs/guides/footguns.md has no script");
    const { stdout } = await runOnce("docs/guides/footguns.md", block);
    expect(stdout).toBe("true\nfalse\n");
  });
});

describe("examples", () => {
  const summaryOf = (stdout: string) =>
    (JSON.parse(stdout) as { summary: Record<string, Record<string, number | string | null>> }).summary;
  const DATA = "--dataset examples/questions.jsonl";

  test("are all listed on their page", () => {
    const page = read("examples/README.md");
    for (const file of readdirSync(join(ROOT, "examples"))) {
      if (file !== "README.md") expect(page).toContain(`](${file})`);
    }
  });

  test("recorded outputs contain cost and latency", async () => {
    const { stdout } = await assay(`--replay examples/outputs.jsonl ${DATA} --output json`);
    expect(summaryOf(stdout).outputs).toMatchObject({ pass_rate: 0.7, cost_unknown_trials: 0, latency_median: 0.405 });
  });

  test("the guesser is flaky and the lookup is not", async () => {
    const systems = "--system ./examples/guesser.mjs --system ./examples/lookup.ts";
    const { stdout } = await assay(`${systems} ${DATA} --trials 5 --score-field contains --output json`);
    const { guesser, lookup } = summaryOf(stdout);
    expect(guesser?.flaky_rate).toBeGreaterThan(0.3);
    expect(lookup).toMatchObject({ flaky_rate: 0, pass_rate: 0.7, pass_hat_5: 0.7 });
  });

  test("the script and the models file have the same models, and the budget stops the metered system", async () => {
    const { stdout } = await printedBy("examples/README.md", "node examples/metered.mjs");
    expect(stdout).toMatch(/pass[\s\S]*error[\s\S]*exceeded: true/);
    const printed = await assay("models examples/models.yml --output json");
    const { models } = JSON.parse(printed.stdout) as { models: { apiName: string; rule: string }[] };
    expect(models.map(({ rule }) => rule)).toEqual(["formula", "explicit", "formula", "free"]);
    for (const { apiName } of models.slice(0, 2)) expect(read("examples/mock.yaml")).toContain(`  ${apiName}:`);
  });

  test("the evaluator and the metric are in the report", async () => {
    const mine = "--evaluator ./examples/brief.ts --metric ./examples/longest-answer.ts";
    const { stdout } = await assay(`--system ./examples/lookup.ts ${DATA} ${mine} --output json`);
    expect(summaryOf(stdout).lookup).toMatchObject({ output_tokens_max: 10, num_pass: 10 });
  });
});

describe("links and names", () => {
  test.each(PAGES)("every link of %s resolves", (page) => {
    expect(findBrokenLinks(ROOT, page)).toEqual([]);
  });

  test.each(PAGES)("every file that %s names exists", (page) => {
    const named = [...stripCode(read(page)).matchAll(/`((?:src|examples|docs|test)\/[\w./-]+)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  test.each(PAGES)("every flag that %s names exists", (page) => {
    const foreign = parseBlocks(read(page)).filter(({ info }) => info === "no-run");
    const text = foreign
      .reduce((rest, block) => rest.replace(block.text, ""), read(page))
      .replaceAll("`du --apparent-size`", "")
      .replaceAll("`npx --no-install assay`", "")
      // Flags of agents.
      .replaceAll(/`--(?:continue|resume(?:=latest)?|session|session-id)`/g, "")
      // The typo that docs/guides/jobs.md shows.
      .replaceAll("`npx assay --systm passthrough --dataset needle`", "");
    expect([...flagsIn(text)].filter((flag) => !known.all.has(flag))).toEqual([]);
  });

  test("every flag of the commands is documented", () => {
    const described = flagsIn(read("docs/reference/command-line.md"));
    expect(known.run.size).toBeGreaterThan(20);
    expect([...known.all].filter((flag) => !described.has(flag))).toEqual([]);
  });

  test("every key of a config file is documented, and no other", async () => {
    workspaceOf("extra").write("unknown.yaml", "zzzzzzzzzzzz: 1\n");
    const { stderr } = await assay("--config unknown.yaml");
    const keys = /Known: (.+)\./.exec(stderr)?.[1]?.split(", ") ?? [];
    const section = read("docs/reference/command-line.md").split("## The config file")[1]?.split("\n## ")[0] ?? "";
    const described = parseTableRows(section).map(([key = ""]) => key.replaceAll("`", ""));
    expect(keys.length).toBeGreaterThan(10);
    expect(described.slice(1).sort()).toEqual(keys.sort());
  });

  test("every provider of docs/guides/models.md is known, with its address, key and API format", () => {
    const section = read("docs/guides/models.md").split("### Providers")[1]?.split("\n#")[0] ?? "";
    const code = (cell: string) => cell.replaceAll("`", "");
    const rows = parseTableRows(section).slice(1);
    expect(rows.length).toBeGreaterThan(10);
    for (const [names = "", address = "", variable = "", dialect = ""] of rows) {
      for (const name of code(names).split(", ")) {
        const env = { AWS_REGION: "region" };
        const url = getDefaultBaseUrl(name, env)?.replace("region", "REGION") ?? "base_url";
        const facts = [url, getKeyVariable(name, env) ?? "none", getProviderDialect(name)];
        expect([name, ...facts]).toEqual([name, code(address), code(variable), code(dialect)]);
      }
    }
  });

  test("every key of a models file and of a mock script is documented", async () => {
    const keysAfter = async (file: string, line: string, text: string) => {
      workspaceOf("extra").write(file, text);
      const { stderr } = await assay(line);
      return [...stderr.matchAll(/Known: (.+)\./g)].flatMap(([, keys = ""]) => keys.split(", "));
    };
    const wrong =
      "m: { zzzzzz: 1, pricing: { input_per_1k: 1, output_per_1k: 1, zzzzzz: 1 }, budgets: { zzzzzz: 1 } }\n";
    const ofModels = await keysAfter("wrong.yml", "models wrong.yml", wrong);
    const ofScripts = await keysAfter("wrong-script.yaml", "mock --script wrong-script.yaml", "zzzzzz: 1\n");
    expect(ofModels.length).toBeGreaterThan(15);
    expect(ofScripts.length).toBeGreaterThan(15);
    const [budgets, mock] = [read("docs/guides/budgets.md"), read("docs/guides/mock.md")];
    const sections = ["pricing", "budgets"];
    expect(ofModels.filter((key) => !sections.includes(key) && !new RegExp(`\\b${key}\``).test(budgets))).toEqual([]);
    expect(ofScripts.filter((key) => !mock.includes(`\`${key}\``))).toEqual([]);
  });

  test("every dependency is justified, and nothing else is", () => {
    const { dependencies, devDependencies } = JSON.parse(read("package.json")) as Record<
      string,
      Record<string, string>
    >;
    const names = Object.keys({ ...dependencies, ...devDependencies });
    const justified = parseTableRows(read("docs/dependencies.md")).map(([name = ""]) => name.replaceAll("`", ""));
    expect(justified.filter((name) => name !== "package").sort()).toEqual(names.sort());
  });
});

describe("the evaluators of docs/reference/evaluators.md", () => {
  const page = read("docs/reference/evaluators.md");
  const code = (cell = "") => cell.replaceAll("`", "");
  const listed = parseTableRows(page.split("## All of them")[1]?.split("\n## ")[0] ?? "").slice(1);
  const judge = () => new LLMJudge({ model: { name: "any", ask: () => ({}) } });

  test("are all named ones, with their class and fields, the primary one first", async () => {
    const made = await Promise.all(Object.values(evaluatorFactories).map(async (factory) => factory()));
    const real = [...made, judge()].map((evaluator) => {
      const { name, fields = [], primaryFields = [] } = evaluator;
      const others = fields.filter((field) => field !== primaryFields[0]);
      return [name, evaluator.constructor.name, primaryFields[0] ?? "", ...others.sort()];
    });
    const told = listed.map(([name, type, fields = ""]) => {
      const [first = "", ...others] =
        fields.match(/(?<=`)\w+(?=`)/g)?.filter((each) => each !== "judge_agreement") ?? [];
      return [code(name), code(type), first, ...others.sort()];
    });
    expect(told).toEqual(real);
  });

  test("can each be imported, and have a section with an executed example", () => {
    for (const [name, type] of listed.map((row) => row.map(code))) {
      expect({ ...evaluators, LLMJudge }).toHaveProperty(type ?? "");
      const section = page.split(`\n## ${name}\n`)[1]?.split("\n## ")[0] ?? "";
      const example = parseBlocks(section).find(
        ({ language, text }) => language === "ts" && text.includes(`new ${type}(`),
      );
      expect(example?.info ?? "there is none", name).toMatch(/^(sandbox)?$/);
    }
  });

  test("document arguments after a colon exactly where they exist", async () => {
    for (const [name = "", , , , , after = ""] of listed) {
      const factory = evaluatorFactories[code(name)];
      if (factory === undefined) continue;
      const refuses = await Promise.resolve()
        .then(() => factory("zzzzzz"))
        .then(
          () => false,
          (error: Error) => error.message.includes("takes no argument after a colon"),
        );
      expect([name, refuses]).toEqual([name, after === "nothing"]);
    }
  });
});

test("docs/reference/graders.md names every grader type", () => {
  const described = new Set(
    parseTableRows(read("docs/reference/graders.md")).flatMap(
      ([types = ""]) => types.match(/(?<=`)[\w-]+(?=`)/g) ?? [],
    ),
  );
  const types = Object.keys(graderFactories);
  expect(types.length).toBeGreaterThan(20);
  expect(types.filter((type) => !described.has(type))).toEqual([]);
});

describe("the tree in docs/architecture.md", () => {
  const block = parseBlocks(read("docs/architecture.md")).find(({ info }) => info === "tree");

  /** The paths of an indented tree; folders end with a slash. */
  function pathsOf(tree: string): string[] {
    const open: string[] = [];
    return tree
      .trimEnd()
      .split("\n")
      .map((line) => {
        const depth = (line.length - line.trimStart().length) / 2;
        open.length = depth;
        open.push(line.trimStart().split(" ")[0] ?? "");
        return open.join("");
      });
  }

  test("has every folder of src/ and every file at its top, and no other", () => {
    const entries = readdirSync(join(ROOT, "src"), { recursive: true, withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => `${join(parentPath, name)}/`);
    const files = readdirSync(join(ROOT, "src"), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map(({ name }) => join(ROOT, "src", name));
    const real = [...folders, ...files].map((path) => path.slice(join(ROOT, "/").length));
    expect(pathsOf(block?.text ?? "").sort()).toEqual(["src/", ...real].sort());
  });

  test("names the layers of the import check", () => {
    const source = read("scripts/check-imports.mjs").split("const LAYERS = [")[1]?.split("];\n")[0] ?? "";
    const layers = [...source.matchAll(/\[(.*)\]/g)].map(([, names = ""]) => names.match(/[\w.]+/g) ?? []);
    const told = parseBlocks(read("docs/architecture.md")).find(({ info }) => info === "layers");
    const lines = (told?.text ?? "").trim().split("\n");
    expect(layers.length).toBeGreaterThan(5);
    expect(lines.map((line) => line.split(/ {2,}/)[0]?.split(", ")).reverse()).toEqual(layers);
  });
});

/** As the page writes it: cents in full, other amounts unrounded. */
function dollarsIn(amount: number | null): string {
  return `$${amount === 0.5 ? "0.50" : amount}`;
}

describe("figures", () => {
  test("the lookup tables of pass@k and pass^k are right", () => {
    const rows = parseTableRows(read("docs/reference/numbers.md"));
    const seen: string[] = [];
    let table: { n: number; of: typeof passAtK } | null = null;
    for (const [first = "", ...cells] of rows) {
      const title = /^pass([@^])k, n = (\d+)$/.exec(first);
      const c = /^c = (\d+)$/.exec(first)?.[1];
      if (title !== null) {
        table = { n: Number(title[2]), of: title[1] === "@" ? passAtK : passHatK };
        seen.push(first);
        expect(cells).toEqual(cells.map((_, i) => `k = ${i + 1}`));
      } else if (c !== undefined && table !== null) {
        const { n, of } = table;
        expect(cells.map(Number)).toEqual(
          Array.from({ length: n }, (_, i) => Number(of(n, Number(c), i + 1).toFixed(3))),
        );
      }
    }
    expect(seen).toEqual(["pass@k, n = 5", "pass@k, n = 10", "pass^k, n = 5", "pass^k, n = 10"]);
    expect(rows.filter(([first = ""]) => /^c = \d+$/.test(first))).toHaveLength(2 * (6 + 11));
  });

  test("the demo prints what the README shows", async () => {
    const { stdout } = await assay("demo");
    const shown = parseBlocks(read("README.md")).find(({ info }) => info === "demo")?.text ?? "";
    expect(shown).toContain("Pareto rank 1");
    expect(findUnprinted(shown, stdout)).toEqual([]);
  });

  test("the limits in docs/guides/budgets.md match the rules", () => {
    const isNumber = (cell = "") => /^[\d.]+$/.test(cell);
    const worked = parseTableRows(read("docs/guides/budgets.md")).filter(
      ([input, output]) => isNumber(input) && isNumber(output),
    );
    expect(worked.length).toBeGreaterThan(5);
    for (const [input, output, given = "", , may, rule] of worked) {
      const pricing = { input_per_1k: Number(input), output_per_1k: Number(output) };
      const resolved = resolveBudgets({ pricing, budgets: given === "" ? {} : { max_cost_usd: Number(given) } });
      expect(`\`${resolved.rule}\``).toBe(rule);
      expect(may).toBe(resolved.enforced ? dollarsIn(resolved.maxCostUsd) : "no limit");
    }
  });
});

describe("datasets and memories", () => {
  test("the library page matches the doc comments, and every export has one", async () => {
    const { code, stderr } = await workspaceOf("extra").node(join(ROOT, "scripts/library-page.mjs"), "--check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("the catalog page matches the catalog", async () => {
    const { code, stderr } = await workspaceOf("extra").node(join(ROOT, "scripts/dataset-page.mjs"), "--check");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("the heat map of docs/guides/datasets.md is what its command prints", async () => {
    const page = read("docs/guides/datasets.md");
    const shown = parseBlocks(page).find(({ info }) => info === "heat-map")?.text ?? "";
    const [line = ""] = /^npx assay .+ "needle:.+" -n \d+$/m.exec(page) ?? [];
    const { stdout } = await printedBy("docs/guides/datasets.md", line);
    expect(shown).toContain("depth ↓ length →");
    expect(stdout).toContain(shown);
  });

  test("every memory, memory dataset and memory metric is on its page", () => {
    const [page, formulas] = [read("docs/guides/memory.md"), read("docs/reference/numbers.md")];
    for (const name of BUILT_IN_MEMORIES) expect(page).toMatch(new RegExp(`^\\| \`${name}`, "m"));
    for (const name of Object.keys(MEMORY_DATASETS)) expect(page).toContain(`**\`${name}\`**`);
    for (const key of new MemoryEfficiency().keys()) {
      expect(page).toContain(`\`${key}\``);
      expect(formulas).toContain(`\`${key}\``);
    }
  });
});

describe("docs/guides/dashboard.md", () => {
  const page = read("docs/guides/dashboard.md");
  const undescribed = (file: string, pattern: RegExp) => {
    const names = [...read(file).matchAll(pattern)].map(([, name = ""]) => name);
    expect(names.length, file).toBeGreaterThan(0);
    return names.filter((name) => !page.includes(name));
  };

  test("describes every chart by its title", () => {
    const drawn = readdirSync(join(ROOT, "web/src/charts"))
      .map((name) => `web/src/charts/${name}`)
      .filter((file) => file.endsWith(".tsx") && read(file).includes('title = "'));
    expect(drawn.length).toBeGreaterThan(5);
    for (const file of drawn) expect(undescribed(file, /title = "([^"]+)"/g), file).toEqual([]);
  });

  test("describes every column of the leaderboard, every trend metric and every page", () => {
    expect(undescribed("web/src/pages/overview/columns.tsx", /title: "([^"]+)"/g)).toEqual([]);
    expect(undescribed("web/src/pages/trends/metrics.ts", /value: "(\w+)"/g)).toEqual([]);
    expect(undescribed("web/src/shell/app.tsx", /page === "(\w+)"/g)).toEqual([]);
  });
});

describe("docs/reference/json-report.md", () => {
  type Fields = Record<string, unknown>;
  type Report = Fields & { rows: Fields[]; summary: Record<string, Fields> };
  const page = read("docs/reference/json-report.md");
  const undescribed = (fields: Iterable<string>) => [...fields].filter((field) => !page.includes(`\`${field}\``));

  let rich: Promise<{ report: Report; dir: string }> | undefined;

  /** A run with almost everything: several systems, datasets and trials, costs, errors and notes. */
  function richRun(): Promise<{ report: Report; dir: string }> {
    rich ??= makeRichRun();
    return rich;
  }

  async function makeRichRun(): Promise<{ report: Report; dir: string }> {
    const workspace = workspaceOf("extra");
    workspace.write(
      "partial.jsonl",
      '{"id":"tea-1","response":"two minutes","cost_usd":0.1,"usage":{"input":9,"output":2}}\n',
    );
    const systems = "--replay partial.jsonl --system truncate:0.5";
    const datasets = "--dataset examples/questions.jsonl --dataset needle:lengths=50 -n 3 --head";
    const { stdout } = await assay(`${systems} ${datasets} --trials 2 --runs-dir rich --output json`);
    const [run = ""] = readdirSync(join(workspace.dir, "rich"));
    return { report: JSON.parse(stdout) as Report, dir: join(workspace.dir, "rich", run) };
  }

  test("describes every field of the report and of the run folder", async () => {
    const { report, dir } = await richRun();
    const json = (file: string) => JSON.parse(readFileSync(join(dir, file), "utf8")) as Fields;
    const lines = (file: string) =>
      readFileSync(join(dir, file), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as Fields);
    const manifest = json("manifest.json");
    const objects = [
      report,
      report.config,
      report.timing,
      manifest,
      manifest.config,
      manifest.invocation,
      json("summary.json"),
      ...report.rows,
      ...lines("rows.jsonl"),
      ...lines("outputs.jsonl"),
    ];
    const fields = new Set(objects.flatMap((object) => Object.keys(object as Fields)));
    expect(fields.size).toBeGreaterThan(50);
    expect(undescribed(fields)).toEqual([]);
    expect(undescribed(readdirSync(dir))).toEqual([]);
    for (const { schema } of [report, manifest, json("summary.json")]) expect(page).toContain(String(schema));
  });

  test("describes the plan", async () => {
    const { stdout } = await assay("--system passthrough --dataset needle -n 2 --dry-run --output json");
    const plan = JSON.parse(stdout) as Fields & { datasets: Fields[] };
    expect(undescribed([...Object.keys(plan), ...Object.keys(plan.datasets[0] ?? {})])).toEqual([]);
  });

  test("gives the formula of every summary key", async () => {
    const { report } = await richRun();
    const formulas = read("docs/reference/numbers.md");
    const nested = Object.values(report.summary).map(({ efficiency }) => efficiency as Fields);
    const keys = [...Object.values(report.summary), ...nested, report.across as Fields].flatMap(Object.keys);
    expect(Object.keys(nested[0] ?? {})).toHaveLength(7);
    const families = keys.map((key) =>
      key
        .replace(/(_ci_low|_ci_high|_n|_groups)?(_reason)?$/, "")
        .replace(/^(pass_at|pass_hat)_\d+$/, "$1_<k>")
        .replace(/^dataset:.*$/, "dataset:<tag>")
        .replace(/^facet:.*$/, "facet:<name>=<value>")
        .replace(/^cell:.*$/, "cell:depth=<d>,length=<l>"),
    );
    expect([...new Set(families)].filter((key) => !formulas.includes(`\`${key}\``))).toEqual([]);
  });
});
