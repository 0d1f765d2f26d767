import type { ComponentChildren } from "preact";
import { useLoadState, useSource } from "../data/index.js";
import { buildAddress, revealLine } from "../ui/index.js";

/** The way back to the run, by its title; by its id where the title cannot be read. */
export function RunCrumbs({ id, children }: { id: string; children?: ComponentChildren }) {
  const source = useSource();
  const { state, value } = useLoadState(() => source.listCards([id]), [source, id]);
  const title = value?.[0]?.title ?? (state === "loading" ? "" : id);
  return (
    <nav class="crumbs" aria-label="Where this is">
      <a href={buildAddress(["run", id])} title={id}>
        Run <bdi>{revealLine(title)}</bdi>
      </a>
      {children}
    </nav>
  );
}
