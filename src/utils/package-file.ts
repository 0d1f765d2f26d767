/**
 * A file of this package, such as `data/tokens/o200k_base.bin`. Bundled code lies two folders below the root, like this
 * module, so that the path works for both. No other module may locate files relative to itself.
 */
export function findPackageFile(path: string): URL {
  return new URL(`../../${path}`, import.meta.url);
}

/** A module that is started by its path, in `src/` or, bundled, in `dist/`. */
export function findModule(path: string): URL {
  return new URL(`../${path}`, import.meta.url);
}
