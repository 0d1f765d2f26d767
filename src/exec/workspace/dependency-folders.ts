const FOLDERS = new Set(["node_modules", ".venv", "venv", "__pycache__", ".cache", "site-packages", "target"]);

/** True for what programs put there by themselves, by the usual names: nobody reads it, and it can be large. */
export function isDependency(path: string): boolean {
  return path.split("/").some((name) => FOLDERS.has(name));
}
