/** For what is drawn only to be seen: axes and names, which the marks tell in words. */
export const ARIA_HIDDEN = { "aria-hidden": "true" } as const;
