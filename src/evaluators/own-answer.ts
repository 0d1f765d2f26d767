import { firstTurn } from "./own-answer/end-of-turn.js";
import { beforeNextQuestion } from "./own-answer/next-question.js";
import { withoutReasoning } from "./own-answer/reasoning.js";

/**
 * The part of a response that is its own answer to the question that was asked: without what the model thought aloud,
 * and cut where its turn ends or where a base model goes on with another question.
 * @example
 * ownAnswer("<think>A?</think>The answer is B.<|im_end|>"); // "The answer is B."
 */
export function ownAnswer(response: string): string {
  return beforeNextQuestion(firstTurn(withoutReasoning(response)));
}
