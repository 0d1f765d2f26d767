import { type MockJson, toObject } from "./prompt.js";

/** The effort that a request asks for, in any API format: a name, or a number of thinking tokens; null for none. */
export function readEffort(body: MockJson): string | null {
  // Bedrock passes on what the model's maker calls its parameters.
  return findEffort({ ...body, ...toObject(body.additionalModelRequestFields) });
}

function findEffort(body: MockJson): string | null {
  const thinking = toObject(body.thinking);
  const { thinkingLevel, thinkingBudget } = toObject(toObject(body.generationConfig).thinkingConfig);
  const { effort, max_tokens: tokens } = toObject(body.reasoning);
  const found = [
    body.reasoning_effort,
    effort,
    tokens,
    toObject(body.output_config).effort,
    toObject(body.reasoningConfig).maxReasoningEffort,
    thinking.budget_tokens,
    toObject(body.reasoningConfig).type === "disabled" || thinking.type === "disabled" || thinkingBudget === 0
      ? "none"
      : undefined,
    thinkingLevel,
    thinkingBudget,
  ].find((value) => typeof value === "string" || typeof value === "number");
  return found === undefined ? null : String(found).toLowerCase();
}
