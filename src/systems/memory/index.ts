export { BUILT_IN_MEMORIES } from "./built-in.js";
export { MEMORY_DATASETS } from "./datasets.js";
export {
  createMemoryFromModule,
  type MemorySystem,
} from "./memory-system.js";
