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
export { findMemoryDataset, MEMORY_DATASETS, type MemoryEntry } from "./datasets.js";
export { HistoryTokens } from "./history-tokens.js";
export { loadMemoryQuestions, type MemoryLoadOptions } from "./load.js";
export { createMemoryFromModule } from "./memory-source.js";
export {
  type MemoryAnswer,
  MemoryError,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
} from "./memory-system.js";
export { MemoryTrials } from "./memory-trials.js";
export { READER_INSTRUCTION, type Reader, type SystemReaderOptions, systemReader, toReader } from "./reader.js";
export { listRubricNotes } from "./rubric-note.js";
