import type { ImportedSystem } from "./format.js";

/**
 * Which systems are known under another name: a trial that failed early may not tell its model, and belongs to the
 * system of its variant then, where there is only one.
 * @example
 * adopted([{ name: "unknown model [a]", variant: "a" }, { name: "blue [a]", model: "blue", variant: "a" }]);
 * // Map { "unknown model [a]" => "blue [a]" }
 */
export function adopted(systems: readonly ImportedSystem[]): Map<string, string> {
  const orphans = systems.filter(({ model, variant }) => model === undefined && variant !== undefined);
  return new Map(
    orphans.flatMap(({ name, variant }) => {
      const [known, ...others] = systems.filter((one) => one.model !== undefined && one.variant === variant);
      return known === undefined || others.length > 0 ? [] : [[name, known.name] as const];
    }),
  );
}
