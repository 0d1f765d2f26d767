import { existsSync, readFileSync } from "node:fs";
import { type FinishedCommand, startAssay } from "./run-assay.js";
import { TempProject, type TestFileContent } from "./temp-project.js";

/**
 * An agent that logs each start to a file outside and follows its prompt: `write FILE`, `write FILE and wait`, `fail`. It
 * prints its prompt after the variable MOOD.
 */
const AGENT_SCRIPT = `import { appendFileSync, writeFileSync } from "node:fs";
const prompt = process.argv[2] ?? "";
appendFileSync(process.env.LOG, prompt.trim() + "\\n");
const [, file] = /^write (\\S+)/.exec(prompt) ?? [];
if (file) writeFileSync(file, "hello\\n");
if (prompt.includes("and wait")) {
  appendFileSync(process.env.LOG, "waiting\\n");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
if (prompt.startsWith("fail")) process.exit(3);
console.log((process.env.MOOD ?? "calm") + ": " + prompt);
`;

export const EXECUTOR_COMMAND = "node agent.mjs {prompt}";

/** A project with that agent and the given files. */
export class TempEvalProject extends TempProject {
  constructor(files: Readonly<Record<string, TestFileContent>>) {
    super({ "agent.mjs": AGENT_SCRIPT, ...files });
  }

  /** The prompts of the agent, one for each start. */
  readStarts(): string[] {
    const log = this.path("started.log");
    if (!existsSync(log)) return [];
    return readFileSync(log, "utf8").trimEnd().split("\n");
  }

  start(...args: string[]) {
    return startAssay(this.dir, args, this.env());
  }

  assay(...args: string[]): Promise<FinishedCommand> {
    return this.start(...args).finished;
  }

  eval(...args: string[]): Promise<FinishedCommand> {
    return this.assay("eval", "--agent-env", "LOG", ...args);
  }

  env(): Record<string, string> {
    return { LOG: this.path("started.log"), GITHUB_STEP_SUMMARY: "", OPENAI_API_KEY: "" };
  }
}

interface TestEvalFileOptions {
  readonly name?: string;
  /** YAML before the test cases. */
  readonly head?: string;
  readonly runs?: number;
}

/** An eval file with one line per test case: its prompt; the agent has to create made.txt. */
export function makeEvalFile(
  stimuli: Readonly<Record<string, string>>,
  { name = "tidy", head = "", runs = 1 }: TestEvalFileOptions = {},
): string {
  const lines = Object.entries(stimuli).map(
    ([stimulus, rest]) =>
      `  - { name: ${stimulus}, graders: [{ type: file-exists, config: { path: made.txt } }], ${rest} }`,
  );
  return `name: ${name}\ndefaults: { executor: "${EXECUTOR_COMMAND}", runs: ${runs} }\n${head}stimuli:\n${lines.join("\n")}\n`;
}
