import { readFileSync } from "node:fs";
import { AssayError } from "../../core/errors.js";
import { findPackageFile } from "../../utils/package-file.js";

/** The page is not where it should be. */
export class PageError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("PAGE", message, options);
  }
}

/** The page as it was built: one script and one stylesheet. */
export interface PageAssets {
  readonly script: string;
  readonly style: string;
}

/**
 * Reads the page that comes with the package.
 * @example
 * const { script, style } = readPage();
 */
export function readPage(folder = findPackageFile("dist/web/")): PageAssets {
  return { script: readAsset(new URL("app.js", folder)), style: readAsset(new URL("app.css", folder)) };
}

function readAsset(file: URL): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new PageError(
      `The page is not built: ${file.pathname} cannot be read. Reinstall assay, or run \`npm run build\` in a checkout.`,
      { cause },
    );
  }
}
