import { existsSync, mkdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

const FOLDER = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const LARGEST_BYTES = 150_000;
const SIZE = { width: 1280, height: 720 };

/** Whether a picture of the documentation is to be made: there is none yet, or ASSAY_SCREENSHOTS=1 wants all anew. */
export function wantsPicture(name: string): boolean {
  return process.env.ASSAY_SCREENSHOTS === "1" || !existsSync(pathOf(name));
}

/**
 * Keeps how a page, or a part of it, looks for the documentation, where that is wanted; otherwise a test run leaves the
 * pictures as they are.
 */
export async function keepPicture(page: Page, name: string, part: Page | Locator = page): Promise<void> {
  if (!wantsPicture(name)) return;
  const path = pathOf(name);
  mkdirSync(FOLDER, { recursive: true });
  await page.setViewportSize(SIZE);
  await part.screenshot({ path });
  expect(statSync(path).size, `${path} is too large for a page of the documentation`).toBeLessThan(LARGEST_BYTES);
}

function pathOf(name: string): string {
  return `${FOLDER}${name}.png`;
}
