import { truncateName } from "./names.js";

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const TITLE_HEIGHT = 34;
const PICTURE_MARGIN = 12;
/** Twice as many pixels as on the page, for screens and slides that are larger. */
const PNG_SCALE = 2;

/** What the stylesheet says, and a picture outside of the page would not know; with what it is unless said. */
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

/** The chart of a figure with its title, its legend and the ground it stands on; null when it has no drawing. */
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

/** The first color behind an element that can be seen. */
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

/** An entry of the legend at the place where the page has it. */
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

/** A copy that looks the same without the stylesheet, and without what only the keyboard needs. */
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

/** The picture as a file. */
export function serializePicture(picture: SVGSVGElement): string {
  return replaceForbiddenCharacters(new XMLSerializer().serializeToString(picture));
}

/** The picture in pixels. */
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
 * The name of a file for a title.
 * @example
 * buildFileName("Cost–Speed Frontier"); // "cost-speed-frontier"
 */
export function buildFileName(title: string): string {
  const words = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.join("-").slice(0, 80) || "chart";
}

/** Hands a file to the reader. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** What no XML file may hold: controls but tab and line breaks, halves of letters, and two that are no letters. */
const FORBIDDEN_IN_XML = /(?![\t\n\r])\p{Cc}|\p{Cs}|[\ufffe\uffff]/gu;

/** A serialised picture that every reader of XML accepts, whatever a name in it holds. */
export function replaceForbiddenCharacters(text: string): string {
  return text.replace(FORBIDDEN_IN_XML, "\ufffd");
}
