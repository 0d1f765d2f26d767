import { anthropic } from "./anthropic.js";
import { chat } from "./chat.js";
import type { Dialect, DialectName } from "./dialect.js";
import { gemini } from "./gemini.js";
import { responses } from "./responses.js";

export * from "./dialect.js";

export const dialects: Readonly<Record<DialectName, Dialect>> = { chat, responses, anthropic, gemini };
