import { type MockJson, toList, toObject, toTextOrEmpty } from "./prompt.js";
import type { MockDialect } from "./script.js";

/** A rejected request parameter, with the provider's wording. */
export interface ParameterRefusal {
  readonly param: string;
  readonly code: string;
  readonly message: string;
}

/** A last message that starts the model's own answer. */
const PREFILL = "prefill";

export function findRefusal(body: MockJson, refused: readonly string[], dialect: MockDialect): ParameterRefusal | null {
  const param = refused.find((name) => (name === PREFILL ? hasPrefill(body) : hasRefusedParameter(body, name)));
  return param === undefined ? null : REFUSALS[dialect](param);
}

/** Where bodies hold parameters: at the top, and in the settings of Gemini and Bedrock. */
const SETTINGS: readonly ((body: MockJson) => MockJson)[] = [
  (body) => body,
  (body) => toObject(body.generationConfig),
  (body) => toObject(body.inferenceConfig),
  (body) => toObject(body.additionalModelRequestFields),
];

function hasRefusedParameter(body: MockJson, name: string): boolean {
  if (name === "tool_choice") return hasForcedTool(body);
  return SETTINGS.some((settings) => name in settings(body));
}

/** All models accept `auto` and `none`. */
function hasForcedTool(body: MockJson): boolean {
  const choice = body.tool_choice;
  const mode = toObject(toObject(body.toolConfig).functionCallingConfig).mode;
  const kind = typeof choice === "string" ? choice : toTextOrEmpty(toObject(choice).type);
  const { tool, any } = toObject(toObject(body.toolConfig).toolChoice);
  return (
    tool !== undefined || any !== undefined || mode === "ANY" || (kind !== "" && kind !== "auto" && kind !== "none")
  );
}

function hasPrefill(body: MockJson): boolean {
  const last = toObject(toList(body.messages ?? body.input ?? body.contents).at(-1));
  return last.role === "assistant" || last.role === "model";
}

const REFUSALS: Readonly<Record<MockDialect, (param: string) => ParameterRefusal>> = {
  chat: makeOpenaiRefusal,
  responses: makeOpenaiRefusal,
  anthropic: (param) => ({ param, code: "invalid_request_error", message: formatAnthropicRefusal(param) }),
  gemini: (param) => ({ param, code: "INVALID_ARGUMENT", message: `${param} is not supported for this model.` }),
  bedrock: (param) => ({ param, code: "ValidationException", message: formatAnthropicRefusal(param) }),
};

/** OpenAI models reject other values of these, not the parameters themselves. */
const FIXED_VALUES = new Set(["temperature", "top_p"]);

function makeOpenaiRefusal(param: string): ParameterRefusal {
  if (FIXED_VALUES.has(param))
    return {
      param,
      code: "unsupported_value",
      message: `Unsupported value: '${param}' does not support this value with this model. Only the default is supported.`,
    };
  const instead = param === "max_tokens" ? " Use 'max_completion_tokens' instead." : "";
  return {
    param,
    code: "unsupported_parameter",
    message: `Unsupported parameter: '${param}' is not supported with this model.${instead}`,
  };
}

function formatAnthropicRefusal(param: string): string {
  if (param === PREFILL)
    return "This model does not support assistant message prefill. The conversation must end with a user message.";
  if (param === "tool_choice") return "tool_choice that forces tool use is not supported by this model.";
  if (param === "output_config") return "output_config.format: structured outputs are not supported by this model.";
  return `\`${param}\` is deprecated for this model.`;
}
