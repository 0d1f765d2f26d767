export { findReversedAnswer, findStatedAnswers } from "./find.js";
export { isCounterfactual, isDoubted, isRetracted } from "./hypothetical.js";
export { findCalculationResult } from "./result.js";
export type { StatedAnswer } from "./types.js";
export { COPULAS } from "./words.js";
