import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const FOLDER = new URL("../../web/src/styles/", import.meta.url);
const TOKENS = readFileSync(new URL("tokens.css", FOLDER), "utf8");

const THEMES = ["light", "dark"] as const;
type Theme = (typeof THEMES)[number];

it.each(THEMES)("text can be read on every surface of the %s theme", (theme) => {
  for (const surface of ["ground", "raised"])
    for (const ink of ["text", "quiet", "link", "good", "bad", "warn"])
      expect(measureContrast(ink, surface, theme), `${ink} on ${surface}`).toBeGreaterThanOrEqual(4.5);
  for (const verdict of ["good", "bad", "warn", "link"])
    for (const ink of [verdict, "text", "quiet"])
      expect(measureContrast(ink, `${verdict}-surface`, theme), `${ink} on ${verdict}`).toBeGreaterThanOrEqual(4.5);
  for (let step = 0; step < 7; step++)
    expect(measureContrast(`heat-ink-${step}`, `heat-${step}`, theme), `heat ${step}`).toBeGreaterThanOrEqual(4.5);
});

it.each(THEMES)("marks stand out from every surface of the %s theme", (theme) => {
  const marks = Array.from({ length: 16 }, (_, place) => `series-${place + 1}`);
  for (const mark of [...marks, "control", "focus", "warn-line"])
    expect(measureContrast(mark, "ground", theme), mark).toBeGreaterThanOrEqual(3);
});

it.each(THEMES)("no two of the sixteen series are the same in the %s theme", (theme) => {
  const colors = Array.from({ length: 16 }, (_, place) => getColor(`series-${place + 1}`, theme));
  expect(new Set(colors.map(String)).size).toBe(16);
});

it("colors are written in tokens.css only", () => {
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".css") && file !== "tokens.css")) {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    expect(text.match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch)a?\([^)]*\)/gi) ?? [], name).toEqual([]);
  }
});

it("sizes of type are written in tokens.css only", () => {
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".css") && file !== "tokens.css")) {
    const text = readFileSync(new URL(name, FOLDER), "utf8");
    expect(text.match(/font-size: [\d.]+(?:px|rem)/g) ?? [], name).toEqual([]);
  }
});

function measureContrast(ink: string, surface: string, theme: Theme): number {
  const [one, other] = [measureLuminance(getColor(ink, theme)), measureLuminance(getColor(surface, theme))];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

function getColor(name: string, theme: Theme): number[] {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(TOKENS);
  const hex = found?.[theme === "light" ? 1 : 2];
  if (hex === undefined) throw new Error(`tokens.css has no color --${name}.`);
  return [1, 3, 5].map((start) => Number.parseInt(hex.slice(start, start + 2), 16));
}

/** Relative luminance as WCAG defines it. */
function measureLuminance(color: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
