import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PageError, readPageAssets } from "./html-report-page.js";
import { createEmptyFolder } from "./trial-testing.js";

it("reads the script and the stylesheet of the page, or explains how to build them", () => {
  const dir = createEmptyFolder();
  const folder = pathToFileURL(`${dir}/`);
  writeFileSync(join(dir, "app.js"), "1;");
  expect(() => readPageAssets(folder)).toThrow(PageError);
  expect(() => readPageAssets(folder)).toThrow(/app\.css cannot be read\. Reinstall assay, or run `npm run build`/);
  writeFileSync(join(dir, "app.css"), "a {}");
  expect(readPageAssets(folder)).toEqual({ script: "1;", style: "a {}" });
});
