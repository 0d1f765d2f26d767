export type { StatedAnswer } from "./find.js";
export {
  findCalculationResult,
  findReversedAnswer,
  findStatedAnswers,
  isCounterfactual,
  isDoubted,
  isRetracted,
} from "./find.js";
export { COPULAS } from "./words.js";
