import type { GatewayDialectName } from "../../models/index.js";
import { anthropic } from "./anthropic.js";
import { chat } from "./chat.js";
import { gemini } from "./gemini.js";
import type { WireFormat } from "./item.js";
import { responses } from "./responses.js";

export const WIRE_FORMATS: Readonly<Record<GatewayDialectName, WireFormat>> = { chat, responses, anthropic, gemini };
