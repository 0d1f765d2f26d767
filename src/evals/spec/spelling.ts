import { getOwn } from "../../core/shape.js";
import type { KeyAlias, KeyRules } from "./key-rules.js";

/**
 * Resolves a key to ours: the key itself, another spelling (`judgeModel` for `judge_model`), or an alias from another
 * harness; null if unknown.
 */
export function resolveKeyAlias(key: string, { keys, aliases = {} }: KeyRules): KeyAlias | null {
  if (keys.includes(key)) return { key };
  const alias = getOwn(aliases, key) ?? getOwn(aliases, toSnakeCaseKey(key));
  if (alias !== undefined) return alias;
  const respelled = keys.find((ours) => toSnakeCaseKey(ours) === toSnakeCaseKey(key));
  return respelled === undefined ? null : { key: respelled };
}

export function listOtherSpellings({ keys, aliases = {} }: KeyRules): Map<string, string> {
  const all = [
    ...keys.map((key) => [key, key] as const),
    ...Object.entries(aliases).map(([key, to]) => [key, to.key] as const),
  ];
  const spelled = all.flatMap(([key, to]) =>
    [key, toSnakeCaseKey(key), toCamelCaseKey(key)].map((form) => [form, to] as const),
  );
  return new Map(spelled.filter(([form]) => !keys.includes(form)));
}

export function toSnakeCaseKey(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamelCaseKey(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
