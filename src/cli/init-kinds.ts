import { ADAPTERS } from "../agents/index.js";
import { didYouMean, EXAMPLE_MODELS, UsageError } from "../core/index.js";
import { findProgram } from "../exec/index.js";

/** What `assay init` can begin with, in the order in which it asks. */
export const INIT_KINDS = ["models", "system", "typescript", "python", "agent", "skill", "memory"] as const;
export type InitKind = (typeof INIT_KINDS)[number];

/** An agent of one file that needs no installation. */
export const TINY_AGENT = "tiny-agent.mjs";

/** What is known where the project is written. */
interface InitPlace {
  /** An installed or given agent, by name or as a command; undefined if there is none. */
  readonly agent: string | undefined;
}

export interface InitTemplate {
  /** What one begins with, for the list that is shown. */
  readonly summary: string;
  /** The folder of the package that is copied. */
  readonly folder: string;
  /** True if an agent is run: an installed one, else the tiny agent. */
  readonly hasAgent?: true;
  /** Replaces the line of `file` that names the agent. */
  readonly agentLine?: AgentLine;
  /** Commands that work at once, without a key, and what they do. */
  readonly next: (place: InitPlace) => readonly (readonly [command: string, meaning: string])[];
  /** What to do with a key, or after installing something. */
  readonly later?: (place: InitPlace) => readonly string[];
}

interface AgentLine {
  readonly file: string;
  readonly pattern: RegExp;
  readonly write: (agent: string | undefined) => string;
}

const INSTALL_AGENT = "No agent is installed, so a tiny one is used: assay doctor shows how to install another.";

export const INIT_TEMPLATES: Readonly<Record<InitKind, InitTemplate>> = {
  models: {
    summary: "compare models on your questions",
    folder: "examples/templates/models",
    next: () => [
      ["assay run --mock mock.yaml", "try it with simulated models, without a key"],
      ["assay run --dry-run", "print the plan and its maximum cost"],
    ],
    later: () => ["With a key in OPENAI_API_KEY, assay run measures the real models."],
  },
  system: {
    summary: "measure your own code, in JavaScript or TypeScript",
    folder: "examples/templates/system",
    next: () => [["assay run", "measure my-system.mjs"]],
  },
  typescript: {
    summary: "write an eval in TypeScript",
    folder: "examples/templates/typescript",
    next: () => [["assay run", "run all *.eval.ts files"]],
  },
  python: {
    summary: "measure a program in Python or any other language",
    folder: "examples/templates/python",
    next: () => (hasPython() ? [["assay run", "measure compress.py"]] : [["assay run --dry-run", "print the plan"]]),
    later: () => (hasPython() ? [] : ["There is no python3 in PATH. Install it, then assay run measures compress.py."]),
  },
  agent: {
    summary: "measure a coding agent on tasks",
    folder: "examples/templates/agent",
    hasAgent: true,
    agentLine: { file: "assay.config.yaml", pattern: /^agents: .*$/m, write: (agent) => `agents: [${toAgent(agent)}]` },
    next: () => [["assay run --mock mock.yaml", "try it with a simulated model, without a key"]],
    later: ({ agent }) => [
      ...(agent === undefined ? [INSTALL_AGENT] : []),
      "With a key, assay run --max-cost 2 measures the agent with a real model.",
    ],
  },
  skill: {
    summary: "test whether a skill helps agents",
    folder: "examples/skill-eval",
    hasAgent: true,
    agentLine: {
      file: "evals/changelog/eval.yaml",
      pattern: /^ {2}executor: .*$/m,
      write: (agent) => `  executor: ${toYamlString(agent ?? `node ${TINY_AGENT} {prompt} {skills}`)}`,
    },
    next: ({ agent }) => {
      // Which skills the tiny agent activates cannot be seen, so it runs the test case that does not ask for it.
      const some = agent === undefined ? " --tag area=removal" : "";
      const mock = `--mock evals/changelog/mock.yaml${some}`;
      return [
        ["assay lint", "check the files"],
        ["assay oracle", "check that the graders work"],
        [`assay eval ${mock}`, "try it with a simulated model, without a key"],
        [`assay experiment run experiment.yaml ${mock}`, "compare with and without the skill"],
      ];
    },
    later: ({ agent }) => [
      ...(agent === undefined ? [INSTALL_AGENT] : []),
      "With a key, assay eval --max-cost 5 runs it with a real model.",
    ],
  },
  memory: {
    summary: "measure a memory on long conversations",
    folder: "examples/templates/memory",
    next: () => [["assay memory", "ask my-memory.mjs and a built-in memory about talk.json"]],
  },
};

/** For a person without a terminal, `assay init` has always written a skill. */
const DEFAULT_KIND: InitKind = "skill";

export interface KindFlags {
  readonly kind?: string;
  readonly executor?: string;
}

/** The kind that the flags name; undefined if they name none. */
export function findKind({ kind, executor }: KindFlags): InitKind | undefined {
  if (kind === undefined) return executor === undefined ? undefined : DEFAULT_KIND;
  const known = INIT_KINDS.find((name) => name === kind);
  if (known === undefined)
    throw new UsageError(`Unknown kind "${kind}".${didYouMean(kind, INIT_KINDS)} Known: ${INIT_KINDS.join(", ")}.`);
  if (executor !== undefined && INIT_TEMPLATES[known].hasAgent !== true)
    throw new UsageError(`--executor is for --kind agent and skill: ${known} runs no agent. Remove one of them.`);
  return known;
}

/** Asks on a terminal; null if the question is not answered. */
export async function chooseKind(flags: KindFlags): Promise<InitKind | null> {
  const named = findKind(flags);
  if (named !== undefined) return named;
  if (process.stdin.isTTY !== true || process.stderr.isTTY !== true) return DEFAULT_KIND;
  return (await import("./ask-kind.js")).askKind({ input: process.stdin, output: process.stderr });
}

export function findInstalledAgent(): string | undefined {
  return Object.values(ADAPTERS).find(({ program }) => findProgram(program) !== null)?.name;
}

function hasPython(): boolean {
  return findProgram("python3") !== null;
}

function toAgent(agent: string | undefined): string {
  if (agent === undefined)
    return `{ name: tiny, command: "node ${TINY_AGENT} {prompt}", model: ${EXAMPLE_MODELS.openaiSmall} }`;
  return agent.includes("{prompt") ? `{ command: ${JSON.stringify(agent)} }` : toYamlString(agent);
}

/** A command may contain braces, which have a meaning in YAML. */
function toYamlString(agent: string): string {
  return /^[\w.-]+$/.test(agent) ? agent : JSON.stringify(agent);
}
