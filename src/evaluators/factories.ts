import { readFileSync } from "node:fs";
import type { Evaluator, Factory } from "../core/index.js";
import { getErrorMessage, UsageError } from "../core/index.js";
import { AnswerQuality } from "./answer-quality.js";

/**
 * The evaluators by their command-line name; each takes what follows the first colon of its spec. All but the default
 * one are loaded on demand.
 * @example
 * await evaluatorFactories["regex"]?.("/^yes/i");
 */
export const evaluatorFactories: Readonly<Record<string, Factory<Evaluator>>> = {
  answer_quality: createPlainFactory("answer_quality", async () => new AnswerQuality()),
  summarization_quality: async (argument) => {
    const { SummarizationQuality } = await import("./summarization-quality.js");
    if (argument !== undefined && argument !== "stem")
      throw new UsageError(
        `summarization_quality has no mode "${argument}". Write summarization_quality or summarization_quality:stem.`,
      );
    return new SummarizationQuality({ stem: argument === "stem" });
  },
  multiple_choice_accuracy: createPlainFactory(
    "multiple_choice_accuracy",
    async () => new (await import("./multiple-choice-accuracy.js")).MultipleChoiceAccuracy(),
  ),
  code_execution: async (argument, permissions) => {
    const { CodeExecution } = await import("./code-execution.js");
    return new CodeExecution({
      unsafeLocalExec: permissions?.unsafeLocalExec === true,
      // The evaluator rejects unknown languages.
      ...(argument === undefined ? {} : { language: argument as "python" | "javascript" }),
    });
  },
  math_equivalence: createPlainFactory(
    "math_equivalence",
    async () => new (await import("./math-equivalence.js")).MathEquivalence(),
  ),
  nli_label_match: createPlainFactory(
    "nli_label_match",
    async () => new (await import("./nli-label-match.js")).NLILabelMatch(),
  ),
  ifeval_checker: createPlainFactory(
    "ifeval_checker",
    async () => new (await import("./ifeval-checker.js")).IFEvalChecker(),
  ),
  final_answer: createPlainFactory("final_answer", async () => new (await import("./final-answer.js")).FinalAnswer()),
  json_schema: async (argument) => {
    const { JsonSchema } = await import("./json-schema.js");
    return new JsonSchema(argument === undefined ? {} : { schema: readSchemaFile(argument) });
  },
  numeric_tolerance: async (argument) => {
    const { NumericTolerance } = await import("./numeric-tolerance.js");
    return new NumericTolerance(argument === undefined ? {} : { relative: parseToleranceShare(argument) });
  },
  regex: async (argument) => {
    const { Regex } = await import("./regex.js");
    return new Regex(argument === undefined ? {} : { pattern: argument });
  },
  levenshtein: createPlainFactory("levenshtein", async () => new (await import("./levenshtein.js")).Levenshtein()),
  tool_call_match: createPlainFactory(
    "tool_call_match",
    async () => new (await import("./tool-call-match.js")).ToolCallMatch(),
  ),
  citation: createPlainFactory("citation", async () => new (await import("./citation.js")).Citation()),
};

/** Rejects arguments that would be silently ignored. */
function createPlainFactory(name: string, make: () => Promise<Evaluator>): Factory<Evaluator> {
  return (argument) => {
    if (argument === undefined) return make();
    throw new UsageError(`${name} takes no argument after a colon, got "${argument}".`);
  };
}

function parseToleranceShare(argument: string): number {
  const value = Number(argument);
  if (argument.trim() !== "" && value >= 0) return value;
  throw new UsageError(
    `numeric_tolerance expects a relative tolerance, as in numeric_tolerance:0.01, got "${argument}".`,
  );
}

function readSchemaFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new UsageError(`The schema ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}
