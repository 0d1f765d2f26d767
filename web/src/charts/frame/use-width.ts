import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

const MIN_CHART_WIDTH = 240;

/** The width of an element in whole pixels, followed as it changes; 0 before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const box = element.current;
    if (box === null) return;
    const measure = () => setWidth(Math.max(Math.floor(box.clientWidth), MIN_CHART_WIDTH));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(box);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
