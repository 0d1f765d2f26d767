import type { RunCard } from "../../../../src/report/dashboard/contract.js";

/**
 * The title of a run. One that was made of the dataset and all systems is cut to the dataset: the page lists the systems.
 * @example
 * formatHeadline(card); // "villages" for the title "villages: swift-8b, atlas-large"
 */
export function formatHeadline({ title, systems }: Pick<RunCard, "title" | "systems">): string {
  const names = `: ${systems.map(({ system }) => system).join(", ")}`;
  return systems.length > 1 && title.endsWith(names) && title !== names ? title.slice(0, -names.length) : title;
}
