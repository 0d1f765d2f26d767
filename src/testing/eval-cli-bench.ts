import { existsSync, readFileSync } from "node:fs";
import { type Finished, start } from "./assay.js";
import { type Content, Workspace } from "./workspace.js";

/**
 * An agent that says in a file outside when it is started, and does what it is asked: `write FILE`, `write FILE and
 * wait`, `fail`. What it says is its prompt, behind the variable MOOD.
 */
const AGENT = `import { appendFileSync, writeFileSync } from "node:fs";
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

/** The agent as an executor. */
export const EXECUTOR = "node agent.mjs {prompt}";

/** A folder with that agent, and with eval files or whatever else there is to be. */
export class EvalSpace extends Workspace {
  constructor(files: Readonly<Record<string, Content>>) {
    super({ "agent.mjs": AGENT, ...files });
  }

  /** What the agent was asked for, each time it was started. */
  started(): string[] {
    const log = this.path("started.log");
    if (!existsSync(log)) return [];
    return readFileSync(log, "utf8").trimEnd().split("\n");
  }

  /** Starts the command line; the agent may say that it is started. */
  begin(...args: string[]) {
    return start(this.dir, args, this.env());
  }

  assay(...args: string[]): Promise<Finished> {
    return this.begin(...args).finished;
  }

  /** An eval with that agent. */
  eval(...args: string[]): Promise<Finished> {
    return this.assay("eval", "--agent-env", "LOG", ...args);
  }

  env(): Record<string, string> {
    return { LOG: this.path("started.log"), GITHUB_STEP_SUMMARY: "", OPENAI_API_KEY: "" };
  }
}

interface SpecParts {
  readonly name?: string;
  /** What stands before the stimuli. */
  readonly head?: string;
  readonly runs?: number;
}

/** An eval file with a line for each stimulus: what is asked, and the file that has to be there afterwards. */
export function evalFile(
  stimuli: Readonly<Record<string, string>>,
  { name = "tidy", head = "", runs = 1 }: SpecParts = {},
): string {
  const lines = Object.entries(stimuli).map(
    ([stimulus, rest]) =>
      `  - { name: ${stimulus}, graders: [{ type: file-exists, config: { path: made.txt } }], ${rest} }`,
  );
  return `name: ${name}\ndefaults: { executor: "${EXECUTOR}", runs: ${runs} }\n${head}stimuli:\n${lines.join("\n")}\n`;
}
