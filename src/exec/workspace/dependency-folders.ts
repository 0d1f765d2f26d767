const DEPENDENCY_FOLDERS = new Set([
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".cache",
  "site-packages",
  "target",
]);

/** True for folders that tools generate, by their usual names: they are not read by people and can be large. */
export function isDependencyPath(path: string): boolean {
  return path.split("/").some((name) => DEPENDENCY_FOLDERS.has(name));
}
