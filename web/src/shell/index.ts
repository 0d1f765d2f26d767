export { App } from "./app.js";
export { applySavedTheme } from "./theme.js";
