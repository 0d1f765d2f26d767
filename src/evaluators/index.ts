export { AnswerQuality, type AnswerQualityOptions } from "./answer-quality.js";
