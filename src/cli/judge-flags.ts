import { readFileSync } from "node:fs";
import { getErrorMessage, UsageError } from "../core/errors.js";
import { describeModels, type ModelFlags } from "./model-flags.js";
import type { JudgeConfig, ModelConfig } from "./run-config.js";

export interface JudgeFlags {
  /** Several form a panel. */
  judgeModel?: readonly string[];
  judgeUrl?: readonly string[];
  judgeApi?: readonly string[];
  /** Environment variable that holds the key. */
  judgeApiKeyEnv?: string;
  judgeScale?: string;
  judgeRubric?: string;
  judgePanel?: string;
  judgePairwise?: boolean;
  judgePerTurn?: boolean;
}

export function splitJudgeFlags<T extends JudgeFlags>(
  flags: T,
): { judge?: JudgeConfig; rest: Omit<T, keyof JudgeFlags> } {
  const {
    judgeModel,
    judgeUrl,
    judgeApi,
    judgeApiKeyEnv,
    judgeScale,
    judgeRubric,
    judgePanel,
    judgePairwise,
    judgePerTurn,
    ...rest
  } = flags;
  const models = describeJudgeModels({ model: judgeModel, proxy: judgeUrl, api: judgeApi });
  const stray = [judgeApiKeyEnv, judgeScale, judgeRubric, judgePanel, judgePairwise, judgePerTurn];
  if (models === undefined && stray.some((flag) => flag !== undefined))
    throw new UsageError("No judge is set. Add --judge-model openai/gpt-5, or --judge-url URL --judge-model NAME.");
  if (models === undefined) return { rest };
  const judge: JudgeConfig = {
    models: models.map((model) => ({
      ...model,
      ...(judgeApiKeyEnv === undefined ? {} : { apiKeyEnv: judgeApiKeyEnv }),
    })),
    // The judge itself rejects unknown scales and rules.
    ...(judgeScale === undefined ? {} : { scale: judgeScale as NonNullable<JudgeConfig["scale"]> }),
    ...(judgePanel === undefined ? {} : { panel: judgePanel as NonNullable<JudgeConfig["panel"]> }),
    ...(judgeRubric === undefined ? {} : { rubric: readRubric(judgeRubric) }),
    ...(judgePairwise === undefined ? {} : { pairwise: judgePairwise }),
    ...(judgePerTurn === undefined ? {} : { perTurn: judgePerTurn }),
  };
  return { judge, rest };
}

function describeJudgeModels(flags: ModelFlags): ModelConfig[] | undefined {
  try {
    return describeModels(flags);
  } catch (error) {
    throw error instanceof UsageError ? renameJudgeFlags(error) : error;
  }
}

const JUDGE_FLAG_NAMES = { "--model": "--judge-model", "--proxy": "--judge-url", "--api": "--judge-api" };

/** Rewrites an error about a model with the names of the judge's flags. */
export function renameJudgeFlags(error: UsageError): UsageError {
  const message = Object.entries(JUDGE_FLAG_NAMES).reduce(
    (text, [theirs, ours]) => text.replace(new RegExp(`${theirs}(?![\\w-])`, "g"), ours),
    error.message.replace("--api-key-env", "--judge-api-key-env"),
  );
  return new UsageError(message, { cause: error });
}

/** Read at start, so that a resumed run judges with the same text. */
function readRubric(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new UsageError(`The rubric ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}
