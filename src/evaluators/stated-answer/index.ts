export {
  COPULAS,
  findResult,
  findReversed,
  findStatedAnswers,
  isCounterfactual,
  isDoubted,
  isRetracted,
  type StatedAnswer,
} from "./find.js";
