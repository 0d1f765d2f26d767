import type { Command } from "commander";
import { collect, integer, pairs } from "../flag-values.js";
import type { Done } from "../program.js";
import { TRUST_FLAG } from "../trust.js";

const EXAMPLES = `
Examples:
  assay datasets                                            all that have a name
  assay datasets show gsm8k                                 what it is, and one example as it is asked
  assay datasets show mmlu:anatomy
  assay datasets show questions.jsonl --map question=prompt
  assay datasets import faq faq.csv --map question=q,answer=a
  assay datasets import my-maths extra.jsonl --template gsm8k
  assay run --dataset gsm8k=./test.jsonl …                  a local file, read as the dataset is

Datasets of the hub are downloaded as far as they are needed and kept in the cache of the hub's own tools
(HF_HUB_CACHE, HF_HOME, ~/.cache/huggingface/hub), or in ASSAY_DATASETS_CACHE. HF_ENDPOINT names a mirror, HF_TOKEN opens gated ones, HF_HUB_OFFLINE=1 uses what is kept.`;

/** What the flags of `assay datasets` parse to. */
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
}

export function addDatasets(program: Command, done: Done): void {
  program
    .command("datasets")
    .description("list the datasets that have a name, show one, or give files of yours a name")
    .argument("[action]", "'show' or 'import'; nothing to list all")
    .argument("[name]", "the dataset, or a file to show")
    .argument("[files...]", "with import: the files")
    .option("--plugin <file>", "a module that exports register(registry); repeatable", collect)
    .option(...TRUST_FLAG)
    .option("--config <file>", "the project's config (default: assay.config.ts, .mjs, .yaml when there is one)")
    .option("--map <field=column,…>", "which column of a file each field comes from", pairs)
    .option("--template <name>", "with import: the files hold rows of this dataset, and are read as it is")
    .option("--subject <field>", "with import: the field that samples are stratified and results broken down by")
    .option("--evaluator <name>", "with import: what scores it; repeatable", collect)
    .option("--score-field <field>", "with import: the score that decides pass or fail")
    .option("--description <text>", "with import: what it is, in one line")
    .option("--replace", "with import: instead of the files that have the name now")
    .option("--seed <number>", "for the example that is shown", integer, 0)
    .addHelpText("after", EXAMPLES)
    .action(async (action: string | undefined, name: string | undefined, files: string[], options: DatasetsOptions) => {
      const { datasetsCommand } = await import("../datasets.js");
      done(await datasetsCommand({ action, name, files }, options));
    });
}
