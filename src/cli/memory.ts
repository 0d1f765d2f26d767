import type { System } from "../core/index.js";
import { type Dataset, makeDataset, registry, UsageError } from "../core/index.js";
import { splitSpecFiles, stripRevision } from "../datasets/index.js";
import { createMemoryMetrics, loadMemoryDataset, type MemoryDataset } from "../evaluate-memory.js";
import { fingerprintCommand } from "../exec/index.js";
import { resolveTokenizer } from "../models/index.js";
import {
  builtInMemory,
  createCommandMemory,
  createMemoryFromModule,
  HistoryTokens,
  listRubricNotes,
  type MemoryFactory,
  type MemorySystem,
  MemoryTrials,
  type Reader,
  systemReader,
} from "../systems/index.js";
import { fingerprintModule, isModulePath, loadModule, requireModuleFile } from "./load-module.js";
import { openModelSystems } from "./model-systems.js";
import { isCommandConfig } from "./program-config.js";
import { nameProgramSystems } from "./program-systems.js";
import { createDownloadLine, StatusLine } from "./progress.js";
import { requireNoQueue } from "./queue-address.js";
import { closeResources, type Revisions, resolveOneSystem, selectLoadOptions } from "./resolve.js";
import { runFromSource } from "./run.js";
import type { CommandConfig, RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import type { RunSource } from "./run-source.js";

/** `assay memory`: a run whose systems are memories that are asked about long conversations. */
export function executeMemory(flags: RunFlags): Promise<number> {
  return runFromSource(MEMORY_SOURCE, flags);
}

const MEMORY_SOURCE: RunSource = {
  command: "memory",
  metrics: createMemoryMetrics,
  async open({ config, revisions }, use) {
    requireNoQueue(config, "assay memory");
    const specs = listMemorySpecs(config);
    requireDatasetSpec(config);
    const readers = await openReaderSystems(config);
    const opened: System[] = [];
    try {
      // Check names before anything is downloaded.
      const memories = await resolveMemories(specs, readers, config);
      const tokenizer = resolveTokenizer(config.tokenizer);
      const { dataset, conversations } = await loadRunMemoryDataset(config, revisions);
      const shared = { conversations, tokenizer, history: new HistoryTokens(conversations, tokenizer) };
      for (const { source, fingerprint } of memories)
        opened.push(
          await MemoryTrials.open(source, { ...shared, ...(fingerprint === undefined ? {} : { fingerprint }) }),
        );
      await precountTokens(dataset, shared.history);
      const plan = config.dryRun === true ? [await describeReading(dataset, shared.history)] : [];
      const notes = [
        ...(dataset.notes ?? []),
        ...describeUnusedKeys(config),
        ...describeScoring(dataset, config, readers),
        ...plan,
      ];
      return await use({ systems: opened, datasets: [makeDataset({ ...dataset, notes })] });
    } finally {
      await closeResources([...opened, ...readers]);
    }
  },
};

function listMemorySpecs({ systems = [], replay }: RunConfig): (string | CommandConfig)[] {
  if (replay !== undefined) throw new UsageError("--replay is only for assay run. Remove it.");
  if (systems.length === 0)
    throw new UsageError(
      "No memory is given. Add --system bm25:10, full-history, last-n:20 or ./my-memory.ts, or --system-command 'python my-memory.py'.",
    );
  return nameProgramSystems(systems).map((spec) => {
    if (typeof spec === "string" || isCommandConfig(spec)) return spec;
    throw new UsageError(
      `assay memory takes memories by name, file or command, not "${spec.name}" as an object or an address.`,
    );
  });
}

function requireDatasetSpec({ datasets = [] }: RunConfig): string {
  const [spec, another] = datasets;
  if (spec === undefined) throw new UsageError("No dataset is given. Add --dataset locomo or --dataset longmemeval:s.");
  if (another !== undefined || typeof spec !== "string")
    throw new UsageError("assay memory takes one dataset, by name: locomo or longmemeval:s. Start one run for each.");
  return spec;
}

/** If the run has a judge, the judge decides pass or fail. */
export async function loadRunMemoryDataset(config: RunConfig, revisions: Revisions): Promise<MemoryDataset> {
  const { dataset, conversations } = await loadRunMemoryQuestions(config, revisions);
  if (config.judge === undefined) return { dataset, conversations };
  const { primaryField: _, ...rest } = dataset;
  return { dataset: makeDataset(rest), conversations };
}

async function loadRunMemoryQuestions(config: RunConfig, revisions: Revisions): Promise<MemoryDataset> {
  const spec = requireDatasetSpec(config);
  const { head: name, files = [] } = splitSpecFiles(spec);
  const [file, another] = files;
  if (another !== undefined) throw new UsageError(`${name} is read from one file, but "${spec}" names several.`);
  const { line, onDownload } = createDownloadLine();
  try {
    const revision = revisions.get(stripRevision(name));
    return await loadMemoryDataset(name, {
      ...selectLoadOptions(config),
      ...(revision === undefined ? {} : { revision }),
      onDownload,
      ...(file === undefined ? {} : { file }),
    });
  } finally {
    line.clear();
  }
}

/** The systems that answer from retrieved memories. */
async function openReaderSystems(config: RunConfig): Promise<readonly System[]> {
  if (config.prompts !== undefined) throw new UsageError("--prompt (prompts) is not for assay memory. Remove it.");
  const { reader, models, ...rest } = config;
  if (reader === undefined) return models === undefined ? [] : openModelSystems(config);
  if (models !== undefined) throw new UsageError("--reader replaces --model. Remove one of them.");
  return [await resolveOneSystem(registry, reader, rest)];
}

interface NamedMemory {
  source: MemorySystem | MemoryFactory;
  fingerprint?: unknown;
}

/** Every built-in memory with every reader; custom memories answer themselves. */
async function resolveMemories(
  specs: readonly (string | CommandConfig)[],
  readers: readonly System[],
  { timeout }: RunConfig,
): Promise<NamedMemory[]> {
  const memories: NamedMemory[] = [];
  for (const spec of specs) {
    if (typeof spec !== "string") memories.push(openCommandMemory({ ...(timeout && { timeout }), ...spec }));
    else if (isModulePath(spec)) {
      const source = createMemoryFromModule(await loadModule(spec, "memory"), spec);
      memories.push({ source, fingerprint: fingerprintModule(spec) });
    } else {
      requireModuleFile(spec, "memory");
      memories.push(...makeBuiltInMemories(spec, readers));
    }
  }
  return memories;
}

/** Each conversation has one process that is kept, so there is nothing to choose about processes. */
function openCommandMemory({ timeout, maxParallel, once, ...options }: CommandConfig): NamedMemory {
  if (maxParallel !== undefined || once !== undefined)
    throw new UsageError(
      "`maxParallel` and `once` are not for memories: each conversation has one process. Remove them.",
    );
  const limit = timeout === undefined ? {} : { timeoutMs: timeout * 1000 };
  return { source: createCommandMemory({ ...options, ...limit }), fingerprint: fingerprintCommand(options) };
}

function makeBuiltInMemories(spec: string, readers: readonly System[]): NamedMemory[] {
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
async function describeReading({ examples }: Dataset, history: HistoryTokens): Promise<string> {
  let tokens = 0;
  for (const { conversation } of examples) tokens += await history.get(String(conversation));
  return `the input above counts only the questions: a memory that reads the whole history for each question reads about ${tokens} more tokens per round of trials`;
}

/** Before the first trial: counting would block the event loop and distort the times of trials. */
async function precountTokens({ examples }: Dataset, history: HistoryTokens): Promise<void> {
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
const UNUSED_KEYS = ["map", "skipBadRows"] as const satisfies readonly (keyof RunConfig)[];

function describeUnusedKeys(config: RunConfig): string[] {
  const keys = UNUSED_KEYS.filter((key) => config[key] !== undefined && config[key] !== false).map(
    (key) => `\`${key}\``,
  );
  if (keys.length === 0) return [];
  const are = keys.length === 1 ? "is" : "are";
  return [`${keys.join(" and ")} of the config ${are} not used: assay memory reads the published files as they are`];
}

/** Notes about what decides pass or fail. */
function describeScoring(dataset: Dataset, { judge, evaluators }: RunConfig, readers: readonly System[]): string[] {
  if (judge === undefined) return evaluators === undefined ? listRubricNotes(dataset.examples) : [];
  const judges = judge.models.map((model) => (typeof model === "string" ? model : (model.model ?? "")));
  const both = readers.filter(({ model }) => model !== undefined && judges.some((name) => isJudgeOfModel(name, model)));
  return both.map(({ model }) => `${model} judges its own answers: use another model as reader or judge`);
}

function isJudgeOfModel(judge: string, model: string): boolean {
  return judge === model || judge.endsWith(`/${model}`);
}
