import type { RunConfig } from "./run-config-schema.js";

export type {
  AgentConfig,
  CommandConfig,
  EvaluatorCommandConfig,
  JudgeConfig,
  ModelConfig,
  PromptConfig,
  RunConfig,
  UrlConfig,
} from "./run-config-schema.js";

/**
 * Helps an editor complete a config file.
 * @example
 * export default defineConfig({ systems: ["truncate:0.5"], datasets: ["needle"] });
 */
export function defineConfig(config: RunConfig): RunConfig {
  return config;
}

export const DEFAULT_RUNS_DIR = ".assay/runs";
export const DEFAULT_CACHE_DIR = ".assay/cache";
export const DEFAULT_MIN_COVERAGE = 0.95;
