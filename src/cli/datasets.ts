import "../builtins.js";
import { EXIT, UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { registry } from "../core/registry.js";
import { loadDataset } from "../datasets/load-dataset.js";
import { markdownTable } from "../report/markdown.js";
import { printable } from "../report/printable.js";
import type { DatasetsOptions } from "./program.js";
import { loadPlugins } from "./resolve.js";

/** `assay datasets` and `assay datasets show NAME`. */
export async function datasetsCommand(
  action: string | undefined,
  name: string | undefined,
  options: DatasetsOptions,
): Promise<number> {
  await loadPlugins(registry, options.plugin ?? []);
  if (action === undefined) process.stdout.write(listDatasets());
  else if (action !== "show") throw new UsageError(`Unknown action "${action}". Write: assay datasets show NAME.`);
  else if (name === undefined) throw new UsageError("Which dataset? Write: assay datasets show NAME.");
  else process.stdout.write(printable(await showDataset(name, options)));
  return EXIT.fine;
}

function listDatasets(): string {
  const lines = registry.list("dataset").map((name) => ({ name, ...registry.get("dataset", name) }));
  const table = markdownTable(
    [
      { title: "dataset", cell: ({ name }) => name },
      { title: "primary score", cell: ({ primaryField }) => primaryField ?? "–" },
      { title: "what it is", cell: ({ description }) => description ?? "" },
    ],
    lines,
  );
  return `${table}\n\nA .jsonl, .json or .csv file is a dataset too: --dataset ./questions.jsonl\n`;
}

const SHOWN_CHARACTERS = 600;

async function showDataset(name: string, { map, seed }: DatasetsOptions): Promise<string> {
  const dataset = await loadDataset(name, { maxExamples: 1, seed, ...(map === undefined ? {} : { map }) });
  const definition = registry.has("dataset", dataset.name) ? registry.get("dataset", dataset.name) : undefined;
  const [example] = dataset.examples;
  const about = [
    `# ${dataset.name}`,
    ...(definition?.description === undefined ? [] : [definition.description]),
    `Evaluators: ${(dataset.evaluators ?? []).map((evaluator) => evaluator.name).join(", ") || "answer_quality (the default for files)"}`,
    `Primary score: ${dataset.primaryField ?? "the evaluators' own"}`,
    "One example:",
  ];
  return `${about.join("\n\n")}\n\n${example === undefined ? "" : renderExample(example)}\n`;
}

function renderExample(example: Example): string {
  return Object.entries(example)
    .map(([field, value]) => `${field}: ${shorten(typeof value === "string" ? value : JSON.stringify(value))}`)
    .join("\n");
}

function shorten(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)} … (${text.length} characters)`;
}
