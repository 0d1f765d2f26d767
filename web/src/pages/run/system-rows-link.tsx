import { buildAddress, revealLine } from "../../ui/index.js";
import { buildRowFilterQuery } from "../row-filter.js";

/** The rows of one system. */
export function SystemRowsLink({ run, system, text = system }: { run: string; system: string; text?: string }) {
  return (
    <a href={buildAddress(["run", run, "rows"], buildRowFilterQuery({ systems: [system] }))}>
      <bdi>{revealLine(text)}</bdi>
    </a>
  );
}
