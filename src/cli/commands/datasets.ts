import type { Command } from "commander";
import { collectPair, collectPairs, collectValues, parseCountFlag, parseIntegerFlag } from "../flag-values.js";
import type { SetExitCode } from "../program.js";
import { TRUST_FLAG } from "../trust.js";

const EXAMPLES = `
Examples:
  assay datasets                                            list all named datasets
  assay datasets show gsm8k                                 describe it and print one example
  assay datasets show mmlu:anatomy
  assay datasets show questions.jsonl --map question=prompt
  assay datasets export gsm8k -n 100 > data.jsonl           write examples for other tools; measure what they produce with --replay
  assay datasets import faq faq.csv --map question=q,answer=a
  assay datasets import my-maths extra.jsonl --template gsm8k
  assay run --dataset gsm8k=./test.jsonl …                  read a local file like the named dataset

Hub datasets are downloaded as needed and stored in the Hugging Face cache (HF_HUB_CACHE, HF_HOME,
~/.cache/huggingface/hub), or in ASSAY_DATASETS_CACHE. HF_ENDPOINT sets a mirror, HF_TOKEN gives access to gated
datasets, HF_HUB_OFFLINE=1 uses only what is cached.`;

export interface DatasetsOptions {
  plugin?: readonly string[];
  config?: string;
  map?: Readonly<Record<string, string>>;
  template?: string;
  subject?: string;
  trust?: boolean;
  evaluator?: readonly string[];
  scoreField?: string;
  description?: string;
  replace?: boolean;
  seed: number;
  maxExamples?: number;
  head?: boolean;
  shuffleSeed?: number;
  filter?: Readonly<Record<string, string>>;
  skipBadRows?: boolean;
  /** False for --no-answers. */
  answers?: boolean;
}

export function addDatasetsCommand(program: Command, done: SetExitCode): void {
  program
    .command("datasets")
    .description("list named datasets, show or export one, or name your own files")
    .argument("[action]", "'show', 'export' or 'import' (default: list all datasets)")
    .argument("[name]", "the dataset, or a file to show or export")
    .argument("[files...]", "with import: the files")
    .option("--plugin <file>", "load a module that exports register(registry); repeatable", collectValues)
    .option(...TRUST_FLAG)
    .option(
      "--config <file>",
      "read the project's config from this file (default: assay.config.ts, .mjs, .yaml if present)",
    )
    .option("--map <field=column,…>", "read each field from this column of a file", collectPairs)
    .option("--template <name>", "with import: the files hold rows of this dataset and are read the same way")
    .option("--subject <field>", "with import: stratify samples and break down results by this field")
    .option("--evaluator <name>", "with import: score with this evaluator; repeatable", collectValues)
    .option("--score-field <field>", "with import: the score that decides pass or fail")
    .option("--description <text>", "with import: describe the dataset in one line")
    .option("--replace", "with import: replace the files that have this name now")
    .option("--seed <number>", "choose the example that is shown, or the sample that is exported", parseIntegerFlag, 0)
    .option("-n, --max-examples <count>", "with export: at most this many examples, a seeded sample", parseCountFlag)
    .option("--head", "with export and -n: take the first examples instead of a sample")
    .option("--shuffle-seed <number>", "with export: seed only the sample (default: --seed)", parseIntegerFlag)
    .option(
      "--filter <column=value>",
      "with export: keep only examples whose column equals the value; repeatable",
      collectPair,
    )
    .option("--no-answers", "with export: leave out answers and other fields that are for evaluators")
    .option("--skip-bad-rows", "with export: skip rows that cannot be read, and count them")
    .addHelpText("after", EXAMPLES)
    .action(async (action: string | undefined, name: string | undefined, files: string[], options: DatasetsOptions) => {
      const { executeDatasets } = await import("../datasets.js");
      done(await executeDatasets({ action, name, files }, options));
    });
}
