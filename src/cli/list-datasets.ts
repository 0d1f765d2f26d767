import type { Registry } from "../core/registry.js";
import type { CatalogueEntry } from "../datasets/catalog/entry.js";
import { configOf, wiringOf } from "../datasets/catalog/load-entry.js";
import { type Column, markdownTable } from "../report/markdown.js";

interface Line {
  name: string;
  examples: string;
  primaryField: string;
  licence: string;
  about: string;
}

/** All datasets that have a name, as a table. */
export async function listDatasets(registry: Registry): Promise<string> {
  const { catalogue } = await import("../datasets/catalog/catalogue.js");
  const entries: Readonly<Record<string, CatalogueEntry>> = catalogue;
  const { MEMORY_DATASETS } = await import("../systems/memory/index.js");
  const named = registry.list("dataset").map((name): Line => {
    const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
    const { description = "", primaryField = "–", hasTemplate } = registry.get("dataset", name);
    if (entry === undefined || hasTemplate !== true)
      return { name, examples: "", primaryField, licence: "", about: description };
    return lineOf(name, entry);
  });
  const forMemories = Object.entries(MEMORY_DATASETS).map(([name, { configs, size, licence, about }]) => ({
    name: configs === undefined ? name : `${name}[:CONFIG]`,
    examples: size.toLocaleString("en"),
    primaryField: "f1",
    licence,
    about: `For assay memory: ${about}.`,
  }));
  const lines = [...named, ...forMemories].sort((a, b) => (a.name < b.name ? -1 : 1));
  const others = [
    "NAME:CONFIG where configs are named; assay datasets show NAME lists them. NAME@REVISION pins one of the hub's revisions.",
    "A .jsonl, .json, .csv, .tsv or .parquet file is a dataset too, also with .gz: --dataset ./questions.jsonl",
    "NAME=FILE reads a local file as that dataset: --dataset gsm8k=./test.jsonl",
  ];
  return `${markdownTable(COLUMNS, lines)}\n\n${others.join("\n")}\n`;
}

const COLUMNS: Column<Line>[] = [
  { title: "dataset", cell: ({ name }) => name },
  { title: "examples", align: "right", cell: ({ examples }) => examples },
  { title: "primary score", cell: ({ primaryField }) => primaryField },
  { title: "licence", cell: ({ licence }) => licence },
  { title: "what it is", cell: ({ about }) => about },
];

function lineOf(name: string, entry: CatalogueEntry): Line {
  const config = configOf({ name, entry }, undefined);
  const { primaryField = "–" } = wiringOf(entry, config);
  return {
    name: entry.configs === undefined ? name : `${name}[:CONFIG]`,
    examples: entry.size.toLocaleString("en"),
    primaryField,
    licence: `${entry.licence}${entry.isGated === true ? " (gated)" : ""}`,
    about: entry.about,
  };
}
