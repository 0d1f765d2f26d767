import type { Dataset, DatasetOrigin, LoadOptions } from "../core/dataset.js";
import { DatasetError } from "../core/errors.js";
import { matches } from "../datasets/columns.js";
import { requireMaxExamples, takeSample } from "../datasets/sample.js";
import type { HubOptions } from "../hub/index.js";
import type { Conversation } from "./conversation.js";
import { memoryDataset, type NamedEntry } from "./datasets.js";
import { type FileQuestion, readMemoryFile } from "./memory-file.js";

/** What a memory dataset is loaded with. */
export interface MemoryLoadOptions
  extends Pick<
    LoadOptions,
    "maxExamples" | "head" | "seed" | "shuffleSeed" | "filter" | "revision" | "onDownload" | "signal"
  > {
  /** A local file, as it was published, instead of the hub's. */
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
  const examples = chosen(questions, named.name, options).map((one) => ({ ...one, dataset: named.name }));
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
  const { openHub } = await import("../hub/index.js");
  const { onDownload, signal } = options;
  const hub = openHub({ ...options.hub, ...(onDownload && { onProgress: onDownload }), ...(signal && { signal }) });
  const listing = await hub.listing(entry.repo, options.revision ?? revision);
  const file = entry.file(config);
  const path = await hub.download(listing, file);
  return { path, origin: { repo: listing.repo, revision: listing.revision, files: [file] } };
}

function chosen(
  questions: readonly FileQuestion[],
  name: string,
  { filter, maxExamples, head, seed, shuffleSeed = seed }: MemoryLoadOptions,
): readonly FileQuestion[] {
  const found = questions.filter((question) => matches(question, filter));
  if (found.length === 0) throw nothingFound(questions, name, filter);
  const sampling = {
    ...(maxExamples === undefined ? {} : { maxExamples }),
    ...(head === undefined ? {} : { head }),
    ...(shuffleSeed === undefined ? {} : { seed: shuffleSeed }),
  };
  return takeSample(found, sampling, ({ question_type }) => question_type);
}

function nothingFound(
  questions: readonly FileQuestion[],
  name: string,
  filter: LoadOptions["filter"] = {},
): DatasetError {
  if (questions.length === 0) return new DatasetError(`The file of ${name} holds no question.`);
  const asked = Object.entries(filter).map(([field, value]) => `${field}=${value}`);
  const types = new Set(questions.map(({ question_type }) => question_type));
  return new DatasetError(
    `No question of ${name} has ${asked.join(" and ")}. Values of question_type: ${[...types].join(", ")}.`,
  );
}
