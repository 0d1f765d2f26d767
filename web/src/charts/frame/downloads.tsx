import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { fileNameOf, pictureOf, pngOf, save, svgTextOf } from "./picture.js";

interface DownloadsProps {
  figure: RefObject<HTMLElement | null>;
  title: string;
}

/** Buttons that keep the chart as a picture, as it looks now. */
export function Downloads({ figure, title }: DownloadsProps) {
  const [problem, setProblem] = useState("");
  const keep = async (kind: "svg" | "png") => {
    const picture = figure.current === null ? null : pictureOf(figure.current, title);
    if (picture === null) return;
    try {
      const svg = new Blob([svgTextOf(picture)], { type: "image/svg+xml" });
      save(kind === "svg" ? svg : await pngOf(svg, picture), `${fileNameOf(title)}.${kind}`);
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" aria-label={`Download SVG: ${title}`} onClick={() => void keep("svg")}>
        SVG
      </button>
      <button type="button" aria-label={`Download PNG: ${title}`} onClick={() => void keep("png")}>
        PNG
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}
