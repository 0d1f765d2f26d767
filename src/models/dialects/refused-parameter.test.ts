import { describe, expect, it } from "vitest";
import { dialects } from "./index.js";
import { findRefusedParameter, removeParameters } from "./refused-parameter.js";

const USER = { role: "user", content: "Hi" };
const SENT = {
  model: "m",
  messages: [USER],
  max_tokens: 5,
  temperature: 0,
  top_p: 0.9,
  tool_choice: { type: "tool", name: "verdict" },
  output_config: {},
  thinking: {},
  reasoning_effort: "low",
};
const error = (message: string, more: object = {}) => ({ error: { message, ...more } });

describe("findRefusedParameter", () => {
  it.each([
    [error("It is not supported.", { param: "top_p", code: "unsupported_parameter" }), "top_p"],
    [error("'max_tokens' is not supported with this model.", { param: "max_tokens" }), "max_tokens"],
    [error("Only the default (1) value is supported for 'temperature'.", { code: "unsupported_value" }), "temperature"],
    [error("Unrecognized request argument supplied: reasoning_effort"), "reasoning_effort"],
    [error("`temperature` is deprecated for this model."), "temperature"],
    [error("temperature is not supported when thinking is enabled"), "temperature"],
    [error("`temperature` and `top_p` cannot both be specified for this model."), "temperature"],
    [error("top_p: Extra inputs are not permitted"), "top_p"],
    [error("Thinking may not be enabled when tool_choice forces tool use."), "tool_choice"],
    [error("m does not support output format."), "output_config"],
    [error("Structured outputs are not supported.".toLowerCase()), "output_config"],
    [[error("reasoning_effort is an unknown field")], "reasoning_effort"],
    [{ detail: "temperature: unexpected keyword" }, "temperature"],
  ])("%j: %s", (answer, expected) => expect(findRefusedParameter(answer, SENT)).toBe(expected));

  it.each([
    error("temperature: must be at most 2"),
    error("max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens"),
    error("The model m does not support images."),
    error("messages: this field is not supported", { param: "messages" }),
    error("seed is not supported"),
    error("max_tokens_to_sample is not supported"),
    error(""),
    {},
    null,
    "unsupported temperature",
  ])("%j: none", (answer) => expect(findRefusedParameter(answer, SENT)).toBeNull());

  it("finds a prefill and Gemini's settings", () => {
    const words = "This model does not support assistant message prefill.";
    expect(findRefusedParameter(error(words), SENT)).toBeNull();
    const prefilled = { ...SENT, messages: [USER, { role: "assistant", content: "{" }] };
    expect(findRefusedParameter(error(words), prefilled)).toBe("prefill");
    const gemini = { contents: [], generationConfig: { topP: 1, maxOutputTokens: 5 } };
    expect(findRefusedParameter(error("top_p is not supported by this model"), gemini)).toBe("topP");
    expect(findRefusedParameter(error("maxOutputTokens is not supported"), gemini)).toBe("maxOutputTokens");
  });
});

describe("removeParameters", () => {
  it("removes, renames and drops the prefill", () => {
    const messages = [USER, { role: "assistant", content: "{" }];
    const body = { ...SENT, messages, generationConfig: { topP: 1, topK: 2 } };
    const left = removeParameters(body, ["temperature", "max_tokens", "prefill", "topP"]);
    expect(left).toMatchObject({ max_completion_tokens: 5, messages: [USER], generationConfig: { topK: 2 } });
    expect(left).not.toHaveProperty("temperature");
    expect(left).not.toHaveProperty("max_tokens");
    expect(removeParameters({ max_completion_tokens: 5 }, ["max_completion_tokens"])).toEqual({ max_tokens: 5 });
  });
});

describe("the token limit in chat", () => {
  const named = (model: string) =>
    Object.keys(dialects.chat.body({ model, messages: [], stream: false, maxTokens: 5 })).find((key) =>
      /max/.test(key),
    );

  it.each(["o1", "o3-mini", "o4-mini-2025-04-16", "gpt-5", "gpt-5-mini", "gpt-5.5", "gpt-6.1-sol", "openai/gpt-5"])(
    "is max_completion_tokens for %s",
    (model) => expect(named(model)).toBe("max_completion_tokens"),
  );

  it.each(["gpt-4o", "gpt-4.1", "gpt-oss-120b", "llama-3", "olmo-2", "mistral-large", "deepseek/deepseek-chat", ""])(
    "is max_tokens for %s",
    (model) => expect(named(model)).toBe("max_tokens"),
  );
});
