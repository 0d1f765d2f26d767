import { posix, relative, sep } from "node:path";

/** Returns why a path is not inside a folder; null when it is. */
export function findRelativePathProblem(path: string): string | null {
  if (path === "") return "is empty";
  if (path.includes("\0")) return "has a null character";
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "is absolute";
  const normal = posix.normalize(path);
  return normal === ".." || normal.startsWith("../") ? "leaves the folder" : null;
}

/** True when the path is the folder or inside it; both must be real paths. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
