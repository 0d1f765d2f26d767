export { LLMJudge } from "./llm-judge.js";
