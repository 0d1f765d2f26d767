import { ownValue } from "../../core/shape.js";
import type { Alias, KeyRules } from "./key-rules.js";

/**
 * Resolves a key to ours: the key itself, another spelling (`judgeModel` for `judge_model`), or an alias from another
 * harness; null if unknown.
 */
export function ourKey(key: string, { keys, aliases = {} }: KeyRules): Alias | null {
  if (keys.includes(key)) return { key };
  const alias = ownValue(aliases, key) ?? ownValue(aliases, inSnakeCase(key));
  if (alias !== undefined) return alias;
  const respelled = keys.find((ours) => inSnakeCase(ours) === inSnakeCase(key));
  return respelled === undefined ? null : { key: respelled };
}

export function otherSpellings({ keys, aliases = {} }: KeyRules): Map<string, string> {
  const all = [
    ...keys.map((key) => [key, key] as const),
    ...Object.entries(aliases).map(([key, to]) => [key, to.key] as const),
  ];
  const spelled = all.flatMap(([key, to]) =>
    [key, inSnakeCase(key), inCamelCase(key)].map((form) => [form, to] as const),
  );
  return new Map(spelled.filter(([form]) => !keys.includes(form)));
}

export function inSnakeCase(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function inCamelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
