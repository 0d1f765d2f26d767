#!/usr/bin/env node
// Writes docs/reference/dataset-catalog.md from the catalog of the built package. With --check it writes nothing, and exits
// with 1 if the page is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { catalog } from "../dist/lib/datasets.js";
import { MEMORY_DATASETS } from "../dist/lib/memory.js";

const PAGE = new URL("../docs/reference/dataset-catalog.md", import.meta.url);
/** Shown if a dataset's evaluators, or the field that decides, depend on the config. */
const BY_CONFIG = "by config, see below";

const INTRODUCTION = `# Dataset catalog

<!-- Written by \`npm run catalog\` from src/datasets/catalog and src/systems/memory. Edit those, not this page. -->

Every built-in dataset that is loaded from the Hugging Face hub. How to name, load and sample them is in [datasets.md](../guides/datasets.md). \`assay datasets show NAME\` prints the prompt and how answers are scored.

**Check before you rely on it.** Sizes and licenses come from the datasets' cards. They were written down without access to the hub, and cards change: read a dataset's card before you publish results or use its data. "Not stated" means that the card names no license, not that you may do as you like.

- **examples** counts the default config.
- **gated** datasets require you to accept their terms on the hub's page, and a token in \`HF_TOKEN\`.
- **scored by** lists the [evaluators](evaluators.md). \`llm_judge\` needs \`--judge-model\`.
- **subject** is the field that samples are stratified by; **facets** are the fields that results are broken down by.
`;

function table(columns, rows) {
  const cells = [
    columns.map(({ title }) => title),
    ...rows.map((row) => columns.map(({ cell }) => escaped(cell(row)))),
  ];
  const widths = columns.map((_, at) => Math.max(3, ...cells.map((line) => line[at].length)));
  const pad = (text, at) => (columns[at].isNumber ? text.padStart(widths[at]) : text.padEnd(widths[at]));
  const rule = columns.map(({ isNumber }, at) =>
    isNumber ? `${"-".repeat(widths[at] - 1)}:` : "-".repeat(widths[at]),
  );
  const lines = cells.map((line) => line.map(pad));
  return [lines[0], rule, ...lines.slice(1)].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function escaped(text) {
  return text.replaceAll("|", "\\|");
}

function code(names) {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** A value that may depend on the config. */
function of(value, config) {
  return typeof value === "function" ? value(config) : value;
}

function configOf({ configs }) {
  return configs?.default ?? "";
}

/** Config and split on the hub, or the files, of the default config. */
function placeOf(entry) {
  const sources = entry.sources(configOf(entry));
  const [{ config, split, files = [] }] = sources;
  const parts = split === undefined ? code(files) : [config, split].filter((part) => part !== "default").join(" · ");
  return sources.length === 1 ? parts : `${parts} and ${sources.length - 1} more`;
}

function evaluatorsOf({ evaluators }) {
  return typeof evaluators === "function" ? BY_CONFIG : code(evaluators);
}

function primaryOf({ primaryField }) {
  if (typeof primaryField === "function") return BY_CONFIG;
  return primaryField === null ? "none" : code([primaryField]);
}

const COLUMNS = [
  { title: "name", cell: ([name, { configs }]) => code([configs === undefined ? name : `${name}[:CONFIG]`]) },
  { title: "hub", cell: ([, { repo }]) => repo },
  { title: "config · split", cell: ([, entry]) => placeOf(entry) },
  { title: "examples", isNumber: true, cell: ([, { size }]) => size.toLocaleString("en") },
  { title: "what it is", cell: ([, { about }]) => about },
  { title: "scored by", cell: ([, entry]) => evaluatorsOf(entry) },
  { title: "primary score", cell: ([, entry]) => primaryOf(entry) },
  { title: "subject", cell: ([, { subject }]) => (subject === undefined ? "" : code([subject])) },
  { title: "facets", cell: ([, { facets = [] }]) => code(facets) },
  { title: "license", cell: ([, { license }]) => license },
  { title: "gated", cell: ([, { isGated }]) => (isGated === true ? "yes" : "no") },
];

const MEMORY_COLUMNS = [
  { title: "name", cell: ([name, { configs }]) => code([configs === undefined ? name : `${name}[:CONFIG]`]) },
  { title: "hub", cell: ([, { repo }]) => repo },
  { title: "file", cell: ([, entry]) => code([entry.file(configOf(entry))]) },
  { title: "questions", isNumber: true, cell: ([, { size }]) => size.toLocaleString("en") },
  { title: "what it is", cell: ([, { about }]) => about },
  { title: "configs", cell: ([, { configs }]) => (configs === undefined ? "" : code(configs.names)) },
  { title: "license", cell: ([, { license }]) => license },
];

/** The configs of one dataset: a table if they are scored differently, else a list. */
function configsOf([name, { configs, evaluators, primaryField }]) {
  const count = `${configs.names.length} configs. Default: \`${configs.default}\`.`;
  if (typeof evaluators !== "function" && typeof primaryField !== "function")
    return `### ${name}\n\n${count}\n\n${code(configs.names)}`;
  const columns = [
    { title: "config", cell: (config) => code([config]) },
    { title: "scored by", cell: (config) => code(of(evaluators, config)) },
    { title: "primary score", cell: (config) => code([of(primaryField, config)]) },
  ];
  return `### ${name}\n\n${count}\n\n${table(columns, configs.names)}`;
}

/** Each caution once, with all datasets that it applies to. */
function cautions(entries) {
  const said = new Map();
  const add = (caution, name) => said.set(caution, [...(said.get(caution) ?? []), name]);
  for (const [name, { caution, configs }] of entries) {
    if (typeof caution === "string") add(caution, name);
    if (typeof caution !== "function") continue;
    for (const config of configs.names) if (caution(config) !== undefined) add(caution(config), `${name}:${config}`);
  }
  return [...said].map(([caution, names]) => `- ${code(names)}: ${caution}`).join("\n");
}

function page() {
  const entries = Object.entries(catalog);
  const divided = entries.filter(([, { configs }]) => configs !== undefined);
  const settings = entries.filter(([, { hasSettings }]) => hasSettings === true).map(([name]) => name);
  return [
    INTRODUCTION,
    table(COLUMNS, entries),
    `\nFor ${code(settings)}, settings follow the colon: see [datasets.md](../guides/datasets.md#needles-depth-and-length). Two more kinds of datasets need no hub: \`needle\`, which is generated, and your own files.`,
    "\n## Limitations of the scores\n\nEvery run of these datasets repeats them as a note:\n",
    cautions(entries),
    "\n## Configs\n",
    divided.map(configsOf).join("\n\n"),
    "\n## For `assay memory`\n\nQuestions about long conversations, see [memory.md](../guides/memory.md). Scored by `answer_quality`; `f1` decides.\n",
    `${table(MEMORY_COLUMNS, Object.entries(MEMORY_DATASETS))}\n`,
  ].join("\n");
}

function current() {
  try {
    return readFileSync(PAGE, "utf8");
  } catch {
    return "";
  }
}

const wanted = page();
if (current() !== wanted) {
  if (process.argv.includes("--check")) {
    console.error("docs/reference/dataset-catalog.md is out of date. Run npm run catalog.");
    process.exitCode = 1;
  } else writeFileSync(PAGE, wanted);
}
