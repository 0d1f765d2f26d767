import { type MockJson, toList, toNumber, toObject, toTextOrEmpty } from "../json.js";
import {
  BadRequestError,
  ConversationReader,
  joinContentText,
  type MockPrompt,
  type OfferedTool,
  requireListField,
} from "../prompt.js";
import type { ProtocolRequest } from "./wire.js";

/** The path names the model and whether to stream. */
export function readGeminiRequest({ body, model, streams, query }: ProtocolRequest): MockPrompt {
  const conversation = new ConversationReader();
  const system = toObject(body.systemInstruction ?? body.system_instruction);
  conversation.add("system", joinContentText(system.parts));
  for (const { role = "user", parts } of requireListField(body, "contents").map(toObject)) {
    if (role !== "user" && role !== "model" && role !== "function")
      throw new BadRequestError("Please use a valid role: user, model.");
    for (const part of toList(parts).map(toObject).filter(isFunctionResponse))
      conversation.addToolResult(toObject(part.functionResponse).response);
    conversation.add(role, joinContentText(parts));
  }
  const settings = toObject(body.generationConfig);
  return {
    model,
    stream: streams,
    userText: conversation.userText,
    userTexts: conversation.userTexts,
    texts: conversation.texts,
    maxTokens: toNumber(settings.maxOutputTokens),
    tools: toList(body.tools).flatMap((tool) => toList(toObject(tool).functionDeclarations).map(readGeminiTool)),
    toolResults: conversation.toolResults,
    schema: readGeminiSchema(settings),
    wantsUsage: true,
    sse: query.split("&").includes("alt=sse"),
  };
}

function isFunctionResponse(part: MockJson): boolean {
  return "functionResponse" in part;
}

function readGeminiTool(declaration: unknown): OfferedTool {
  const { name, parameters, parametersJsonSchema } = toObject(declaration);
  return { name: toTextOrEmpty(name), schema: toObject(parametersJsonSchema ?? parameters), isLocalShell: false };
}

function readGeminiSchema(settings: MockJson): MockJson | null {
  const schema = settings.responseJsonSchema ?? settings.responseSchema;
  if (schema === undefined && settings.responseMimeType !== "application/json") return null;
  return toObject(schema);
}
