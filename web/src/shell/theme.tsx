import { useState } from "preact/hooks";

const THEMES = ["auto", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];
const STORAGE_KEY = "assay-theme";

/** Stored for the next visit. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(loadTheme);
  // Not in an effect, which would run too late for a reader who leaves.
  const choose = (chosen: Theme) => {
    saveTheme(chosen);
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme">
      <span>Theme</span>{" "}
      <select value={theme} onChange={({ currentTarget }) => choose(parseTheme(currentTarget.value))}>
        {THEMES.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Runs before anything is drawn, so that a dark page does not flash white. */
export function applySavedTheme(): void {
  applyTheme(loadTheme());
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

function parseTheme(text: string | null): Theme {
  return THEMES.find((choice) => choice === text) ?? "auto";
}

/** Storage may be unavailable, for a file on disk for instance. */
function loadTheme(): Theme {
  try {
    return parseTheme(localStorage.getItem(STORAGE_KEY));
  } catch {
    return "auto";
  }
}

function saveTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // The choice is lost after this visit.
  }
}
