import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface PageHeadProps {
  title: string;
  /** Identifies the page, such as the id of a run. Default: the title. */
  place?: string;
  children?: ComponentChildren;
}

/**
 * The heading of a page. Sets the title of the window, and takes the focus when the reader navigates.
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

/** The first page leaves the focus to the browser, so that the skip link comes first. */
function focusHeading(heading: HTMLElement | null): void {
  const { dataset } = document.documentElement;
  if (dataset.arrived === "true") heading?.focus();
  dataset.arrived = "true";
}
