/** Keys typed into a field, or with a modifier, are not commands. */
export function isCommandKey({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isTyping = target instanceof HTMLElement && target.closest("input, textarea, select") !== null;
  return !isTyping && !ctrlKey && !metaKey && !altKey;
}
