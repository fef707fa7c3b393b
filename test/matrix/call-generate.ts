/** The official content-generation library as a caller. */

import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  type GenerateContentConfig,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
} from '@google/genai';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { allScenes, type Caller, type Outcome, type Question } from './caller.ts';

export const generateCaller: Caller = {
  name: '`@google/genai`',
  format: 'content generation',
  flags: {},
  linksImages: true,
  seesThinking: 'asked',
  seesRefusals: 'words',
  scenes: allScenes,
  readError(error) {
    if (!(error instanceof ApiError)) return { own: false, status: undefined, message: String(error) };
    return { own: true, status: error.status, message: error.message };
  },
  open(place) {
    const client = new GoogleGenAI({ apiKey: place.token, httpOptions: { baseUrl: place.url } });
    let asked: GenerateContentParameters & { contents: Content[] };
    let calls: readonly NonNullable<Part['functionCall']>[] = [];
    const send = async (stream: boolean): Promise<Outcome> => {
      const replies: GenerateContentResponse[] = [];
      if (stream) for await (const each of await client.models.generateContentStream(asked)) replies.push(each);
      else replies.push(await client.models.generateContent(asked));
      const parts = replies.flatMap((reply) => reply.candidates?.[0]?.content?.parts ?? []);
      calls = parts.flatMap((part) => (part.functionCall === undefined ? [] : [part.functionCall]));
      asked = { ...asked, contents: [...asked.contents, { role: 'model', parts: joined(parts) }] };
      return outcomeOf(replies, parts);
    };
    return {
      ask(question, stream) {
        asked = { model: place.model, ...requestOf(question) };
        return send(stream);
      },
      answer(results, stream) {
        const { toolConfig: _, ...config } = asked.config ?? {};
        const parts = results.map(({ result }, index): Part => {
          const { id, name = '' } = calls[index] ?? {};
          return { functionResponse: { ...(id !== undefined && { id }), name, response: { output: result } } };
        });
        asked = { ...asked, config, contents: [...asked.contents, { role: 'user', parts }] };
        return send(stream);
      },
    };
  },
};

/** What a caller that keeps a history does with a stream's pieces: texts of one kind become one part, signed parts stay. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    const last = result.at(-1);
    const isPlain = (one: Part | undefined) => one?.text !== undefined && one.thoughtSignature === undefined;
    if (isPlain(part) && isPlain(last) && part.thought === last?.thought) {
      result[result.length - 1] = { ...last, text: (last?.text ?? '') + (part.text ?? '') };
    } else result.push(part);
  }
  return result;
}

function requestOf(question: Question): { contents: Content[]; config: GenerateContentConfig } {
  const { images, sampling, choice } = question;
  const [user, assistant] = question.earlier ?? [];
  const contents: Content[] = [];
  if (user !== undefined) contents.push({ role: 'user', parts: [{ text: user }] });
  if (assistant !== undefined) contents.push({ role: 'model', parts: [{ text: assistant }] });
  const parts: Part[] = [{ text: question.text }];
  if (images?.url !== undefined) parts.push({ fileData: { fileUri: images.url, mimeType: images.mediaType } });
  if (images !== undefined) parts.push({ inlineData: { data: images.data, mimeType: images.mediaType } });
  contents.push({ role: 'user', parts });
  const functionDeclarations = (question.tools ?? []).map((tool) => {
    return { name: tool.name, description: tool.description, parametersJsonSchema: schemaOfTool(tool) };
  });
  const mode = FunctionCallingConfigMode.ANY;
  return {
    contents,
    config: {
      ...(question.system !== undefined && { systemInstruction: question.system }),
      ...(question.tools && { tools: [{ functionDeclarations }] }),
      ...(choice && {
        toolConfig: {
          functionCallingConfig: choice === 'required' ? { mode } : { mode, allowedFunctionNames: [choice.name] },
        },
      }),
      ...(question.schema && { responseMimeType: 'application/json', responseJsonSchema: question.schema }),
      ...(question.thinking && { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } }),
      ...(sampling && {
        temperature: sampling.temperature,
        maxOutputTokens: sampling.maxTokens,
        stopSequences: [sampling.stop],
      }),
    },
  };
}

const refusals = ['SAFETY', 'PROHIBITED_CONTENT', 'BLOCKLIST', 'RECITATION', 'SPII'];

function outcomeOf(replies: readonly GenerateContentResponse[], parts: readonly Part[]): Outcome {
  const last = replies.at(-1);
  const reason = String(last?.candidates?.[0]?.finishReason ?? last?.promptFeedback?.blockReason);
  const calls = parts.flatMap(({ functionCall }) =>
    functionCall === undefined ? [] : [{ name: functionCall.name ?? '', input: functionCall.args }],
  );
  const said = parts.map((part) => (part.thought === true ? '' : (part.text ?? ''))).join('');
  const isRefused = refusals.includes(reason);
  const finish = reason === 'STOP' ? (calls.length > 0 ? 'calls' : 'stop') : reason;
  const usage = last?.usageMetadata;
  return {
    text: isRefused ? '' : said,
    thinking: parts.map((part) => (part.thought === true ? (part.text ?? '') : '')).join(''),
    calls,
    finish: isRefused ? 'refused' : finish,
    refusal: isRefused ? last?.candidates?.[0]?.finishMessage || said || undefined : undefined,
    usage: usage && {
      input: usage.promptTokenCount ?? 0,
      cached: usage.cachedContentTokenCount ?? 0,
      output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    },
  };
}
