import { type Dataset, makeDataset } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import type { System } from "../core/system.js";
import { splitFiles, withoutRevision } from "../datasets/dataset-spec.js";
import { loadMemoryDataset, type MemoryDataset, memoryMetrics } from "../evaluate-memory.js";
import { loadTokenizer } from "../models/tokens/index.js";
import {
  builtInMemory,
  HistoryTokens,
  type MemoryFactory,
  type MemorySystem,
  MemoryTrials,
  memoryFromModule,
  type Reader,
  rubricNotes,
  systemReader,
} from "../systems/memory/index.js";
import { isModulePath, loadModule, moduleFingerprint } from "./load-module.js";
import { downloadLine } from "./load-progress.js";
import { modelSystems } from "./model-systems.js";
import { requireNoQueue } from "./queue-address.js";
import { closeAll, loadOptionsOf, oneSystem, type Revisions } from "./resolve.js";
import { runWith } from "./run.js";
import type { RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import { StatusLine } from "./status-line.js";
import type { Workbench } from "./workbench.js";

/** `assay memory`: a run whose systems are memories that are asked about long conversations. */
export function memoryCommand(flags: RunFlags): Promise<number> {
  return runWith(MEMORY, flags);
}

const MEMORY: Workbench = {
  command: "memory",
  metrics: memoryMetrics,
  async lend({ config, revisions }, use) {
    requireNoQueue(config, "assay memory");
    const specs = memorySpecs(config);
    datasetSpec(config);
    const readers = await openReaders(config);
    const opened: System[] = [];
    try {
      // Check names before anything is downloaded.
      const memories = await memoriesOf(specs, readers);
      const { dataset, conversations } = await loadMemory(config, revisions);
      const tokenizer = loadTokenizer(config.tokenizer ?? "cl100k_base");
      const shared = { conversations, tokenizer, history: new HistoryTokens(conversations, tokenizer) };
      for (const { source, fingerprint } of memories)
        opened.push(
          await MemoryTrials.open(source, { ...shared, ...(fingerprint === undefined ? {} : { fingerprint }) }),
        );
      await countAhead(dataset, shared.history);
      const plan = config.dryRun === true ? [await readingNote(dataset, shared.history)] : [];
      const notes = [
        ...(dataset.notes ?? []),
        ...unusedNotes(config),
        ...scoringNotes(dataset, config, readers),
        ...plan,
      ];
      return await use({ systems: opened, datasets: [makeDataset({ ...dataset, notes })] });
    } finally {
      await closeAll([...opened, ...readers]);
    }
  },
};

function memorySpecs({ systems = [], replay }: RunConfig): string[] {
  if (replay !== undefined) throw new UsageError("--replay is only for assay run. Remove it.");
  if (systems.length === 0)
    throw new UsageError("No memory is given. Add --system bm25:10, full-history, last-n:20 or ./my-memory.ts.");
  return systems.map((spec) => {
    if (typeof spec === "string") return spec;
    throw new UsageError(`assay memory takes memories by name or file, not "${spec.name}" as an object.`);
  });
}

function datasetSpec({ datasets = [] }: RunConfig): string {
  const [spec, another] = datasets;
  if (spec === undefined) throw new UsageError("No dataset is given. Add --dataset locomo or --dataset longmemeval:s.");
  if (another !== undefined || typeof spec !== "string")
    throw new UsageError("assay memory takes one dataset, by name: locomo or longmemeval:s. Start one run for each.");
  return spec;
}

/** If the run has a judge, the judge decides pass or fail. */
export async function loadMemory(config: RunConfig, revisions: Revisions): Promise<MemoryDataset> {
  const { dataset, conversations } = await loadQuestions(config, revisions);
  if (config.judge === undefined) return { dataset, conversations };
  const { primaryField: _, ...rest } = dataset;
  return { dataset: makeDataset(rest), conversations };
}

async function loadQuestions(config: RunConfig, revisions: Revisions): Promise<MemoryDataset> {
  const spec = datasetSpec(config);
  const { head: name, files = [] } = splitFiles(spec);
  const [file, another] = files;
  if (another !== undefined) throw new UsageError(`${name} is read from one file, but "${spec}" names several.`);
  const { line, onDownload } = downloadLine();
  try {
    const revision = revisions.get(withoutRevision(name));
    return await loadMemoryDataset(name, {
      ...loadOptionsOf(config),
      ...(revision === undefined ? {} : { revision }),
      onDownload,
      ...(file === undefined ? {} : { file }),
    });
  } finally {
    line.clear();
  }
}

/** The systems that answer from retrieved memories. */
async function openReaders(config: RunConfig): Promise<readonly System[]> {
  const { reader, models, ...rest } = config;
  if (reader === undefined) return models === undefined ? [] : modelSystems(config);
  if (models !== undefined) throw new UsageError("--reader replaces --model. Remove one of them.");
  return [await oneSystem(registry, reader, rest)];
}

interface NamedMemory {
  source: MemorySystem | MemoryFactory;
  fingerprint?: unknown;
}

/** Every built-in memory with every reader; custom memories answer themselves. */
async function memoriesOf(specs: readonly string[], readers: readonly System[]): Promise<NamedMemory[]> {
  const memories: NamedMemory[] = [];
  for (const spec of specs) {
    if (isModulePath(spec)) {
      const source = memoryFromModule(await loadModule(spec, "memory"), spec);
      memories.push({ source, fingerprint: moduleFingerprint(spec) });
    } else memories.push(...builtIn(spec, readers));
  }
  return memories;
}

function builtIn(spec: string, readers: readonly System[]): NamedMemory[] {
  // Report an unknown name before a missing reader.
  const isAsked = (reader: Reader, name: string) => builtInMemory(spec, { reader, name });
  if (readers.length === 0) {
    isAsked({ name: "", answer: () => Promise.reject(new Error("no reader")) }, spec);
    throw new UsageError(
      `The memory "${spec}" needs a model that answers from what it retrieves. Add --model PROVIDER/MODEL, --proxy URL or --reader ./reader.ts.`,
    );
  }
  return readers.map((system) => ({
    source: isAsked(systemReader(system), readers.length === 1 ? spec : `${spec} ${system.name}`),
  }));
}

/** A plan counts only the examples, which do not contain the history. */
async function readingNote({ examples }: Dataset, history: HistoryTokens): Promise<string> {
  let tokens = 0;
  for (const { conversation } of examples) tokens += await history.of(String(conversation));
  return `the input above counts only the questions: a memory that reads the whole history for each question reads about ${tokens} more tokens per round of trials`;
}

/** Before the first trial: counting would block the event loop and distort the times of trials. */
async function countAhead({ examples }: Dataset, history: HistoryTokens): Promise<void> {
  const line = new StatusLine(process.stderr);
  const start = performance.now();
  const ids = examples.map(({ conversation }) => String(conversation));
  const onProgress = (done: number, total: number) =>
    line.show(() => `Counting the tokens of conversations: ${done} of ${total}`, performance.now() - start);
  try {
    await history.countAll(ids, { onProgress });
  } finally {
    line.clear();
  }
}

/** Keys that a shared config may contain but that have no effect here. */
const UNUSED = ["map", "skipBadRows"] as const satisfies readonly (keyof RunConfig)[];

function unusedNotes(config: RunConfig): string[] {
  const keys = UNUSED.filter((key) => config[key] !== undefined && config[key] !== false).map((key) => `\`${key}\``);
  if (keys.length === 0) return [];
  const are = keys.length === 1 ? "is" : "are";
  return [`${keys.join(" and ")} of the config ${are} not used: assay memory reads the published files as they are`];
}

/** Notes about what decides pass or fail. */
function scoringNotes(dataset: Dataset, { judge, evaluators }: RunConfig, readers: readonly System[]): string[] {
  if (judge === undefined) return evaluators === undefined ? rubricNotes(dataset.examples) : [];
  const judges = judge.models.map((model) => (typeof model === "string" ? model : (model.model ?? "")));
  const both = readers.filter(({ model }) => model !== undefined && judges.some((name) => isSame(name, model)));
  return both.map(({ model }) => `${model} judges its own answers: use another model as reader or judge`);
}

function isSame(judge: string, model: string): boolean {
  return judge === model || judge.endsWith(`/${model}`);
}
