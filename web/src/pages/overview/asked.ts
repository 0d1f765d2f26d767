import { buildAddress, type RouteQuery } from "../../shell/route.js";
import { buildRowFilterQuery } from "../run/rows/row-filter.js";
import type { RunSystem } from "./parts.js";

/** What figures are of, where they are not of a whole run. */
export interface FigureScope {
  dataset?: string | undefined;
  tag?: string | undefined;
}

/** The rows behind the figures of a line, as an address. */
export function buildRowsAddress(line: RunSystem, scope: FigureScope): string {
  return buildAddress(["run", line.run.id, "rows"], buildRowsQuery(line, scope));
}

/** The filter that leaves the rows behind the figures of a line. */
export function buildRowsQuery({ card }: RunSystem, { dataset, tag }: FigureScope): RouteQuery {
  return buildRowFilterQuery({ systems: [card.system], datasets: dataset ? [dataset] : [], tags: tag ? [tag] : [] });
}
