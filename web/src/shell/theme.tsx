import { useState } from "preact/hooks";

const CHOICES = ["auto", "light", "dark"] as const;
type Theme = (typeof CHOICES)[number];
const KEPT_AS = "assay-theme";

/** Light, dark, or as the system has it; kept for the next visit. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  // At once: an effect would come too late for a reader who leaves.
  const choose = (chosen: Theme) => {
    keep(chosen);
    wear(chosen);
    setTheme(chosen);
  };
  return (
    <label class="theme">
      Colours{" "}
      <select value={theme} onChange={({ currentTarget }) => choose(themeOf(currentTarget.value))}>
        {CHOICES.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Puts on what was chosen on an earlier visit; before anything is drawn, so that a dark page does not begin white. */
export function wearKeptTheme(): void {
  wear(keptTheme());
}

function wear(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

function themeOf(text: string | null): Theme {
  return CHOICES.find((choice) => choice === text) ?? "auto";
}

/** Storage may be refused, for a file on disk for instance. */
function keptTheme(): Theme {
  try {
    return themeOf(localStorage.getItem(KEPT_AS));
  } catch {
    return "auto";
  }
}

function keep(theme: Theme): void {
  try {
    localStorage.setItem(KEPT_AS, theme);
  } catch {
    // Then it is chosen again next time.
  }
}
