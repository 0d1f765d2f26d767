import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageHeadProps {
  title: string;
  /** What makes this another place than before, such as the id of the run; the title unless given. */
  place?: string;
  children?: ComponentChildren;
}

/**
 * The heading of a page. It names the window, and takes the focus when the reader comes from another page.
 * @example
 * <PageHead title="Runs">Newest first.</PageHead>
 */
export function PageHead({ title, place = title, children }: PageHeadProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
  useEffect(() => focusHeading(heading.current), [place]);
  return (
    <div class="page-head">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children !== undefined && <p class="quiet">{children}</p>}
    </div>
  );
}

/** The first page that is opened leaves the focus where the browser has it, before the links that skip to the content. */
function focusHeading(heading: HTMLElement | null): void {
  const { dataset } = document.documentElement;
  if (dataset.arrived === "true") heading?.focus();
  dataset.arrived = "true";
}
