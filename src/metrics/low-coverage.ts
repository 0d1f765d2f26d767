/** With a lower coverage than this, what is missing may change the figures. Apart, so that the page can use it. */
export const LOW_COVERAGE = 0.95;
