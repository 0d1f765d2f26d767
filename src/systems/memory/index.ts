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
export { MEMORY_DATASETS, type MemoryEntry, memoryDataset } from "./datasets.js";
export { HistoryTokens } from "./history-tokens.js";
export { loadMemoryQuestions, type MemoryLoadOptions } from "./load.js";
export { memoryFromModule } from "./memory-source.js";
export {
  type MemoryAnswer,
  MemoryError,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
} from "./memory-system.js";
export { MemoryTrials } from "./memory-trials.js";
export { READER_INSTRUCTION, type Reader, readerOf, type SystemReaderOptions, systemReader } from "./reader.js";
export { rubricNotes } from "./rubric-note.js";
