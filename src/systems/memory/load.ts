import type { Dataset, DatasetOrigin, LoadOptions } from "../../core/dataset.js";
import type { HubOptions } from "../../datasets/hub/index.js";
import { requireMaxExamples } from "../../datasets/sample.js";
import { chooseQuestions } from "./choose-questions.js";
import type { Conversation } from "./conversation.js";
import { memoryDataset, type NamedEntry } from "./datasets.js";
import { readMemoryFile } from "./memory-file.js";

/** What a memory dataset is loaded with. */
export interface MemoryLoadOptions
  extends Pick<
    LoadOptions,
    "maxExamples" | "head" | "seed" | "shuffleSeed" | "filter" | "revision" | "onDownload" | "signal"
  > {
  /** A local file instead of the hub's, as it was published or with an item on each line (`.jsonl`); it may be gzip. */
  file?: string;
  /** Where the hub is, and where what comes from it is kept. */
  hub?: Omit<HubOptions, "onProgress" | "signal">;
}

/** Questions and the conversations they are about, without evaluators. */
export interface MemoryQuestions {
  readonly dataset: Omit<Dataset, "evaluators" | typeof Symbol.iterator>;
  readonly conversations: ReadonlyMap<string, Conversation>;
}

/** Loads a memory dataset by name: from a file when there is one, else from the hub. */
export async function loadMemoryQuestions(spec: string, options: MemoryLoadOptions = {}): Promise<MemoryQuestions> {
  requireMaxExamples(options.maxExamples);
  const named = memoryDataset(spec);
  const { file, signal } = options;
  const { path, origin } = file === undefined ? await fromHub(named, options) : { path: file };
  const { format } = named.entry;
  const { questions, conversations } = await readMemoryFile(path, { format, ...(signal && { signal }) });
  const examples = chooseQuestions(questions, named.name, options).map((one) => ({ ...one, dataset: named.name }));
  const dataset = {
    name: named.name,
    examples,
    primaryField: "f1",
    facets: ["question_type"],
    groupBy: "conversation",
    ...(origin && { origin }),
  };
  return { dataset, conversations };
}

interface Located {
  readonly path: string;
  readonly origin?: DatasetOrigin;
}

async function fromHub({ entry, config, revision }: NamedEntry, options: MemoryLoadOptions): Promise<Located> {
  const { openHub } = await import("../../datasets/hub/index.js");
  const { onDownload, signal } = options;
  const hub = openHub({ ...options.hub, ...(onDownload && { onProgress: onDownload }), ...(signal && { signal }) });
  const listing = await hub.listing(entry.repo, options.revision ?? revision);
  const file = entry.file(config);
  const path = await hub.download(listing, file);
  return { path, origin: { repo: listing.repo, revision: listing.revision, files: [file] } };
}
