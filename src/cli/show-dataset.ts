import type { Dataset, DatasetOrigin } from "../core/dataset.js";
import { EXIT } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { registry } from "../core/registry.js";
import { catalogue } from "../datasets/catalog/catalogue.js";
import type { CatalogueEntry } from "../datasets/catalog/entry.js";
import { configOf, readCaution, wiringOf } from "../datasets/catalog/load-entry.js";
import { isDatasetFile, parseSpec, splitFiles } from "../datasets/dataset-spec.js";
import { printable } from "../report/printable.js";
import { loadMemoryQuestions, memoryDataset } from "../systems/memory/index.js";
import type { DatasetsOptions } from "./commands/datasets.js";
import { downloadLine, loadShowingProgress } from "./load-progress.js";
import { isForMemories } from "./resolve.js";

const SHOWN_CHARACTERS = 1200;
const SHOWN_NAMES = 60;

/** `assay datasets show NAME`: first what is known without a network, then one example. */
export async function showDataset(spec: string, { map, seed }: DatasetsOptions): Promise<number> {
  if (isForMemories(spec)) return showMemoryDataset(spec, seed);
  write(aboutOf(spec));
  const dataset = await loadShowingProgress(spec, { maxExamples: 1, seed, ...(map === undefined ? {} : { map }) });
  write(describe(dataset));
  return EXIT.fine;
}

async function showMemoryDataset(spec: string, seed: number): Promise<number> {
  const { head, files } = splitFiles(spec);
  const { name, entry, config } = memoryDataset(head);
  const { about, repo, size, licence, configs } = entry;
  const facts = [
    `- hub: ${repo}${config === "" ? "" : `, config ${config}`}`,
    `- questions: ${size}`,
    `- licence: ${licence}`,
  ];
  const forms = configs === undefined ? [] : [`- configs: ${configs.names.join(", ")}`];
  write([`# ${name}`, "", `${about}. For assay memory.`, "", ...facts, ...forms]);
  const { line, onDownload } = downloadLine();
  try {
    const [file] = files ?? [];
    const { dataset } = await loadMemoryQuestions(head, { maxExamples: 1, seed, onDownload, ...(file && { file }) });
    write(dataset.examples.flatMap(renderExample));
  } finally {
    line.clear();
  }
  return EXIT.fine;
}

function write(parts: readonly string[]): void {
  if (parts.length > 0) process.stdout.write(printable(`${parts.join("\n")}\n\n`));
}

function aboutOf(spec: string): string[] {
  if (isDatasetFile(spec) && !registry.has("dataset", spec)) return [`# ${spec}`];
  const { name, config } = parseSpec(spec, registry);
  const { description } = registry.get("dataset", name);
  const entries: Readonly<Record<string, CatalogueEntry>> = catalogue;
  const entry = entries[name];
  if (entry === undefined || !Object.hasOwn(entries, name))
    return [`# ${name}`, ...(description === undefined ? [] : ["", description])];
  return ["# ".concat(name), "", entry.about, "", ...factsOf(entry, configOf({ name, entry }, config))];
}

function factsOf(entry: CatalogueEntry, config: string): string[] {
  const { evaluators, primaryField } = wiringOf(entry, config);
  const { configs, repo, licence, isGated = false, size, subject } = entry;
  const caution = readCaution(entry, config);
  return [
    `- hub: ${repo}${config === "" ? "" : `, config ${config}`}`,
    `- examples: ${size.toLocaleString("en")}${configs === undefined ? "" : ` (${configs.default})`}`,
    `- licence: ${licence}`,
    `- gated: ${isGated ? `yes: accept its terms on the hub page of ${repo} and set HF_TOKEN` : "no"}`,
    `- evaluators: ${evaluators.join(", ")}`,
    `- primary score: ${primaryField ?? "none"}`,
    ...(subject === undefined ? [] : [`- samples are stratified by ${subject}`]),
    ...(configs === undefined ? [] : [`- configs: ${some(configs.names)}`]),
    ...(caution === undefined ? [] : [`- note: ${caution}`]),
  ];
}

function some(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES;
  return `${names.slice(0, SHOWN_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function describe({ examples, evaluators = [], primaryField, origin, name, notes = [] }: Dataset): string[] {
  const [example] = examples;
  const isCatalogued = origin !== undefined;
  const own = [
    `- evaluators: ${evaluators.map((evaluator) => evaluator.name).join(", ") || "none"}`,
    `- primary score: ${primaryField ?? "the evaluators' own"}`,
    "",
  ];
  return [
    ...(isCatalogued || Object.hasOwn(catalogue, name.split(":", 1)[0] ?? "") ? [] : own),
    ...(origin === undefined ? [] : [placeOf(origin), ""]),
    ...notes.filter((note) => !isCaution(note, name)).map((note) => `- ${note}`),
    ...(example === undefined ? [] : renderExample(example)),
  ];
}

/** True for notes that are already printed above. */
function isCaution(note: string, name: string): boolean {
  const entries: Readonly<Record<string, CatalogueEntry>> = catalogue;
  const [own = "", config] = name.split(":", 2);
  const entry = entries[own];
  const caution = entry && readCaution(entry, configOf({ name: own, entry }, config));
  return caution !== undefined && note.endsWith(caution);
}

function placeOf({ repo, revision, files }: DatasetOrigin): string {
  return `Read from ${repo} at ${revision}: ${some(files)}`;
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
    ...asked.flatMap((text) => (text === undefined || text === "" ? [] : [shorten(text), ""])),
    `Gold: ${golds.length === 0 ? "none" : shorten(golds.join(" | "))}`,
    ...Object.entries(others).map(([field, value]) => `${field}: ${shorten(textOf(value))}`),
  ];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function shorten(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text;
  const half = SHOWN_CHARACTERS / 2;
  return `${text.slice(0, half)} … (${text.length} characters) … ${text.slice(-half)}`;
}
