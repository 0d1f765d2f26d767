import { didYouMean, findClosestName } from "../core/index.js";
import { findCapabilities } from "../models/index.js";
import type { ModelsFile } from "./models-file.js";
import { explainMissingUrl, listProviders } from "./providers.js";

/**
 * Says why a name is neither PROVIDER/MODEL nor in the models file, and what may be meant. `hint` says how to write a
 * name; it is left out if only the address is missing.
 * @example
 * explainUnknownModel("opnai/gpt-6-sol", null, ""); // '… no provider is called opnai. Did you mean "openai/gpt-6-sol"?'
 */
export function explainUnknownModel(name: string, file: ModelsFile | null, hint: string): string {
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  const model = name.slice(slash + 1);
  const listed = [...(file?.models.keys() ?? [])];
  if (listProviders().includes(provider.toLowerCase()))
    return model === ""
      ? `"${name}" names a provider, but no model. ${hint}`
      : `The provider ${provider} has no usual address: ${explainMissingUrl(provider)}.`;
  const where = file === null ? "There is no models.yml here" : `${file.file} has no model "${name}"`;
  const what = provider === "" ? `${where}.` : `${where}, and no provider is called ${provider}.`;
  const close = findClosestName(name, listed) ?? guessQualifiedName(provider, model);
  const others = file === null ? "" : didYouMean(name, listed);
  const meant = close === undefined ? others : ` Did you mean "${close}"?`;
  return `${what}${meant} ${hint}`;
}

/** A known model without its provider, or with a misspelled one. */
function guessQualifiedName(provider: string, model: string): string | undefined {
  const guess = provider === "" ? findCapabilities({ model })?.maker : findClosestName(provider, listProviders());
  return guess === undefined || model === "" ? undefined : `${guess}/${model}`;
}
