import { existsSync, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const FOLDER = fileURLToPath(new URL("../../docs/images/", import.meta.url));
export const MAX_SCREENSHOT_BYTES = 150_000;
const SIZE = { width: 1280, height: 720 };

/** True if the screenshot does not exist yet, or ASSAY_SCREENSHOTS=1 renews all. */
export function isScreenshotDue(name: string): boolean {
  return process.env.ASSAY_SCREENSHOTS === "1" || !existsSync(toScreenshotPath(name));
}

/** Saves a screenshot of the page, or of a part, for the documentation, if it is due. */
export async function saveScreenshot(page: Page, name: string, part: Page | Locator = page): Promise<void> {
  if (!isScreenshotDue(name)) return;
  const path = toScreenshotPath(name);
  mkdirSync(FOLDER, { recursive: true });
  await page.setViewportSize(SIZE);
  await part.screenshot({ path });
  expect(statSync(path).size, `${path} is too large for a page of the documentation`).toBeLessThan(
    MAX_SCREENSHOT_BYTES,
  );
}

function toScreenshotPath(name: string): string {
  return `${FOLDER}${name}.png`;
}
