/** Memories: systems that receive conversations and answer questions about them. */
import "../index.js";

export {
  type EvaluateMemoryOptions,
  evaluateMemory,
  loadMemoryDataset,
  type MemoryDataset,
} from "../evaluate-memory.js";
export {
  BUILT_IN_MEMORIES,
  type BuiltInMemoryOptions,
  bm25Memory,
  builtInMemory,
  type CommandMemoryOptions,
  type Conversation,
  createCommandMemory,
  fullHistory,
  lastTurns,
  MEMORY_DATASETS,
  type MemoryAnswer,
  type MemoryEntry,
  MemoryError,
  type MemoryFactory,
  type MemoryLoadOptions,
  type MemorySystem,
  type MemoryTrial,
  READER_INSTRUCTION,
  type Reader,
  type Session,
  type SystemReaderOptions,
  systemReader,
} from "../systems/index.js";
