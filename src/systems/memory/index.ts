export {
  BUILT_IN_MEMORIES,
  type BuiltInMemoryOptions,
  bm25Memory,
  builtInMemory,
  fullHistory,
  lastTurns,
} from "./built-in.js";
export { checkMemoryOptions } from "./check-options.js";
export type { Conversation, Session } from "./conversation.js";
export { findMemoryDataset, listRubricNotes, MEMORY_DATASETS, type MemoryEntry } from "./datasets.js";
export { HistoryTokens } from "./history.js";
export { loadMemoryQuestions, type MemoryLoadOptions } from "./load.js";
export {
  createMemoryFromModule,
  type MemoryAnswer,
  MemoryError,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
} from "./memory-system.js";
export { MemoryTrials } from "./memory-trials.js";
export { READER_INSTRUCTION, type Reader, type SystemReaderOptions, systemReader, toReader } from "./reader.js";
