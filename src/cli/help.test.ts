import { afterEach, describe, expect, it, vi } from "vitest";
import { measureColumns } from "../report/text-block.js";
import { COMMAND_GROUPS, fitHelp, wantsCommonFlags } from "./help.js";
import { buildProgram } from "./program.js";

/** What a command line prints that asks for help, at a width. */
async function readHelp(words: readonly string[], columns = 80): Promise<string> {
  vi.stubEnv("COLUMNS", String(columns));
  let help = "";
  const writing = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    help += String(text);
    return true;
  });
  try {
    await expect(buildProgram(["node", "assay", ...words]).run()).rejects.toMatchObject({ exitCode: 0 });
  } finally {
    writing.mockRestore();
  }
  return help;
}

const listCommands = (help: string) => [...help.matchAll(/^ {2}([a-z]+) {2,}\S/gm)].map(([, name = ""]) => name);
const listFlags = (help: string) => [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, flag = ""]) => flag);
const findLongLines = (help: string, columns: number) =>
  help.split("\n").filter((line) => measureColumns(line) > columns);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("assay --help", () => {
  it("lists every command under one of the groups, in their order", async () => {
    const help = await readHelp(["--help"]);
    const places = COMMAND_GROUPS.map((group) => help.indexOf(`\n${group}:\n`));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places[0]).toBeGreaterThan(0);
    expect(help).not.toContain("\nCommands:\n");
    expect(listCommands(help)).toEqual(expect.arrayContaining(["run", "compare", "eval", "worker", "doctor"]));
  });

  it.each([80, 100, 120])("of every command fits %d columns", async (columns) => {
    const program = await readHelp(["--help"], columns);
    expect(findLongLines(program, columns)).toEqual([]);
    for (const name of listCommands(program).filter((one) => one !== "help")) {
      for (const words of [
        [name, "--help"],
        [name, "--help", "all"],
      ])
        expect({ words, long: findLongLines(await readHelp(words, columns), columns) }).toEqual({ words, long: [] });
    }
  });
});

describe("the help of a command with dozens of flags", () => {
  it.each(["run", "memory", "eval"])("of %s has the common ones, and says how to see all", async (name) => {
    const [short, all] = [await readHelp([name, "--help"]), await readHelp([name, "--help", "all"])];
    expect(listFlags(short).length).toBeLessThanOrEqual(18);
    expect(listFlags(short)).toEqual(expect.arrayContaining(["--model", "--max-cost", "--output", "--help"]));
    expect(short).toContain(`flags: assay ${name} --help all`);
    expect(listFlags(all).length).toBeGreaterThan(40);
    expect(listFlags(all)).toEqual(expect.arrayContaining(listFlags(short)));
    expect(all).not.toContain("--help all");
  });

  it("has the sections of the documentation in --help all", async () => {
    const help = await readHelp(["run", "--help", "all"]);
    for (const heading of ["Systems, datasets and evaluators:", "Budget:", "Judges:", "Pass or fail:", "Output:"])
      expect(help).toContain(`\n${heading}\n`);
  });
});

describe("wantsCommonFlags", () => {
  it("is true for help that does not ask for all", () => {
    const wants = (...words: string[]) => wantsCommonFlags(["node", "assay", ...words]);
    expect([wants("run", "--help"), wants("-h"), wants("help", "run")]).toEqual([true, true, true]);
    expect([wants("run", "--help", "all"), wants("run", "--treshold", "1"), wants()]).toEqual([false, false, false]);
  });
});

describe("fitHelp", () => {
  it("breaks an example between flags so that it can be pasted, with what it does below", () => {
    const line = "  assay run --model openai/gpt-5 --dataset questions.jsonl     measure a model";
    expect(fitHelp(line, 50)).toBe(
      "  assay run --model openai/gpt-5 \\\n      --dataset questions.jsonl\n      measure a model",
    );
    expect(fitHelp(line, 90)).toBe(line);
  });

  it("indents what follows a label under its text", () => {
    expect(fitHelp("Systems:     one two three four", 24)).toBe("Systems:     one two\n             three four");
  });
});
