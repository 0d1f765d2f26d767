import type { ErrorCategory, FacetValue } from "../../../src/core/row.js";

/** What the reader picked in a chart: the rows behind it are those that have all of these. */
export interface ChartSelection {
  run?: string;
  system?: string;
  dataset?: string;
  category?: ErrorCategory;
  /** Such as `{ depth: 0.5, length: 4096 }`. */
  facets?: Readonly<Record<string, FacetValue>>;
  /** Seconds, from the one up to the other. */
  latency?: { readonly from: number; readonly to: number };
}

/** What all charts take besides their data. */
export interface ChartProps {
  /** In place of the chart's own title. */
  title?: string | undefined;
  /** Every system of the page, so that one has the same color in all charts; those of the data when left out. */
  systems?: readonly string[] | undefined;
  /** Called when a mark is clicked, or picked with Enter. */
  onPick?: ((picked: ChartSelection) => void) | undefined;
}
