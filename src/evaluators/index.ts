/** Evaluators: output to scores. */

export { AnswerQuality, type AnswerQualityOptions } from "./answer-quality.js";
export { Citation } from "./citation.js";
export { CodeExecution, type CodeExecutionOptions } from "./code-execution.js";
export { CommandEvaluator, type CommandEvaluatorOptions } from "./command-evaluator.js";
export { evaluatorFactories } from "./factories.js";
export { FinalAnswer } from "./final-answer.js";
export { convertToText, getResponseText, listGolds } from "./gold.js";
export { IFEvalChecker, type IFEvalCheckerOptions } from "./ifeval-checker.js";
export { JsonSchema, type JsonSchemaOptions } from "./json-schema.js";
export { Levenshtein, type LevenshteinOptions } from "./levenshtein.js";
export { MathEquivalence, type MathEquivalenceOptions } from "./math-equivalence.js";
export { MultipleChoiceAccuracy } from "./multiple-choice-accuracy.js";
export { NLILabelMatch, type NLILabelMatchOptions } from "./nli-label-match.js";
export { NumericTolerance, type NumericToleranceOptions } from "./numeric-tolerance.js";
export { Regex, type RegexOptions } from "./regex.js";
export { SummarizationQuality, type SummarizationQualityOptions } from "./summarization-quality.js";
export { ToolCallMatch, type ToolCallMatchOptions } from "./tool-call-match.js";
