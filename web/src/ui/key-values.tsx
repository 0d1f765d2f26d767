import type { ComponentChildren } from "preact";

/** A name and what it is; entries whose value is null are left out. */
export type KeyValue = readonly [name: string, value: ComponentChildren];

/**
 * Facts as a list of names and values.
 * @example
 * <KeyValues entries={[["Cost", "$0.12"], ["Git", revision]]} />
 */
export function KeyValues({ entries }: { entries: readonly KeyValue[] }) {
  return (
    <dl class="facts">
      {entries
        .filter(([, value]) => value !== null && value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
