import { asList, asNumber, asObject, asText, type Json } from "../json.js";
import { BadRequest, Conversation, contentText, type OfferedTool, type Prompt, requireList } from "../prompt.js";
import type { WireRequest } from "./wire.js";

/** The path names the model and whether to stream. */
export function readGemini({ body, model, streams, query }: WireRequest): Prompt {
  const conversation = new Conversation();
  const system = asObject(body.systemInstruction ?? body.system_instruction);
  conversation.add("system", contentText(system.parts));
  for (const { role = "user", parts } of requireList(body, "contents").map(asObject)) {
    if (role !== "user" && role !== "model" && role !== "function")
      throw new BadRequest("Please use a valid role: user, model.");
    for (const part of asList(parts).map(asObject).filter(isFunctionResponse))
      conversation.addToolResult(asObject(part.functionResponse).response);
    conversation.add(role, contentText(parts));
  }
  const settings = asObject(body.generationConfig);
  return {
    model,
    stream: streams,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: asNumber(settings.maxOutputTokens),
    tools: asList(body.tools).flatMap((tool) => asList(asObject(tool).functionDeclarations).map(toolOf)),
    toolResults: conversation.toolResults,
    schema: schemaOf(settings),
    wantsUsage: true,
    sse: query.split("&").includes("alt=sse"),
  };
}

function isFunctionResponse(part: Json): boolean {
  return "functionResponse" in part;
}

function toolOf(declaration: unknown): OfferedTool {
  const { name, parameters, parametersJsonSchema } = asObject(declaration);
  return { name: asText(name), schema: asObject(parametersJsonSchema ?? parameters), isLocalShell: false };
}

function schemaOf(settings: Json): Json | null {
  const schema = settings.responseJsonSchema ?? settings.responseSchema;
  if (schema === undefined && settings.responseMimeType !== "application/json") return null;
  return asObject(schema);
}
