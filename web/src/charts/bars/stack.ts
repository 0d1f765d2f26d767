/** A part of a stacked bar, from where to where in the unit of the bar. */
export interface StackPart<Name extends string> {
  readonly name: Name;
  readonly from: number;
  readonly to: number;
}

/**
 * Parts one after the other; those that are nothing are left out.
 * @example
 * stackParts([["input", 2], ["output", 3]]); // [{ name: "input", from: 0, to: 2 }, { name: "output", from: 2, to: 5 }]
 */
export function stackParts<Name extends string>(parts: readonly (readonly [Name, number])[]): StackPart<Name>[] {
  let end = 0;
  return parts
    .filter(([, size]) => size > 0)
    .map(([name, size]) => {
      const from = end;
      end += size;
      return { name, from, to: end };
    });
}
