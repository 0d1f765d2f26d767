import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { waitFor } from "./wait-for.js";

// Scripts for the page are strings: they run there without access to the test.

const FIND_UNUSABLE = String.raw`(() => {
  const wrong = /\b(NaN|undefined|Infinity)\b/;
  const found = [];
  for (const element of document.querySelectorAll("body, body *")) {
    for (const { name, value } of element.attributes)
      if (wrong.test(value)) found.push("<" + element.tagName + " " + name + '="' + value.slice(0, 80) + '">');
    for (const node of element.childNodes)
      if (node.nodeType === 3 && wrong.test(node.data)) found.push(element.tagName + ": " + node.data.slice(0, 80));
  }
  return found;
})()`;

/** Checks that no text and no attribute contains NaN, undefined or Infinity. */
export async function expectUsable(page: Page): Promise<void> {
  expect(await page.evaluate(FIND_UNUSABLE)).toEqual([]);
}

/** Checks that the page does not scroll sideways. */
export async function expectFits(page: Page): Promise<void> {
  const spare = "document.documentElement.clientWidth - document.documentElement.scrollWidth";
  // Charts are redrawn after the window becomes narrow.
  await waitFor(() => page.evaluate<number>(spare), { message: `too wide: ${page.url()}` }).toBeGreaterThanOrEqual(0);
}

const FIND_UNREADABLE_LABELS = `(() => {
  const found = [];
  for (const drawing of document.querySelectorAll("figure.chart svg")) {
    const frame = drawing.getBoundingClientRect();
    const texts = [...drawing.querySelectorAll("text")]
      .map((element) => ({ text: element.textContent, box: element.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0);
    for (const [place, { text, box }] of texts.entries()) {
      const isCut = box.left < frame.left - 1 || box.right > frame.right + 1 || box.top < frame.top - 1 || box.bottom > frame.bottom + 1;
      if (isCut) found.push("cut: " + text);
      for (const other of texts.slice(place + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        // The boxes of two lines are a little higher than their letters.
        if (across > 1 && down > 4) found.push("covered: " + text + " and " + other.text);
      }
    }
  }
  return found;
})()`;

/** Checks that no label of a chart is cut at its edge or covers another one. */
export async function expectReadableLabels(page: Page): Promise<void> {
  await waitFor(() => page.evaluate<string[]>(FIND_UNREADABLE_LABELS), { message: page.url() }).toEqual([]);
}

/** True if a text is a valid SVG image with some shapes. */
export function isDrawing(page: Page, svg: string): Promise<boolean> {
  return page.evaluate<boolean>(`(() => {
    const picture = new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml");
    const isRead = picture.querySelector("parsererror") === null;
    return isRead && picture.documentElement.tagName === "svg" && picture.querySelectorAll("path, rect, circle").length > 3;
  })()`);
}

/** The focused element: its role or tag, and its name or text. */
export function readFocus(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const { activeElement: here } = document;
    const name = here.getAttribute("aria-label") ?? here.textContent.trim();
    return (here.getAttribute("role") ?? here.tagName.toLowerCase()) + ": " + name.slice(0, 60);
  })()`);
}

/** Checks that text from models had no effect. */
export async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("window.pwned")).toBeUndefined();
  expect(await page.locator("script").count(), "only the script of the page itself").toBe(1);
  expect(await page.locator("main").locator("img, iframe, [onload], [onerror], [href^=javascript]").count()).toBe(0);
}

interface Violation {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary: string }[];
}

const REPORTED_IMPACTS = new Set<string | null>(["moderate", "serious", "critical"]);

/** Moderate and serious axe violations of a page. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations
    .filter(({ impact }) => REPORTED_IMPACTS.has(impact))
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}
