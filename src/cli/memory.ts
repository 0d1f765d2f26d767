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

/** `assay memory`: a run whose systems are memories, each told the conversations that it is asked about. */
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
      // What is misspelt is said before anything is downloaded.
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
  if (replay !== undefined) throw new UsageError("--replay is for assay run: a memory is asked, not replayed.");
  if (systems.length === 0)
    throw new UsageError(
      "There is no memory to measure. Add --system bm25:10, full-history, last-n:20 or ./my-memory.ts.",
    );
  return systems.map((spec) => {
    if (typeof spec === "string") return spec;
    throw new UsageError(`assay memory takes memories by name or file, not "${spec.name}" as an object.`);
  });
}

function datasetSpec({ datasets = [] }: RunConfig): string {
  const [spec, another] = datasets;
  if (spec === undefined) throw new UsageError("There is no dataset. Add --dataset locomo or --dataset longmemeval:s.");
  if (another !== undefined || typeof spec !== "string")
    throw new UsageError("assay memory takes one dataset, by name: locomo or longmemeval:s. Make a run for each.");
  return spec;
}

/** The questions of a run on memories, and what they are about. With a judge the judge decides. */
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

/** The systems that answer from what a memory brings up. */
async function openReaders(config: RunConfig): Promise<readonly System[]> {
  const { reader, models, ...rest } = config;
  if (reader === undefined) return models === undefined ? [] : modelSystems(config);
  if (models !== undefined) throw new UsageError("A --reader answers instead of a --model. Leave one of them out.");
  return [await oneSystem(registry, reader, rest)];
}

interface NamedMemory {
  source: MemorySystem | MemoryFactory;
  fingerprint?: unknown;
}

/** Every memory with every reader; those of the user's own answer by themselves. */
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
  // An unknown name is said before a missing reader.
  const isAsked = (reader: Reader, name: string) => builtInMemory(spec, { reader, name });
  if (readers.length === 0) {
    isAsked({ name: "", answer: () => Promise.reject(new Error("no reader")) }, spec);
    throw new UsageError(
      `The memory "${spec}" needs a model that answers from what it brings up. Add --model PROVIDER/MODEL, --proxy URL or --reader ./reader.ts.`,
    );
  }
  return readers.map((system) => ({
    source: isAsked(systemReader(system), readers.length === 1 ? spec : `${spec} ${system.name}`),
  }));
}

/** A plan counts what examples hold, and the history is none of it. */
async function readingNote({ examples }: Dataset, history: HistoryTokens): Promise<string> {
  let tokens = 0;
  for (const { conversation } of examples) tokens += await history.of(String(conversation));
  return `the input above is the questions alone: a memory that reads the whole history for each reads about ${tokens} tokens a trial round besides`;
}

/** Before the first trial: counting takes the thread that all trials share, and would be in their times. */
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

/** What a config that other runs share may well hold, and means nothing here. */
const UNUSED = ["map", "skipBadRows"] as const satisfies readonly (keyof RunConfig)[];

function unusedNotes(config: RunConfig): string[] {
  const keys = UNUSED.filter((key) => config[key] !== undefined && config[key] !== false).map((key) => `\`${key}\``);
  if (keys.length === 0) return [];
  const are = keys.length === 1 ? "is" : "are";
  return [
    `${keys.join(" and ")} of the config ${are} not used: assay memory reads files as they were published, whole`,
  ];
}

/** What there is to say of who decides. */
function scoringNotes(dataset: Dataset, { judge, evaluators }: RunConfig, readers: readonly System[]): string[] {
  if (judge === undefined) return evaluators === undefined ? rubricNotes(dataset.examples) : [];
  const judges = judge.models.map((model) => (typeof model === "string" ? model : (model.model ?? "")));
  const both = readers.filter(({ model }) => model !== undefined && judges.some((name) => isSame(name, model)));
  return both.map(({ model }) => `${model} is the judge of its own answers: take another model for one of the two`);
}

function isSame(judge: string, model: string): boolean {
  return judge === model || judge.endsWith(`/${model}`);
}
