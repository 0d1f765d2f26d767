import { describe, expect, it } from "vitest";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, TempProject } from "../src/testing/temp-project.js";

/** Registers one of every kind; the text is valid JavaScript and TypeScript. */
const EVERY_KIND = `
export function register(registry) {
  registry.register("dataset", "colours", {
    description: "What colour is it?",
    primaryField: "loud",
    evaluators: [{ name: "loudness", fields: ["loud"], score: (_, output) => ({ loud: output.response === output.response.toUpperCase() ? 1 : 0 }) }],
    load: () => [{ id: 1, question: "the sky?", answer: "BLUE" }, { id: 2, question: "the sun?", answer: "YELLOW" }],
  });
  registry.register("system", "say", (argument) => ({ name: "say:" + argument, process: () => ({ response: argument }) }));
  registry.register("evaluator", "first-letter", { name: "first-letter", fields: ["first"], score: (example, output) => ({ first: Number(example.answer[0] === output.response[0]) }) });
  registry.register("metric", "longest", { name: "longest", compute: (rows) => ({ longest: rows.length }) });
  registry.register("reporter", "shout", { name: "shout", render: (result) => ["ROWS ", String(result.rows.length), "\\n"] });
  registry.register("tokenizer", "letters", { count: (text) => text.length });
  registry.register("grader", "strict", { name: "strict", grade: () => ({ passed: true }) });
}`;

describe("plugin", () => {
  it.each(["mine.mjs", "mine.ts"])("%s registers every kind, usable on the command line at once", async (name) => {
    const space = new TempProject({
      [name]: name.endsWith(".ts") ? EVERY_KIND.replace("(registry)", "(registry: any)") : EVERY_KIND,
    });
    const base = ["--plugin", `./${name}`, "--dataset", "colours", "--system", "say:BLUE"];
    const own = parseReport(await runAssay(space.dir, ...base, "--output", "json"));
    expect(own.summary["say:BLUE"]).toMatchObject({ mean_score: 1, pass_rate: 1 });
    const flags = ["--evaluator", "first-letter", "--metric", "longest", "--metric", "pass_rate", "--output", "json"];
    const named = parseReport(await runAssay(space.dir, ...base, ...flags));
    expect(named.summary["say:BLUE"]).toMatchObject({ longest: 2, pass_rate: 0.5 });
    const counted = parseReport(await runAssay(space.dir, ...base, "--tokenizer", "letters", "--output", "json"));
    expect(counted).toMatchObject({
      config: { tokenizer: "letters" },
      rows: [{ outputTokens: 4 }, { outputTokens: 4 }],
    });
    const wrong = await runAssay(space.dir, ...base, "--tokenizer", "leters");
    expect(wrong).toMatchObject({ code: 2, stdout: "" });
    expect(wrong.stderr).toContain('Unknown tokenizer "leters". Did you mean "letters"?');
    expect(await runAssay(space.dir, ...base, "--output", "shout")).toMatchObject({ code: 0, stdout: "ROWS 2\n" });
    const { stdout } = await runAssay(space.dir, "datasets", "--plugin", `./${name}`);
    expect(stdout).toMatch(/\| colours +\| +\| loud +\| +\| What colour is it\? +\|/);
  });

  it("is loaded again by --resume, with its reporter", async () => {
    const space = new TempProject({ "mine.mjs": EVERY_KIND });
    await runAssay(
      space.dir,
      "--plugin",
      "./mine.mjs",
      "--dataset",
      "colours",
      "--system",
      "say:BLUE",
      "--output",
      "shout",
    );
    const [run = ""] = space.runs();
    const resumed = await runAssay(space.dir, "--resume", run);
    expect(resumed).toMatchObject({ code: 0, stdout: "ROWS 2\n" });
  });

  it.each([
    [
      "does not compile, .mjs",
      "p.mjs",
      "export function register() {\n  let x = ;\n}",
      /The plugin \.\/p\.mjs cannot be loaded: \S+p\.mjs:2:\d+: Unexpected token/,
    ],
    [
      "does not compile, .ts",
      "p.ts",
      "export function register(): void {\n  let x: number = ;\n}",
      /The plugin \.\/p\.ts cannot be loaded: \S+p\.ts:2:\d+: Unexpected token/,
    ],
    ["throws when loaded", "p.mjs", "throw new Error('no key');", /The plugin \.\/p\.mjs cannot be loaded: no key/],
    [
      "imports what is not there",
      "p.mjs",
      "import './gone.mjs';",
      /The plugin \.\/p\.mjs cannot be loaded: Cannot find module .*gone\.mjs/,
    ],
    [
      "exports no register",
      "p.mjs",
      "export default 1;",
      /The plugin \.\/p\.mjs does not export a function register\(registry\)\./,
    ],
    [
      "throws in register",
      "p.mjs",
      "export const register = () => { throw new TypeError('oops'); };",
      /The plugin \.\/p\.mjs failed in register\(\): oops/,
    ],
    [
      "registers a name twice",
      "p.mjs",
      "export const register = (r) => r.register('system', 'truncate', () => null);",
      /The system "truncate" is already registered\. Pass \{ replace: true \}/,
    ],
    [
      "registers a wrong shape",
      "p.mjs",
      "export const register = (r) => r.register('evaluator', 'x', { name: 'x' });",
      /The evaluator "x" has no method score\(\)/,
    ],
    [
      "registers an unknown kind",
      "p.mjs",
      "export const register = (r) => r.register('sistem', 'x', {});",
      /Unknown registry kind the string "sistem"\. Did you mean "system"\?/,
    ],
  ])("that %s is rejected without a stack trace", async (_, name, text, message) => {
    const space = new TempProject({ [name]: text, "capitals.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM });
    const base = ["--plugin", `./${name}`, "--dataset", "capitals.jsonl", "--system", "./oracle.mjs"];
    const { code, stdout, stderr } = await runAssay(space.dir, ...base);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("may replace built-ins", async () => {
    const text = `export const register = (r) => r.register("system", "truncate", { name: "mine", process: () => ({ response: "x" }) }, { replace: true });`;
    const space = new TempProject({ "p.mjs": text, "capitals.jsonl": CAPITAL_EXAMPLES });
    const base = ["--plugin", "./p.mjs", "--dataset", "capitals.jsonl", "--system", "truncate", "--output", "json"];
    expect(Object.keys(parseReport(await runAssay(space.dir, ...base)).summary)).toEqual(["mine"]);
  });
});
