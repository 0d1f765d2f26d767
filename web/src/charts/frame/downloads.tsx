import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { buildFileName, buildPicture, renderPng, saveFile, serializePicture } from "./picture.js";

interface DownloadButtonsProps {
  figure: RefObject<HTMLElement | null>;
  title: string;
}

/** Buttons that download the chart as a picture, as it looks now. */
export function DownloadButtons({ figure, title }: DownloadButtonsProps) {
  const [problem, setProblem] = useState("");
  const download = async (kind: "svg" | "png") => {
    const picture = figure.current === null ? null : buildPicture(figure.current, title);
    if (picture === null) return;
    try {
      const svg = new Blob([serializePicture(picture)], { type: "image/svg+xml" });
      saveFile(kind === "svg" ? svg : await renderPng(svg, picture), `${buildFileName(title)}.${kind}`);
      setProblem("");
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <button type="button" aria-label={`Download SVG: ${title}`} onClick={() => void download("svg")}>
        SVG
      </button>
      <button type="button" aria-label={`Download PNG: ${title}`} onClick={() => void download("png")}>
        PNG
      </button>
      <span class="problem" role="status">
        {problem}
      </span>
    </>
  );
}
