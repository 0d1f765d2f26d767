/** Systems that ship with Assay: functions, replays, models, compressors, memories. */
export { CommandSystem, type CommandSystemOptions } from "./command-system.js";
export * from "./compressors/index.js";
export { type FunctionResult, FunctionSystem, type FunctionSystemOptions } from "./function-system.js";
export {
  BUILT_IN_MEMORIES,
  type BuiltInMemoryOptions,
  bm25Memory,
  builtInMemory,
  fullHistory,
  lastTurns,
} from "./memory/built-in.js";
export { checkMemoryOptions } from "./memory/check-options.js";
export { type CommandMemoryOptions, createCommandMemory } from "./memory/command-memory.js";
export type { Conversation, Session } from "./memory/conversation.js";
export { findMemoryDataset, listRubricNotes, MEMORY_DATASETS, type MemoryEntry } from "./memory/datasets.js";
export { HistoryTokens } from "./memory/history.js";
export { loadMemoryQuestions, type MemoryLoadOptions } from "./memory/load.js";
export {
  createMemoryFromModule,
  type MemoryAnswer,
  MemoryError,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
} from "./memory/memory-system.js";
export { MemoryTrials } from "./memory/memory-trials.js";
export { READER_INSTRUCTION, type Reader, type SystemReaderOptions, systemReader, toReader } from "./memory/reader.js";
export { addPromptName, type ModelOptions, type ModelQuestion, ModelSystem } from "./model.js";
export type { ConversationUser } from "./model-conversation.js";
export { Prompt, type PromptMessage, type PromptOptions } from "./prompts/prompt.js";
export { PromptError } from "./prompts/prompt-error.js";
export { getPromptName, type ReadPromptOptions, readPrompt } from "./prompts/read-prompt.js";
export { type ReplayCoverage, type ReplayOptions, type ReplayRecord, ReplaySystem } from "./replay.js";
export { createUserSimulator, requireUserSimulator, startUser } from "./simulated-user.js";
export { EVALUATOR_FIELDS } from "./system-request.js";
export { UrlSystem, type UrlSystemOptions } from "./url-system.js";
