export { findReversed, findStatedAnswers } from "./find.js";
export { isDoubted } from "./hypothetical.js";
export { findResult } from "./result.js";
export type { StatedAnswer } from "./types.js";
export { COPULAS } from "./words.js";
