import { addressOf, type Query } from "../../shell/route.js";
import { filterWords } from "../run/rows/row-filter.js";
import type { SystemOfRun } from "./parts.js";

/** What figures are of, where they are not of a whole run. */
export interface Asked {
  dataset?: string | undefined;
  tag?: string | undefined;
}

/** The rows behind the figures of a line, as an address. */
export function rowsAddress(line: SystemOfRun, asked: Asked): string {
  return addressOf(["run", line.run.id, "rows"], rowsQuery(line, asked));
}

/** The filter that leaves the rows behind the figures of a line. */
export function rowsQuery({ card }: SystemOfRun, { dataset, tag }: Asked): Query {
  return filterWords({ systems: [card.system], datasets: dataset ? [dataset] : [], tags: tag ? [tag] : [] });
}
