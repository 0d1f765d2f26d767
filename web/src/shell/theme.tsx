import { useEffect, useState } from "preact/hooks";

const CHOICES = ["auto", "light", "dark"] as const;
type Theme = (typeof CHOICES)[number];
const KEPT_AS = "assay-theme";

/** Light, dark, or as the system has it; kept for the next visit. */
export function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(keptTheme);
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    keep(theme);
  }, [theme]);
  return (
    <label class="theme">
      Colours{" "}
      <select value={theme} onChange={({ currentTarget }) => setTheme(themeOf(currentTarget.value))}>
        {CHOICES.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    </label>
  );
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
