import type { Example } from "../../core/index.js";
import { didYouMean, UsageError } from "../../core/index.js";
import type { Configs } from "../../datasets/index.js";
import type { MemoryFormat } from "./conversation.js";
import { readLocomo } from "./locomo.js";
import { readLongMemEval } from "./longmemeval.js";

/** A memory dataset: where its file is, and how to read it. */
export interface MemoryEntry {
  /** One-line description. */
  readonly about: string;
  /** Its repository on the hub: `owner/name`. */
  readonly repo: string;
  readonly license: string;
  /** Number of questions in the default config, as published. */
  readonly size: number;
  readonly configs?: Configs;
  /** The path of a config's file in the repository. */
  file(config: string): string;
  readonly format: MemoryFormat;
}

/** The memory datasets by name. */
export const MEMORY_DATASETS: Readonly<Record<string, MemoryEntry>> = {
  locomo: {
    about: "Questions about ten very long conversations of two people, over up to 35 sessions",
    // Its authors publish it outside the hub; this is a copy of their file.
    repo: "KimmoZZZ/locomo",
    license: "CC BY-NC 4.0",
    size: 1986,
    file: () => "locomo10.json",
    format: readLocomo,
  },
  longmemeval: {
    about: "500 questions, each about a history of its own between a user and an assistant",
    // The authors' replacement for the first version, whose histories interfered with the answers.
    repo: "xiaowu0162/longmemeval-cleaned",
    license: "MIT",
    size: 500,
    configs: { names: ["s", "m", "oracle"], default: "s" },
    file: (config) => (config === "oracle" ? "longmemeval_oracle.json" : `longmemeval_${config}_cleaned.json`),
    format: readLongMemEval,
  },
};

/** A dataset as named in a spec. */
export interface NamedMemoryEntry {
  /** The name in rows; includes the config if one was given. */
  readonly name: string;
  readonly entry: MemoryEntry;
  readonly config: string;
  readonly revision?: string;
}

/**
 * Finds the dataset for a spec such as `locomo`, `longmemeval:s` or `longmemeval:m@main`.
 * @example
 * findMemoryDataset("longmemeval:oracle").config; // "oracle"
 */
export function findMemoryDataset(spec: string): NamedMemoryEntry {
  const [name = "", ...revision] = spec.split("@");
  const [base = "", ...rest] = name.split(":");
  const entry = Object.hasOwn(MEMORY_DATASETS, base) ? MEMORY_DATASETS[base] : undefined;
  if (entry === undefined)
    throw new UsageError(
      `Unknown memory dataset "${base}".${didYouMean(base, Object.keys(MEMORY_DATASETS))} For your own file, write locomo=FILE or longmemeval=FILE.`,
    );
  const config = resolveMemoryConfig(base, entry, rest.length === 0 ? undefined : rest.join(":"));
  return { name, entry, config, ...(revision.length === 0 ? {} : { revision: revision.join("@") }) };
}

function resolveMemoryConfig(name: string, { configs }: MemoryEntry, asked: string | undefined): string {
  if (asked === undefined) return configs?.default ?? "";
  if (configs?.names.includes(asked)) return asked;
  throw new UsageError(
    configs === undefined
      ? `The dataset ${name} has no configs: remove ":${asked}".`
      : `The dataset ${name} has no config "${asked}".${didYouMean(asked, configs.names)}`,
  );
}

/**
 * Question types whose published answer describes what a good answer must consider instead of giving one. LoCoMo has none,
 * and its authors report f1.
 */
const RUBRIC_TYPES: readonly string[] = ["single-session-preference"];

/** Notes about questions for which f1 says little. */
export function listRubricNotes(examples: readonly Example[]): string[] {
  return RUBRIC_TYPES.flatMap((type) => {
    const count = examples.filter(({ question_type }) => question_type === type).length;
    if (count === 0) return [];
    return `${count} ${count === 1 ? "question" : "questions"} of the type ${type}: the gold answer describes what a good answer must consider, so f1 says little; use a judge (--judge-model, or \`judge\` in code)`;
  });
}
