import { mkdirSync, symlinkSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { CAPITAL_EXAMPLES, TempProject } from "../src/testing/temp-project.js";

const files = { "capitals.jsonl": CAPITAL_EXAMPLES };
const BASE = ["--dataset", "capitals.jsonl", "--output", "json"];

describe("a system from a file", () => {
  it.each([
    [
      "an object as default",
      "mine.ts",
      `export default { name: "mine", process: (example: { answer: string }) => ({ response: example.answer }) };`,
    ],
    [
      "an instance of a class",
      "mine.ts",
      `class Mine { readonly name = "mine"; constructor(private readonly suffix = "") {} process(example: { answer: string }) { return { response: example.answer + this.suffix }; } }\nexport default new Mine();`,
    ],
    ["a function as default, named after its file", "mine.mjs", `export default (example) => example.answer;`],
    [
      "an async function",
      "mine.ts",
      `export default async (example: { answer: string }): Promise<string> => example.answer;`,
    ],
    [
      "a named export",
      "mine.mjs",
      `export const system = { name: "mine", process: (example) => ({ response: example.answer }) };`,
    ],
    [
      "CommonJS",
      "mine.cjs",
      `module.exports = { name: "mine", process: (example) => ({ response: example.answer }) };`,
    ],
  ])("may be %s", async (_, name, text) => {
    const finished = await runAssay(new TempProject({ ...files, [name]: text }).dir, ...BASE, "--system", `./${name}`);
    expect(finished.stderr).not.toMatch(/^assay:/m);
    expect(parseReport(finished).summary).toMatchObject({ mine: { pass_rate: 1, num_planned: 4 } });
  });

  it("may export several as `systems`", async () => {
    const text = `export const systems = ["Paris", "Rome"].map((name) => ({ name, process: () => ({ response: name }) }));`;
    const finished = await runAssay(
      new TempProject({ ...files, "pair.ts": text }).dir,
      ...BASE,
      "--system",
      "./pair.ts",
    );
    expect(parseReport(finished).summary).toMatchObject({ Paris: { pass_rate: 0.25 }, Rome: { pass_rate: 0.25 } });
  });

  it("is closed at the end, and a failing close costs nothing", async () => {
    const text = `export const systems = [
      { name: "a", process: () => ({ response: "x" }), close: async () => { throw new Error("stuck"); } },
      { name: "b", process: () => ({ response: "x" }), close: async () => { console.error("b is closed"); } },
    ];`;
    const finished = await runAssay(
      new TempProject({ ...files, "two.mjs": text }).dir,
      ...BASE,
      "--system",
      "./two.mjs",
    );
    expect(finished.stderr).toContain("a could not be closed: stuck");
    expect(finished.stderr).toContain("b is closed");
    expect(finished.code).toBe(0);
  });

  it.each([
    ["another system cannot be made", ["--dataset", "capitals.jsonl", "--system", "./gone.mjs"]],
    ["a system beside it is none", ["--dataset", "capitals.jsonl", "--system", "./half.mjs"]],
    ["a recording cannot be read", ["--dataset", "capitals.jsonl", "--replay", "gone.jsonl"]],
    ["the dataset cannot be read", ["--dataset", "gone.jsonl"]],
    ["a gate makes no sense", ["--dataset", "capitals.jsonl", "--fail-under", "pass_rte=1"]],
    ["the run cannot be planned", ["--dataset", "capitals.jsonl", "--score-field", "nonsense"]],
  ])("is closed when %s", async (_, args) => {
    const closing = `{ name: "a", process: () => ({ response: "x" }), close: async () => { console.error("a is closed"); } }`;
    const space = new TempProject({
      ...files,
      "closing.mjs": `export default ${closing};`,
      "half.mjs": `export const systems = [${closing.replaceAll('"a', '"half')}, {}];`,
    });
    const finished = await runAssay(space.dir, "--system", "./closing.mjs", ...args);
    expect(finished.stderr).toContain("a is closed");
    expect(finished.stderr.includes("half is closed")).toBe(args.includes("./half.mjs"));
    expect(finished).toMatchObject({ code: 2, stdout: "" });
  });

  it.each([
    [
      "exports nothing",
      "export const other = 1;",
      "./mine.mjs exports no system. Export it as `default` or as `system`.",
    ],
    [
      "has no process()",
      `export default { name: "mine" };`,
      'The system exported by ./mine.mjs "mine" has no method process().',
    ],
    ["has no name", "export default { process: () => ({}) };", "The system exported by ./mine.mjs has no name."],
  ])("that %s is rejected", async (_, text, message) => {
    const finished = await runAssay(
      new TempProject({ ...files, "mine.mjs": text }).dir,
      ...BASE,
      "--system",
      "./mine.mjs",
    );
    expect(finished.stderr).toContain(message);
    expect(finished).toMatchObject({ code: 2, stdout: "" });
  });

  it("that answers with another key than `response` fails every trial, and names the key", async () => {
    const space = new TempProject({ ...files, "mine.mjs": `export default () => ({ answer: "two minutes" });` });
    const finished = await runAssay(space.dir, ...BASE, "--system", "./mine.mjs");
    expect(finished.code).toBe(3);
    const { rows } = parseReport(finished);
    for (const row of rows) expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(rows[0]?.attempts[0]?.message).toContain(
      'has neither a "response" nor a "context", only "answer" (did you mean "response" instead of "answer"?)',
    );
  });

  it.each(["mine.ts", "mine.mjs"])("%s shares the library's classes with the command line", async (name) => {
    const text = `import { TrialError } from "assay";
      export default { name: "mine", process: () => { throw new TrialError("rate_limit", "slow down"); } };`;
    const space = new TempProject({ ...files, [name]: text });
    mkdirSync(space.path("node_modules"));
    symlinkSync(fileURLToPath(new URL("..", import.meta.url)), space.path("node_modules/assay"));
    const { rows } = parseReport(await runAssay(space.dir, ...BASE, "--system", `./${name}`));
    expect(rows[0]).toMatchObject({ outcome: "error", errorCategory: "rate_limit" });
  });

  it("may import every entry of the package from TypeScript, even where it is not installed", async () => {
    const text = `import { FunctionSystem } from "assay";
      import { mean } from "assay/stats";
      import { UsageError } from "assay/errors";
      const code = new UsageError("no").code;
      export default new FunctionSystem({ name: "mine", fn: ({ answer }) => (mean([1, 3]) === 2 && code ? answer : "") });`;
    const space = new TempProject({ ...files, "mine.ts": text });
    const { rows } = parseReport(await runAssay(space.dir, ...BASE, "--system", "./mine.ts"));
    expect(rows[0]).toMatchObject({ passed: true });
  });

  it("is identified by its own content and that of its local imports", async () => {
    const space = new TempProject({
      ...files,
      "mine.ts": `import { appendFileSync } from "node:fs";
        import { prefix } from "./lib/prefix.js";
        export default { name: "mine", process: (example: { answer: string }) => { appendFileSync("calls", "."); return { response: prefix + example.answer }; } };`,
      "lib/prefix.ts": `export { prefix } from "./deep";`,
      "lib/deep.ts": `export const prefix = "";`,
      "unrelated.ts": "export const x = 1;",
    });
    const calls = async () => {
      await runAssay(space.dir, ...BASE, "--system", "./mine.ts", "--cache-dir");
      return space.read("calls").length;
    };
    expect(await calls()).toBe(4);
    expect(await calls()).toBe(4);
    space.write("unrelated.ts", "export const x = 2;");
    expect(await calls()).toBe(4);
    space.write("lib/deep.ts", `export const prefix = "so: ";`);
    expect(await calls()).toBe(8);
    space.write("lib/deep.ts", `export const prefix = "";`);
    expect(await calls()).toBe(8);
    space.write("capitals.jsonl", [{ ...CAPITAL_EXAMPLES[0], question: "Which city?" }, ...CAPITAL_EXAMPLES.slice(1)]);
    expect(await calls()).toBe(9);
  });

  it("that throws from a timer instead of answering fails only its own trials", async () => {
    const text = `export default { name: "wild", process: (example) => {
      if (example.id === "fr") return { response: "Paris" };
      return new Promise(() => setTimeout(() => { throw new Error("from nowhere"); }, 1));
    } };`;
    const space = new TempProject({ ...files, "wild.mjs": text });
    const finished = await runAssay(space.dir, ...BASE, "--system", "./wild.mjs");
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain("an unhandled promise: from nowhere. The run continues.");
    expect(finished.stderr).not.toMatch(/^\s+at /m);
    expect(parseReport(finished).summary.wild).toMatchObject({ num_pass: 1, num_error: 3 });
  });

  it("that never answers fails only its own trials", async () => {
    const text = `export default { name: "lost", process: (example) => (example.id === "fr" ? { response: "Paris" } : new Promise(() => {})) };`;
    const space = new TempProject({ ...files, "lost.mjs": text });
    const finished = await runAssay(space.dir, ...BASE, "--system", "./lost.mjs");
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain("lost: only 25 % of the planned trials were scored");
    const { summary, rows } = parseReport(finished);
    expect(summary.lost).toMatchObject({ num_pass: 1, num_error: 3 });
    const messages = rows.flatMap(({ attempts }) => attempts.map(({ message }) => message));
    expect(messages).toEqual(Array(3).fill("its promise never settled"));
  });

  it("that throws outside any call does not end the run", async () => {
    const text = `export default { name: "stray", async process(example) {
      if (example.id === "fr") { void Promise.reject(new Error("floating")); setTimeout(() => { throw new Error("late"); }, 1); }
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { response: example.answer };
    } };`;
    const finished = await runAssay(
      new TempProject({ ...files, "stray.mjs": text }).dir,
      ...BASE,
      "--system",
      "./stray.mjs",
    );
    expect(finished.code).toBe(0);
    expect(finished.stderr).toMatch(/an unhandled promise: floating\. The run continues\./);
    expect(finished.stderr).toMatch(/an unhandled promise: late\. The run continues\./);
    expect(parseReport(finished).summary.stray?.pass_rate).toBe(1);
  });

  it("that prints, prints to stderr", async () => {
    const text = `console.log("loading"); export default (example) => { console.log("noise"); return example.answer; };`;
    const finished = await runAssay(
      new TempProject({ ...files, "loud.mjs": text }).dir,
      ...BASE,
      "--system",
      "./loud.mjs",
    );
    expect(finished.code).toBe(0);
    expect(finished.stderr).toContain("loading\nnoise\n");
    expect(parseReport(finished).summary.loud?.pass_rate).toBe(1);
  });

  it("that exits the process does not look successful", async () => {
    const text = `export default (example) => { if (example.id === "it") process.exit(0); return example.answer; };`;
    const finished = await runAssay(
      new TempProject({ ...files, "quit.mjs": text }).dir,
      ...BASE,
      "--system",
      "./quit.mjs",
    );
    expect(finished.code).toBe(3);
    expect(finished.stderr).toContain("exited the process. Recorded results are kept");
  });

  it("may return values that JSON cannot represent without losing other results", async () => {
    const text = `const circle = {}; circle.self = circle;
      export default { name: "odd", process: (example) => ({ response: example.answer, circle, metadata: { big: 1n } }) };`;
    const finished = await runAssay(
      new TempProject({ ...files, "odd.mjs": text }).dir,
      ...BASE,
      "--system",
      "./odd.mjs",
    );
    expect(finished.code).toBe(0);
    expect(parseReport(finished).summary.odd?.pass_rate).toBe(1);
  });
});
