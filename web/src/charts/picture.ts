import { truncateName } from "./names.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TITLE_HEIGHT = 34;
const PICTURE_MARGIN = 12;
/** Twice the pixels of the page, for large screens and slides. */
const PNG_SCALE = 2;

/** Styles that come from the stylesheet, with their defaults; a picture outside of the page needs them inline. */
const COPIED_STYLES: Readonly<Record<string, string>> = {
  fill: "rgb(0, 0, 0)",
  "fill-opacity": "1",
  stroke: "none",
  "stroke-width": "1px",
  "stroke-opacity": "1",
  "stroke-dasharray": "none",
  "stroke-linejoin": "miter",
  opacity: "1",
  "paint-order": "normal",
  "text-anchor": "start",
  "font-size": "",
  "font-family": "",
  "font-weight": "400",
};

/** The chart of a figure with title, legend and background; null when nothing is drawn. */
export function buildPicture(figure: HTMLElement, title: string): SVGSVGElement | null {
  const plot = figure.querySelector<SVGSVGElement>(".plot > svg");
  if (plot === null) return null;
  const legend = figure.querySelector(".legend");
  const origin = plot.getBoundingClientRect();
  const bottom = Math.max(origin.bottom, legend?.getBoundingClientRect().bottom ?? 0);
  const size = {
    width: origin.width + 2 * PICTURE_MARGIN,
    height: bottom - origin.top + TITLE_HEIGHT + 2 * PICTURE_MARGIN,
  };
  const picture = createEmptyPicture(size, figure);
  picture.append(
    createPictureTitle(title, figure),
    moveSvg(copyWithStyles(plot), PICTURE_MARGIN, PICTURE_MARGIN + TITLE_HEIGHT),
  );
  for (const entry of legend?.querySelectorAll(".entry") ?? []) picture.append(...copyLegendEntry(entry, origin));
  return picture;
}

function createEmptyPicture({ width, height }: { width: number; height: number }, figure: HTMLElement): SVGSVGElement {
  const picture = document.createElementNS(SVG_NAMESPACE, "svg");
  setAttributes(picture, { width, height, viewBox: `0 0 ${width} ${height}` });
  const ground = document.createElementNS(SVG_NAMESPACE, "rect");
  setAttributes(ground, { width, height, fill: findBackgroundColor(figure) });
  picture.append(ground);
  return picture;
}

/** The first background color behind an element that is not transparent. */
function findBackgroundColor(element: HTMLElement | null): string {
  if (element === null) return getComputedStyle(document.body).backgroundColor;
  const color = getComputedStyle(element).backgroundColor;
  return color === "rgba(0, 0, 0, 0)" ? findBackgroundColor(element.parentElement) : color;
}

function createPictureTitle(title: string, figure: HTMLElement): SVGTextElement {
  const text = createStyledText(figure.querySelector("h3") ?? figure, title);
  setAttributes(text, { x: PICTURE_MARGIN, y: PICTURE_MARGIN + 16 });
  return text;
}

function createStyledText(element: Element, content: string): SVGTextElement {
  const style = getComputedStyle(element);
  const text = document.createElementNS(SVG_NAMESPACE, "text");
  setAttributes(text, {
    fill: style.color,
    "font-size": style.fontSize,
    "font-family": style.fontFamily,
    "font-weight": style.fontWeight,
  });
  text.textContent = content;
  return text;
}

/** Copies an entry of the legend to its position on the page. */
function copyLegendEntry(entry: Element, origin: DOMRect): SVGElement[] {
  const glyph = entry.querySelector("svg");
  const words = entry.querySelector(".entryName");
  if (glyph === null || words === null) return [];
  const place = glyph.getBoundingClientRect();
  const beside = words.getBoundingClientRect();
  const down = PICTURE_MARGIN + TITLE_HEIGHT - origin.top;
  const name = words.textContent ?? "";
  const text = createStyledText(words, words.scrollWidth > words.clientWidth ? truncateName(name, beside.width) : name);
  setAttributes(text, {
    x: beside.left - origin.left + PICTURE_MARGIN,
    y: (beside.top + beside.bottom) / 2 + down,
    dy: "0.35em",
  });
  return [moveSvg(copyWithStyles(glyph), place.left - origin.left + PICTURE_MARGIN, place.top + down), text];
}

function moveSvg(svg: SVGSVGElement, x: number, y: number): SVGSVGElement {
  setAttributes(svg, { x, y });
  return svg;
}

/** A copy that looks the same without the stylesheet, and has no keyboard targets. */
function copyWithStyles(original: SVGSVGElement): SVGSVGElement {
  const copy = original.cloneNode(true) as SVGSVGElement;
  const originals = original.querySelectorAll<SVGElement>("*");
  for (const [index, element] of copy.querySelectorAll<SVGElement>("*").entries()) {
    const twin = originals[index];
    if (twin !== undefined) copyStyles(element, getComputedStyle(twin));
  }
  copy.querySelector(".targets")?.remove();
  for (const element of [copy, ...copy.querySelectorAll("[class]")]) element.removeAttribute("class");
  return copy;
}

function copyStyles(element: SVGElement, style: CSSStyleDeclaration): void {
  for (const [name, usual] of Object.entries(COPIED_STYLES)) {
    const value = style.getPropertyValue(name);
    const isInherited = usual === "" && element.tagName !== "text";
    if (value === usual || isInherited) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }
}

function setAttributes(element: Element, attributes: Readonly<Record<string, string | number>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
}

export function serializePicture(picture: SVGSVGElement): string {
  return replaceForbiddenCharacters(new XMLSerializer().serializeToString(picture));
}

export async function renderPng(svg: Blob, picture: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    return await drawToPng(image, picture);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function drawToPng(image: HTMLImageElement, picture: SVGSVGElement): Promise<Blob> {
  const canvas = document.createElement("canvas");
  canvas.width = Math.ceil(Number(picture.getAttribute("width")) * PNG_SCALE);
  canvas.height = Math.ceil(Number(picture.getAttribute("height")) * PNG_SCALE);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error("The browser made no PNG of this chart. Download the SVG instead."));
      else resolve(blob);
    }, "image/png");
  });
}

/**
 * A file name for a title.
 * @example
 * buildFileName("Cost–Speed Frontier"); // "cost-speed-frontier"
 */
export function buildFileName(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, 80) || "chart";
}

/** Offers a file as a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // By then the browser has started to read it.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** XML allows no control characters but tab and line breaks, no lone surrogates, and not these two. */
const FORBIDDEN_IN_XML = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** Makes a serialized picture valid XML, whatever a name in it contains. */
export function replaceForbiddenCharacters(text: string): string {
  return text.replace(FORBIDDEN_IN_XML, "\ufffd");
}
