/** The AI SDK as a caller, with its own providers for the four formats. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import {
  AISDKError,
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel,
  type LanguageModelUsage,
  type ModelMessage,
  Output,
  streamText,
  type ToolSet,
  tool,
} from 'ai';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { allScenes, type Caller, type Outcome, type Place, type Question } from './caller.ts';

/** The library reports what a provider ignores on the console; the matrix checks it at the provider instead. */
globalThis.AI_SDK_LOG_WARNINGS = false;

type ProviderOptions = NonNullable<Parameters<typeof generateText>[0]['providerOptions']>;

interface Wire extends Pick<Caller, 'name' | 'format' | 'flags' | 'linksImages' | 'seesThinking' | 'seesRefusals'> {
  model(place: Place): LanguageModel;
  /** The options for thinking, and for the format's own structured output. */
  readonly options: (question: Question) => ProviderOptions;
}

const thinkingOptions = {
  forceReasoning: true,
  reasoningEffort: 'low',
  reasoningSummary: 'auto',
  include: ['reasoning.encrypted_content'],
};

const wires: readonly Wire[] = [
  {
    name: 'AI SDK `openai-compatible`',
    format: 'chat',
    flags: { images: ['data'], thinking: [] },
    linksImages: false,
    seesThinking: 'unasked',
    seesRefusals: 'never',
    model: ({ url, token, model, fetch }) =>
      createOpenAICompatible({
        name: 'weir',
        apiKey: token,
        baseURL: `${url}/v1`,
        includeUsage: true,
        supportsStructuredOutputs: true,
        fetch,
      })(model),
    options: ({ thinking }): ProviderOptions => (thinking === true ? { weir: { reasoningEffort: 'low' } } : {}),
  },
  {
    name: 'AI SDK `openai.chat`',
    format: 'chat',
    flags: {},
    linksImages: true,
    seesThinking: 'never',
    seesRefusals: 'never',
    model: ({ url, token, model, fetch }) => createOpenAI({ apiKey: token, baseURL: `${url}/v1`, fetch }).chat(model),
    options: ({ thinking }): ProviderOptions => {
      return thinking === true ? { openai: { forceReasoning: true, reasoningEffort: 'low' } } : {};
    },
  },
  {
    name: 'AI SDK `openai`',
    format: 'responses',
    flags: { text: ['nostop'] },
    linksImages: true,
    seesThinking: 'asked',
    seesRefusals: 'never',
    model: ({ url, token, model, fetch }) => createOpenAI({ apiKey: token, baseURL: `${url}/v1`, fetch })(model),
    options: ({ thinking }): ProviderOptions => {
      return { openai: { store: false, ...(thinking === true && thinkingOptions) } };
    },
  },
  {
    name: 'AI SDK `anthropic`',
    format: 'messages',
    flags: {},
    linksImages: true,
    seesThinking: 'asked',
    seesRefusals: 'finish',
    model: ({ url, token, model, fetch }) => createAnthropic({ apiKey: token, baseURL: `${url}/v1`, fetch })(model),
    options: ({ thinking }): ProviderOptions => ({
      anthropic: {
        structuredOutputMode: 'outputFormat',
        ...(thinking === true && { thinking: { type: 'enabled', budgetTokens: 2048 } }),
      },
    }),
  },
  {
    name: 'AI SDK `google`',
    format: 'content generation',
    flags: { images: ['data'] },
    linksImages: false,
    seesThinking: 'asked',
    seesRefusals: 'finish',
    // A name with a slash is a whole path to this provider: it arrives without `models/` before it.
    model: ({ url, token, model, fetch }) => createGoogle({ apiKey: token, baseURL: `${url}/v1beta`, fetch })(model),
    options: ({ thinking }): ProviderOptions => {
      return thinking === true ? { google: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 } } } : {};
    },
  },
];

export const aiSdkCallers: readonly Caller[] = wires.map((wire) => ({
  ...wire,
  scenes: allScenes,
  readError,
  open(place) {
    const model = wire.model(place);
    let asked: Asked;
    let messages: ModelMessage[] = [];
    let calls: Result['toolCalls'] = [];
    const send = async (stream: boolean): Promise<Outcome> => {
      const result = await (stream ? streamed : whole)({ ...asked, model, messages, maxRetries: 0 });
      calls = result.toolCalls;
      messages = [...messages, ...result.responseMessages];
      return outcomeOf(result);
    };
    return {
      ask(question, stream) {
        asked = { ...settingsOf(question), providerOptions: wire.options(question) };
        messages = messagesOf(question);
        return send(stream);
      },
      answer(results, stream) {
        const { toolChoice: _, ...rest } = asked;
        asked = rest;
        const content = results.map(({ result }, index) => {
          const { toolCallId = '', toolName = '' } = calls[index] ?? {};
          const output = { type: 'text' as const, value: result };
          return { type: 'tool-result' as const, toolCallId, toolName, output };
        });
        messages = [...messages, { role: 'tool', content }];
        return send(stream);
      },
    };
  },
}));

type Settings = Parameters<typeof generateText>[0];
type Asked = Omit<Settings, 'model' | 'messages' | 'prompt'>;

interface Result {
  readonly text: string;
  readonly reasoningText: string | undefined;
  readonly toolCalls: readonly { toolCallId: string; toolName: string; input: unknown }[];
  readonly finishReason: string;
  readonly usage: LanguageModelUsage;
  readonly responseMessages: readonly ModelMessage[];
}

async function whole(settings: Settings): Promise<Result> {
  const result = await generateText(settings);
  const { reasoningText } = result.finalStep;
  return { ...pick(result), reasoningText, responseMessages: result.responseMessages };
}

function pick({ text, toolCalls, finishReason, usage }: Omit<Result, 'reasoningText' | 'responseMessages'>) {
  return { text, toolCalls, finishReason, usage };
}

/** The library turns an error into a part of the stream; a caller that looks at parts sees it there. */
async function streamed(settings: Settings): Promise<Result> {
  const result = streamText({ ...(settings as Parameters<typeof streamText>[0]), onError: () => {} });
  let error: unknown;
  for await (const part of result.stream) if (part.type === 'error') error ??= part.error ?? new Error('an error part');
  if (error !== undefined) throw error;
  const step = await result.finalStep;
  return { ...pick(step), reasoningText: step.reasoningText, responseMessages: await result.responseMessages };
}

function settingsOf({ tools, choice, schema, sampling, system }: Question): Asked {
  const set: ToolSet = {};
  for (const spec of tools ?? []) {
    set[spec.name] = tool({ description: spec.description, inputSchema: jsonSchema(schemaOfTool(spec)) });
  }
  return {
    ...(system !== undefined && { instructions: system }),
    ...(tools && { tools: set }),
    ...(choice && { toolChoice: choice === 'required' ? choice : { type: 'tool', toolName: choice.name } }),
    ...(schema && { output: Output.object({ schema: jsonSchema(schema), name: 'weather' }) }),
    ...(sampling && {
      temperature: sampling.temperature,
      maxOutputTokens: sampling.maxTokens,
      stopSequences: [sampling.stop],
    }),
  } as Asked;
}

function messagesOf({ earlier, images, text }: Question): ModelMessage[] {
  const [user, assistant] = earlier ?? [];
  const messages: ModelMessage[] = [];
  if (user !== undefined) messages.push({ role: 'user', content: user });
  if (assistant !== undefined) messages.push({ role: 'assistant', content: assistant });
  if (images === undefined) return [...messages, { role: 'user', content: text }];
  const { url, data, mediaType } = images;
  return [
    ...messages,
    {
      role: 'user',
      content: [
        { type: 'text', text },
        ...(url === undefined ? [] : [{ type: 'file' as const, data: new URL(url), mediaType }]),
        { type: 'file', data, mediaType },
      ],
    },
  ];
}

function outcomeOf(result: Result): Outcome {
  const { usage } = result;
  const isRefused = result.finishReason === 'content-filter';
  return {
    text: isRefused ? '' : result.text,
    thinking: result.reasoningText ?? '',
    calls: result.toolCalls.map(({ toolName, input }) => ({ name: toolName, input })),
    finish: isRefused ? 'refused' : result.finishReason === 'tool-calls' ? 'calls' : result.finishReason,
    refusal: undefined,
    usage: {
      input: usage.inputTokens ?? Number.NaN,
      cached: usage.inputTokenDetails.cacheReadTokens ?? 0,
      output: usage.outputTokens ?? Number.NaN,
    },
  };
}

function readError(error: unknown): ReturnType<Caller['readError']> {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const message = error instanceof Error ? error.message : JSON.stringify(error);
  return { own: AISDKError.isInstance(error), status, message };
}
