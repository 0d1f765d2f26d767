import type { Page } from "playwright-core";

/** The rendered colors at some points of the window. */
export async function readColors(page: Page, places: readonly { x: number; y: number }[]): Promise<number[][]> {
  const picture = (await page.screenshot()).toString("base64");
  return page.evaluate<number[][]>(`(async () => {
    const image = new Image();
    image.src = "data:image/png;base64,${picture}";
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return ${JSON.stringify(places)}.map(({ x, y }) => [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3));
  })()`);
}
