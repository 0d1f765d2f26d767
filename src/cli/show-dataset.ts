import type { Dataset, DatasetOrigin, Example } from "../core/index.js";
import { EXIT, registry } from "../core/index.js";
import type { CatalogEntry } from "../datasets/index.js";
import {
  catalog,
  getEntryScoring,
  isDatasetFile,
  parseDatasetSpec,
  readCaution,
  resolveEntryConfig,
  splitSpecFiles,
} from "../datasets/index.js";
import { replaceControlCharacters } from "../report/index.js";
import { findMemoryDataset, loadMemoryQuestions } from "../systems/index.js";
import type { DatasetsOptions } from "./commands/datasets.js";
import { createDownloadLine, loadWithProgress } from "./progress.js";
import { isMemoryDataset } from "./resolve.js";

const MAX_SHOWN_CHARACTERS = 1200;
const MAX_SHOWN_NAMES = 60;

/** `assay datasets show NAME`: first what is known without a network, then one example. */
export async function printDatasetSpec(spec: string, { map, seed }: DatasetsOptions): Promise<number> {
  if (isMemoryDataset(spec)) return showMemoryDataset(spec, seed);
  printDataset(describeSpec(spec));
  const dataset = await loadWithProgress(spec, { maxExamples: 1, seed, ...(map === undefined ? {} : { map }) });
  printDataset(describeLoadedDataset(dataset));
  return EXIT.fine;
}

async function showMemoryDataset(spec: string, seed: number): Promise<number> {
  const { head, files } = splitSpecFiles(spec);
  const { name, entry, config } = findMemoryDataset(head);
  const { about, repo, size, license, configs } = entry;
  const facts = [
    `- hub: ${repo}${config === "" ? "" : `, config ${config}`}`,
    `- questions: ${size}`,
    `- license: ${license}`,
  ];
  const forms = configs === undefined ? [] : [`- configs: ${configs.names.join(", ")}`];
  printDataset([`# ${name}`, "", `${about}. For assay memory.`, "", ...facts, ...forms]);
  const { line, onDownload } = createDownloadLine();
  try {
    const [file] = files ?? [];
    const { dataset } = await loadMemoryQuestions(head, { maxExamples: 1, seed, onDownload, ...(file && { file }) });
    printDataset(dataset.examples.flatMap(renderExample));
  } finally {
    line.clear();
  }
  return EXIT.fine;
}

function printDataset(parts: readonly string[]): void {
  if (parts.length > 0) process.stdout.write(replaceControlCharacters(`${parts.join("\n")}\n\n`));
}

function describeSpec(spec: string): string[] {
  if (isDatasetFile(spec) && !registry.has("dataset", spec)) return [`# ${spec}`];
  const { name, config } = parseDatasetSpec(spec, registry);
  const { description } = registry.get("dataset", name);
  const entries: Readonly<Record<string, CatalogEntry>> = catalog;
  const entry = entries[name];
  if (entry === undefined || !Object.hasOwn(entries, name))
    return [`# ${name}`, ...(description === undefined ? [] : ["", description])];
  return ["# ".concat(name), "", entry.about, "", ...describeEntry(entry, resolveEntryConfig({ name, entry }, config))];
}

function describeEntry(entry: CatalogEntry, config: string): string[] {
  const { evaluators, primaryField } = getEntryScoring(entry, config);
  const { configs, repo, license, isGated = false, size, subject } = entry;
  const caution = readCaution(entry, config);
  return [
    `- hub: ${repo}${config === "" ? "" : `, config ${config}`}`,
    `- examples: ${size.toLocaleString("en")}${configs === undefined ? "" : ` (${configs.default})`}`,
    `- license: ${license}`,
    `- gated: ${isGated ? `yes: accept its terms on the hub page of ${repo} and set HF_TOKEN` : "no"}`,
    `- evaluators: ${evaluators.join(", ")}`,
    `- primary score: ${primaryField ?? "none"}`,
    ...(subject === undefined ? [] : [`- samples are stratified by ${subject}`]),
    ...(configs === undefined ? [] : [`- configs: ${formatSomeNames(configs.names)}`]),
    ...(caution === undefined ? [] : [`- note: ${caution}`]),
  ];
}

function formatSomeNames(names: readonly string[]): string {
  const more = names.length - MAX_SHOWN_NAMES;
  return `${names.slice(0, MAX_SHOWN_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function describeLoadedDataset({
  examples,
  evaluators = [],
  primaryField,
  origin,
  name,
  notes = [],
}: Dataset): string[] {
  const [example] = examples;
  const isCatalogued = origin !== undefined;
  const own = [
    `- evaluators: ${evaluators.map((evaluator) => evaluator.name).join(", ") || "none"}`,
    `- primary score: ${primaryField ?? "the evaluators' own"}`,
    "",
  ];
  return [
    ...(isCatalogued || Object.hasOwn(catalog, name.split(":", 1)[0] ?? "") ? [] : own),
    ...(origin === undefined ? [] : [formatDatasetOrigin(origin), ""]),
    ...notes.filter((note) => !isWarningNote(note, name)).map((note) => `- ${note}`),
    ...(example === undefined ? [] : renderExample(example)),
  ];
}

/** True for notes that are already printed above. */
function isWarningNote(note: string, name: string): boolean {
  const entries: Readonly<Record<string, CatalogEntry>> = catalog;
  const [own = "", config] = name.split(":", 2);
  const entry = entries[own];
  const caution = entry && readCaution(entry, resolveEntryConfig({ name: own, entry }, config));
  return caution !== undefined && note.endsWith(caution);
}

function formatDatasetOrigin({ repo, revision, files }: DatasetOrigin): string {
  return `Read from ${repo} at ${revision}: ${formatSomeNames(files)}`;
}

function renderExample(example: Example): string[] {
  const { context, question, turns, answer, answers, choices: _, id, ...others } = example;
  const asked = [
    context,
    question === context ? undefined : question,
    ...(turns ?? []).map((turn) => `${turn.role}: ${turn.content}`),
  ];
  const golds = answer === undefined ? (answers ?? []) : [answer, ...(answers ?? [])];
  return [
    `One example (${id}):`,
    "",
    ...asked.flatMap((text) => (text === undefined || text === "" ? [] : [shortenShownText(text), ""])),
    `Gold: ${golds.length === 0 ? "none" : shortenShownText(golds.join(" | "))}`,
    ...Object.entries(others).map(([field, value]) => `${field}: ${shortenShownText(formatExampleValue(value))}`),
  ];
}

function formatExampleValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function shortenShownText(text: string): string {
  if (text.length <= MAX_SHOWN_CHARACTERS) return text;
  const half = MAX_SHOWN_CHARACTERS / 2;
  return `${text.slice(0, half)} … (${text.length} characters) … ${text.slice(-half)}`;
}
