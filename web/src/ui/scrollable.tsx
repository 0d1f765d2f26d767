import type { ComponentChildren } from "preact";

interface ScrollableProps {
  class: string;
  /** What it holds, for those who come to it by keyboard. */
  label: string;
  children: ComponentChildren;
}

/** What scrolls by itself, by keyboard too. */
export function Scrollable({ class: own, label, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and there are none.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class={own} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
