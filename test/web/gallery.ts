import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { MAX_SCREENSHOT_BYTES } from "./screenshots.js";

/** The widths that every page is shown at, and the height of the window there. */
export const WIDTHS = [
  { width: 1440, height: 900 },
  { width: 900, height: 900 },
  { width: 390, height: 844 },
] as const;

/** Windows between those widths, which pages must fit as well. */
export const LAPTOP_WIDTHS = [1100, 1160, 1280] as const;

export const THEMES = ["light", "dark"] as const;

const FOLDER = fileURLToPath(new URL("../../docs/images/pages/", import.meta.url));

/** Every sheet is one picture with all widths in both themes. */
export function toSheetPath(name: string): string {
  return join(FOLDER, `${name}.jpg`);
}

/** How tall each row of a sheet is, in pixels. */
const ROW_HEIGHT = 420;

/** Puts the pictures of one page, a row for each theme, into one small file. */
export async function saveSheet(browser: Browser, name: string, rows: readonly (readonly Buffer[])[]): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 2 * ROW_HEIGHT + 36 } });
  try {
    const images = rows.map((row) => `<p>${row.map(formatImage).join("")}</p>`).join("");
    await page.setContent(
      `<style>body{margin:0;background:#888}p{margin:12px;display:flex;gap:12px}img{height:${ROW_HEIGHT}px}</style>${images}`,
    );
    mkdirSync(FOLDER, { recursive: true });
    await saveSmallJpeg(page, toSheetPath(name));
  } finally {
    await page.close();
  }
}

function formatImage(picture: Buffer): string {
  return `<img src="data:image/png;base64,${picture.toString("base64")}">`;
}

/** Lowers the quality until the file is small enough for the repository. */
async function saveSmallJpeg(page: Page, path: string): Promise<void> {
  for (const quality of [80, 70, 60, 50, 40, 30]) {
    const picture = await page.screenshot({ path, type: "jpeg", quality });
    if (picture.length < MAX_SCREENSHOT_BYTES) return;
  }
  throw new Error(`${path} is too large for the repository`);
}
