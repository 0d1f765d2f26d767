import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { RunFolderError, UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { TempProject } from "../testing/temp-project.js";
import { addShowCommand } from "./commands/show.js";
import { executeShow, type ShowRequest } from "./show.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({
    scores: { em: response === answer ? 1 : 0 },
    evidence: { em: `asked for ${answer}` },
  }),
};

/** Acts like an agent, and is right in all trials but its first. */
const AGENT: System = {
  name: "agent",
  process: ({ answer = "" }, { trial }) => {
    const startedAt = Date.now();
    return {
      response: trial === 0 ? "no" : answer,
      trajectory: {
        startedAt,
        events: [
          { type: "turn_start", timestamp: startedAt },
          { type: "tool_call", name: "Bash", callId: "1", arguments: { command: "ls" }, timestamp: startedAt + 1500 },
        ],
      },
      workspace: { changes: [{ path: "a.txt", status: "added", content: "1\n" }] },
    };
  },
};

const BROKEN: System = {
  name: "broken",
  process: () => {
    throw new Error("the cable is out");
  },
};

const EXAMPLES: Example[] = [
  { id: "fr", dataset: "west", question: "France?", answer: "Paris" },
  { id: "it", dataset: "south", question: "Italy?", answer: "Rome" },
];

interface RunOptions {
  examples?: Example[];
  systems?: System[];
  trials?: number;
}

/** A real stored run. */
async function stored({ examples = EXAMPLES, systems = [AGENT], trials = 1 }: RunOptions = {}): Promise<TempProject> {
  const space = new TempProject();
  await evaluate({ systems, dataset: examples, evaluators: [EXACT], trials, runsDir: space.path("runs") });
  return space;
}

async function show(space: TempProject, request: Partial<ShowRequest> = {}): Promise<string> {
  let stdout = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  const code = await executeShow({ output: "text", runsDir: space.path("runs"), ...request });
  spy.mockRestore();
  expect(code).toBe(0);
  return stdout;
}

describe("assay show RUN TRIAL", () => {
  it("shows a trial of the latest run by its example", async () => {
    const text = await show(await stored(), { run: "latest", trial: "fr" });
    expect(text).toContain("# agent: fr#0");
    expect(text).toContain("outcome   fail (logic_error): em = 0, less than 0.7");
    expect(text).toContain("- em = 0 (decides)\n  asked for Paris");
    expect(text).toContain("   +1.5 s  calls     Bash (no result): ls");
    expect(text).toContain("## Workspace: 1 file changed");
  });

  it("finds the run by folder and by id", async () => {
    const space = await stored();
    const [dir = ""] = space.runs("runs");
    const expected = await show(space, { trial: "it" });
    expect(await show(space, { run: space.path(dir), trial: "it" })).toBe(expected);
    expect(await show(space, { run: dir.slice("runs/".length), trial: "it#0" })).toBe(expected);
  });

  it("selects a trial by number", async () => {
    const space = await stored({ trials: 3 });
    expect(await show(space, { trial: "fr#0" })).toContain("outcome   fail");
    expect(await show(space, { trial: "fr#2" })).toContain("outcome   pass");
  });

  it("prints everything as JSON", async () => {
    const { schema, run, row, output, evidence } = JSON.parse(
      await show(await stored(), { trial: "it", output: "json" }),
    );
    expect({ schema, evidence }).toEqual({ schema: "assay.trial/1", evidence: { em: "asked for Rome" } });
    expect(row).toMatchObject({ system: "agent", exampleId: "it", dataset: "south", trial: 0, scores: { em: 0 } });
    expect(output.trajectory.events).toHaveLength(2);
    expect(run).toMatch(/runs\/\d+-\d+-/);
  });

  it("shows why a trial failed", async () => {
    const space = await stored({ systems: [BROKEN] });
    const text = await show(space, { trial: "fr" });
    expect(text).toContain("outcome   error (system_error): the cable is out");
    expect(text).toContain("No output of this trial is stored.");
    expect(JSON.parse(await show(space, { trial: "fr", output: "json" }))).toMatchObject({
      output: null,
      evidence: null,
    });
  });

  it("reads outputs that are too large for the journal", async () => {
    const long: System = { name: "long", process: () => ({ response: "word ".repeat(300_000) }) };
    const space = await stored({ systems: [long] });
    expect(space.read(space.runs("runs")[0] ?? "", "outputs.jsonl")).toContain('"file":');
    expect(await show(space, { trial: "fr" })).toContain("… 1,500,000 characters in all: --full");
    expect((await show(space, { trial: "fr", full: true })).length).toBeGreaterThan(1_500_000);
  });

  it("uses the last output of a trial that was run again, and ignores torn ones", async () => {
    const space = await stored();
    const path = space.path(space.runs("runs")[0] ?? "", "outputs.jsonl");
    const first =
      readFileSync(path, "utf8")
        .split("\n")
        .find((line) => line.includes('"exampleId":"fr"')) ?? "";
    appendFileSync(path, `${first.replace('"response":"no"', '"response":"the second"')}\n`);
    appendFileSync(path, first.replace('"response":"no"', '"response":"torn"'));
    expect(JSON.parse(await show(space, { trial: "fr", output: "json" })).output.response).toBe("the second");
  });

  it("reports where an output is damaged", async () => {
    const space = await stored();
    const dir = space.path(space.runs("runs")[0] ?? "");
    appendFileSync(
      join(dir, "outputs.jsonl"),
      '{"system":"agent","dataset":"west","exampleId":"fr","trial":0,"output":{\n',
    );
    await expect(show(space, { trial: "fr" })).rejects.toThrow(/outputs\.jsonl:\d+ is not an output: /);
    expect(await show(space, { trial: "it" })).toContain("# agent: it#0");
  });
});

describe("selecting a trial", () => {
  const OTHER: System = { ...AGENT, name: "it's me" };

  it("lists ambiguous trials as commands, each of which works", async () => {
    const space = await stored({ systems: [AGENT, OTHER], trials: 2 });
    const error: unknown = await show(space, { trial: "fr" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    const [head, ...lines] = String((error as Error).message).split("\n");
    expect(head).toBe('"fr" matches 4 trials. Choose one:');
    const command = `  assay show latest --runs-dir ${space.path("runs")}`;
    expect(lines).toEqual([
      `${command} fr#0 --system agent`,
      `${command} fr#1 --system agent`,
      `${command} fr#0 --system 'it'\\''s me'`,
      `${command} fr#1 --system 'it'\\''s me'`,
    ]);
    expect(await show(space, { trial: "fr#1", system: "it's me" })).toContain("# it's me: fr#1");
  });

  it("distinguishes datasets, and accepts the name of one with several tags", async () => {
    const twins = EXAMPLES.map((example) => ({ ...example, id: "same" }));
    const space = await stored({ examples: twins });
    await expect(show(space, { trial: "same" })).rejects.toThrow(/same#0 --dataset west\n.*same#0 --dataset south/);
    expect(await show(space, { trial: "same", dataset: "west" })).toContain("same of west, trial 0");
  });

  it("finds ids that look like trials, flags or numbers", async () => {
    const ids = ["a", "a#1", "-5", 7];
    const space = await stored({ examples: ids.map((id) => ({ id, question: "?", answer: "!" })), trials: 2 });
    expect(await show(space, { trial: "a#1" })).toContain("# agent: a#1\n");
    expect(await show(space, { trial: "a#1#0" })).toContain("# agent: a#1#0\n");
    expect(await show(space, { trial: "7#1" })).toContain("# agent: 7#1\n");
    await expect(show(space, { trial: "-5" })).rejects.toThrow(/ -- -5#0\n.* -- -5#1$/);
  });

  it("suggests similar ids if nothing matches", async () => {
    const space = await stored({ trials: 2 });
    const many = EXAMPLES.map((example) => ({ ...example, id: `france-${example.id}` }));
    const cases: [TempProject, Partial<ShowRequest>, string][] = [
      [space, { trial: "fr#2" }, 'The run has no trial "fr#2". Of that example there are fr#0, fr#1.'],
      [space, { trial: "zzzzzz" }, `The run has no trial "zzzzzz" (among 4 trials). List them with: assay show latest`],
      [await stored({ examples: many }), { trial: "france-fx" }, 'Did you mean "france-fr"?'],
      [space, { trial: "fr", system: "agnet" }, 'The run has no system "agnet". Did you mean "agent"?'],
      [space, { dataset: "wst" }, 'The run has no dataset "wst". Did you mean "west"?'],
      [space, { outcome: "failed" }, 'The run has no outcome "failed". Did you mean "fail"?'],
      [space, { output: "jsn" }, 'Unknown output format "jsn". Did you mean "json"?'],
    ];
    for (const [where, request, message] of cases) await expect(show(where, request)).rejects.toThrow(message);
  });

  it("explains how to name a trial of the latest run", async () => {
    const space = await stored();
    await expect(show(space, { run: "fr" })).rejects.toThrow("For a trial of the latest run: assay show latest fr");
    await expect(show(space, { run: "nowhere", trial: "fr" })).rejects.toThrow(RunFolderError);
    await expect(show(new TempProject())).rejects.toThrow("There is no run in");
  });
});

describe("assay show RUN", () => {
  it("lists the trials in the order of the dataset", async () => {
    const table = await show(await stored({ systems: [AGENT, BROKEN], trials: 2 }));
    const names = table
      .split("\n")
      .flatMap((line) => /^\| (\w+) +\| \w+ +\| (\S+) +\| (\w+)/.exec(line)?.slice(1).join(" ") ?? []);
    expect(names.slice(1)).toEqual([
      "agent fr#0 fail",
      "agent fr#1 pass",
      "agent it#0 fail",
      "agent it#1 pass",
      "broken fr#0 error",
      "broken fr#1 error",
      "broken it#0 error",
      "broken it#1 error",
    ]);
  });

  it("filters by outcome", async () => {
    const space = await stored({ trials: 2 });
    const table = await show(space, { outcome: "fail" });
    expect(table).toContain("| fr#0");
    expect(table).not.toContain("| fr#1");
    expect(table).toContain("- 2 of 4 trials match the flags");
    expect(await show(space, { outcome: "skipped" })).toContain("No trials match.");
  });

  it("shows fifty, says how many more there are, and shows all with --all", async () => {
    const examples = Array.from({ length: 60 }, (_, i) => ({ id: i, question: "?", answer: "!" }));
    const space = await stored({ examples });
    const short = await show(space);
    expect(short).toContain("| 49#0");
    expect(short).not.toContain("| 50#0");
    expect(short).toContain("- 10 more trials, use --all to list them");
    expect(await show(space, { all: true })).toContain("| 59#0");
  });

  it("reports trials that were not run", async () => {
    const space = await stored();
    const rows = space.path(space.runs("runs")[0] ?? "", "rows.jsonl");
    const [first = ""] = readFileSync(rows, "utf8").split("\n");
    space.write(rows.slice(space.dir.length + 1), `${first}\n`);
    expect(await show(space)).toContain("- 1 planned trial not run");
    space.write(rows.slice(space.dir.length + 1), "");
    await expect(show(space)).rejects.toThrow("there is nothing to show yet");
  });

  it("prints all rows as JSON", async () => {
    const { schema, trials } = JSON.parse(await show(await stored({ trials: 2 }), { output: "json", outcome: "pass" }));
    expect(schema).toBe("assay.trials/1");
    expect(trials.map(({ exampleId }: { exampleId: string }) => exampleId)).toEqual(["fr", "it"]);
  });
});

describe("addShowCommand", () => {
  it("reads run, trial and flags from the command line", async () => {
    const space = await stored({ trials: 2 });
    let stdout = "";
    const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += String(text);
      return true;
    });
    onTestFinished(() => spy.mockRestore());
    const codes: number[] = [];
    const program = new Command("assay").exitOverride();
    addShowCommand(program, (code) => codes.push(code));
    const args = ["show", "latest", "fr#1", "--system", "agent", "--dataset", "west", "--output", "json"];
    await program.parseAsync(["node", "assay", ...args, "--runs-dir", space.path("runs")]);
    expect(codes).toEqual([0]);
    expect(JSON.parse(stdout).row).toMatchObject({ exampleId: "fr", trial: 1 });
  });
});
