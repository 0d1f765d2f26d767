/**
 * The models that help, messages and templates show, and that are used where none is named: the only place to change
 * when they age. `src/cli/model-ends.test.ts` checks the docs against it.
 */
export const EXAMPLE_MODELS = {
  openai: "openai/gpt-6-sol",
  openaiSmall: "openai/gpt-6-luna",
  anthropic: "anthropic/claude-opus-5-5",
  anthropicSmall: "anthropic/claude-sonnet-5-5",
  google: "google/gemini-3.8-flash",
} as const;

/** The same by the name that the provider knows. */
export function getExampleModelName(key: keyof typeof EXAMPLE_MODELS): string {
  const model = EXAMPLE_MODELS[key];
  return model.slice(model.indexOf("/") + 1);
}
