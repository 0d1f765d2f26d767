import type { ComponentChildren } from "preact";

interface ScrollableProps {
  class: string;
  /** For screen readers. */
  label: string;
  children: ComponentChildren;
}

/** Scrolls on its own, also with the keyboard. */
export function Scrollable({ class: own, label, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups fields, and there are none.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <div class={own} role="group" aria-label={label} tabIndex={0}>
      {children}
    </div>
  );
}
