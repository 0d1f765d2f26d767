import { existsSync } from "node:fs";
import { resolve } from "node:path";
import "../builtins.js";
import { didYouMean, EXIT, type Registry, registry, UsageError } from "../core/index.js";
import type { CatalogEntry } from "../datasets/index.js";
import { getEntryScoring, resolveEntryConfig } from "../datasets/index.js";
import type { TableColumn } from "../report/index.js";
import type { DatasetsOptions } from "./commands/datasets.js";
import { findConfig, loadConfig } from "./config-file.js";
import { loadPlugins, registerNamedDatasets } from "./resolve.js";
import type { RunConfig } from "./run-config.js";
import { createScreenLayout } from "./screen.js";
import { requireTrustedPlugins } from "./trust.js";

export interface DatasetsArguments {
  action: string | undefined;
  name: string | undefined;
  files: readonly string[];
}

const ACTIONS = ["show", "export", "import"];

export async function executeDatasets(
  { action, name, files }: DatasetsArguments,
  options: DatasetsOptions,
): Promise<number> {
  if (action !== undefined && !ACTIONS.includes(action))
    throw new UsageError(
      `Unknown action "${action}".${didYouMean(action, ACTIONS)} Write: assay datasets show NAME, assay datasets export NAME, or assay datasets import NAME FILE….`,
    );
  const config = await loadProjectConfig(action, options);
  requireTrustedPlugins(options.plugin, options);
  await loadPlugins(registry, listPlugins(config, options));
  if (action === "import") return importDatasetFiles(name, files, options);
  requireNoImportFlags(options);
  registerNamedDatasets(registry, config);
  if (action === undefined) {
    requireNoExportFlags(options);
    process.stdout.write(await listDatasets(registry));
    return EXIT.fine;
  }
  if (name === undefined) throw new UsageError(`The dataset is missing. Write: assay datasets ${action} NAME.`);
  if (files.length > 0) throw new UsageError(`assay datasets ${action} takes one dataset, got also "${files[0]}".`);
  if (action === "export") return (await import("./export-dataset.js")).exportDataset(name, options);
  requireNoExportFlags(options);
  const { printDatasetSpec } = await import("./show-dataset.js");
  return printDatasetSpec(name, options);
}

/** A config file that an import will create does not exist yet. */
async function loadProjectConfig(action: string | undefined, options: DatasetsOptions): Promise<RunConfig> {
  const file = options.config ?? findConfig(process.cwd());
  if (file === undefined || (action === "import" && !existsSync(file))) return {};
  return loadConfig(file, options);
}

/** Each only once, because a name can be registered only once. */
function listPlugins({ plugins = [] }: RunConfig, { plugin = [] }: DatasetsOptions): string[] {
  return [...new Set([...plugins, ...plugin].map((path) => resolve(path)))];
}

async function importDatasetFiles(name: string | undefined, files: readonly string[], options: DatasetsOptions) {
  if (name === undefined || files.length === 0)
    throw new UsageError("The dataset name or its files are missing. Write: assay datasets import NAME FILE….");
  const { importDataset } = await import("./import-dataset.js");
  return importDataset({ name, files }, options);
}

/** Rejects flags that would be silently ignored. */
function requireNoImportFlags({ template, subject, evaluator, scoreField, description, replace }: DatasetsOptions) {
  const given = { template, subject, evaluator, "score-field": scoreField, description, replace };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag !== undefined) throw new UsageError(`--${flag} is only for assay datasets import. Remove it.`);
}

function requireNoExportFlags({ maxExamples, head, shuffleSeed, filter, skipBadRows, answers }: DatasetsOptions) {
  const given = {
    "max-examples": maxExamples,
    head,
    "shuffle-seed": shuffleSeed,
    filter,
    "skip-bad-rows": skipBadRows,
    "no-answers": answers === false ? true : undefined,
  };
  const flag = Object.entries(given).find(([, value]) => value !== undefined)?.[0];
  if (flag !== undefined) throw new UsageError(`--${flag} is only for assay datasets export. Remove it.`);
}

interface DatasetLine {
  name: string;
  examples: string;
  primaryField: string;
  license: string;
  about: string;
}

async function listDatasets(registry: Registry): Promise<string> {
  const { catalog } = await import("../datasets/catalog/catalog.js");
  const entries: Readonly<Record<string, CatalogEntry>> = catalog;
  const { MEMORY_DATASETS } = await import("../systems/memory/index.js");
  const named = registry.list("dataset").map((name): DatasetLine => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    const { description = "", primaryField = "–", hasTemplate } = registry.get("dataset", name);
    if (entry === undefined || hasTemplate !== true)
      return { name, examples: "", primaryField, license: "", about: description };
    return toDatasetLine(name, entry);
  });
  const forMemories = Object.entries(MEMORY_DATASETS).map(([name, { configs, size, license, about }]) => ({
    name: configs === undefined ? name : `${name}[:CONFIG]`,
    examples: size.toLocaleString("en"),
    primaryField: "f1",
    license,
    about: `For assay memory: ${about}.`,
  }));
  const lines = [...named, ...forMemories].sort((a, b) => (a.name < b.name ? -1 : 1));
  const others = [
    "NAME:CONFIG selects a config; assay datasets show NAME lists them. NAME@REVISION pins a hub revision.",
    "Files are datasets too: .jsonl, .json, .csv, .tsv and .parquet, also with .gz: --dataset ./questions.jsonl",
    "NAME=FILE reads a local file like that dataset: --dataset gsm8k=./test.jsonl",
  ];
  const layout = createScreenLayout();
  return `${layout.table(COLUMNS, lines)}\n\n${layout.text(others.join("\n"))}\n`;
}

/** In a narrow terminal, what a dataset is about matters most. */
const COLUMNS: TableColumn<DatasetLine>[] = [
  { title: "dataset", cell: ({ name }) => name },
  { title: "examples", align: "right", cell: ({ examples }) => examples, priority: 2 },
  { title: "primary score", cell: ({ primaryField }) => primaryField, priority: 3 },
  { title: "license", cell: ({ license }) => license, priority: 4 },
  { title: "description", cell: ({ about }) => about, priority: 1 },
];

function toDatasetLine(name: string, entry: CatalogEntry): DatasetLine {
  const config = resolveEntryConfig({ name, entry }, undefined);
  const { primaryField = "–" } = getEntryScoring(entry, config);
  return {
    name: entry.configs === undefined ? name : `${name}[:CONFIG]`,
    examples: entry.size.toLocaleString("en"),
    primaryField,
    license: `${entry.license}${entry.isGated === true ? " (gated)" : ""}`,
    about: entry.about,
  };
}
