/** The official chat-format library as a caller: chat completions and the older completions. */

import OpenAI, { APIError } from 'openai';
import type { ChatCompletionStreamParams } from 'openai/lib/ChatCompletionStream';
import type {
  ChatCompletion,
  ChatCompletionContentPart,
  ChatCompletionCreateParamsNonStreaming,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { allScenes, type Caller, type Outcome, type Place, type Question, type ReadError } from './caller.ts';

export function clientOf({ url, token, fetch }: Place): OpenAI {
  return new OpenAI({ apiKey: token, baseURL: `${url}/v1`, maxRetries: 0, fetch });
}

export function readOpenAIError(error: unknown): ReadError {
  if (!(error instanceof APIError)) return { own: false, status: undefined, message: String(error) };
  return { own: true, status: error.status, message: error.message };
}

export const chatCaller: Caller = {
  name: '`openai` chat.completions',
  format: 'chat',
  flags: {},
  linksImages: true,
  seesThinking: 'unasked',
  seesRefusals: 'words',
  scenes: allScenes,
  readError: readOpenAIError,
  open(place) {
    const client = clientOf(place);
    let asked: ChatCompletionCreateParamsNonStreaming;
    let calls: { id: string }[] = [];
    const send = async (stream: boolean): Promise<Outcome> => {
      const reply = stream ? await streamed(client, asked) : await client.chat.completions.create(asked);
      const message = reply.choices[0]?.message;
      if (message === undefined) throw new Error('a reply without a message');
      calls = message.tool_calls ?? [];
      asked = { ...asked, messages: [...asked.messages, message as ChatCompletionMessageParam] };
      return outcomeOf(reply);
    };
    return {
      ask(question, stream) {
        asked = { model: place.model, ...requestOf(question) };
        return send(stream);
      },
      answer(results, stream) {
        const { tool_choice: _, ...rest } = asked;
        const answers = results.map(({ result }, index) => {
          return { role: 'tool' as const, tool_call_id: calls[index]?.id ?? '', content: result };
        });
        asked = { ...rest, messages: [...asked.messages, ...answers] };
        return send(stream);
      },
    };
  },
};

/** The library accumulates the fields of its own types; thoughts are a later convention, which its users accumulate. */
async function streamed(client: OpenAI, body: ChatCompletionCreateParamsNonStreaming): Promise<ChatCompletion> {
  const options = { stream_options: { include_usage: true } };
  const stream = client.chat.completions.stream({ ...body, ...options } as object as ChatCompletionStreamParams);
  let thinking = '';
  stream.on('chunk', (chunk) => {
    thinking += thoughtOf(chunk.choices[0]?.delta ?? {});
  });
  const reply = await stream.finalChatCompletion();
  const message = reply.choices[0]?.message;
  if (message !== undefined && thinking !== '') Object.assign(message, { reasoning_content: thinking });
  return reply;
}

function thoughtOf(message: object): string {
  const { reasoning_content: older, reasoning } = message as { reasoning_content?: string; reasoning?: string };
  return older ?? reasoning ?? '';
}

function requestOf(question: Question): Omit<ChatCompletionCreateParamsNonStreaming, 'model'> {
  const { images, sampling, choice } = question;
  const messages: ChatCompletionMessageParam[] = [];
  if (question.system !== undefined) messages.push({ role: 'system', content: question.system });
  const [user, assistant] = question.earlier ?? [];
  if (user !== undefined) messages.push({ role: 'user', content: user });
  if (assistant !== undefined) messages.push({ role: 'assistant', content: assistant });
  const content: ChatCompletionContentPart[] = [{ type: 'text', text: question.text }];
  if (images?.url !== undefined) content.push({ type: 'image_url', image_url: { url: images.url } });
  if (images !== undefined) {
    content.push({ type: 'image_url', image_url: { url: `data:${images.mediaType};base64,${images.data}` } });
  }
  messages.push({ role: 'user', content: images === undefined ? question.text : content });
  return {
    messages,
    ...(question.tools && {
      tools: question.tools.map((tool) => {
        const { name, description } = tool;
        return { type: 'function', function: { name, description, parameters: { ...schemaOfTool(tool) } } };
      }),
    }),
    ...(choice && {
      tool_choice: choice === 'required' ? choice : { type: 'function', function: { name: choice.name } },
    }),
    ...(question.schema && {
      response_format: { type: 'json_schema', json_schema: { name: 'weather', strict: true, schema: question.schema } },
    }),
    ...(question.thinking && { reasoning_effort: 'low' }),
    ...(sampling && {
      temperature: sampling.temperature,
      max_completion_tokens: sampling.maxTokens,
      stop: [sampling.stop],
    }),
  };
}

function outcomeOf(reply: ChatCompletion): Outcome {
  const [choice] = reply.choices;
  const message = choice?.message;
  const refusal = message?.refusal ?? undefined;
  return {
    text: message?.content ?? '',
    thinking: thoughtOf(message ?? {}),
    calls: (message?.tool_calls ?? []).map((call) => {
      if (call.type !== 'function') throw new Error(`a call of type ${call.type}`);
      return { name: call.function.name, input: JSON.parse(call.function.arguments) };
    }),
    finish: refusal === undefined ? finishOf(choice?.finish_reason) : 'refused',
    refusal,
    usage: usageOf(reply.usage),
  };
}

function finishOf(reason: string | null | undefined): string {
  if (reason === 'tool_calls') return 'calls';
  return reason === 'content_filter' ? 'refused' : String(reason);
}

function usageOf(usage: CompletionUsage | undefined | null): Outcome['usage'] {
  if (usage === undefined || usage === null) return undefined;
  return {
    input: usage.prompt_tokens,
    cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
    output: usage.completion_tokens,
  };
}

export const completionsCaller: Caller = {
  name: '`openai` completions',
  format: 'completions',
  flags: { text: ['prompt'] },
  linksImages: false,
  seesThinking: 'never',
  seesRefusals: 'never',
  scenes: ['text', 'long', 'refusal', 'busy', 'wrong', 'fault-first', 'cut-reset', 'cut-end', 'late-reset'],
  readError: readOpenAIError,
  open(place) {
    const client = clientOf(place);
    return {
      async ask({ text: prompt, sampling }, stream) {
        const body = {
          model: place.model,
          prompt,
          ...(sampling && {
            temperature: sampling.temperature,
            max_tokens: sampling.maxTokens,
            stop: sampling.stop,
          }),
        };
        let text = '';
        let finish: string | null | undefined;
        let usage: CompletionUsage | null | undefined;
        if (stream) {
          const options = { include_usage: true };
          for await (const chunk of await client.completions.create({
            ...body,
            stream: true,
            stream_options: options,
          })) {
            text += chunk.choices[0]?.text ?? '';
            finish = chunk.choices[0]?.finish_reason ?? finish;
            usage = chunk.usage ?? usage;
          }
        } else {
          const reply = await client.completions.create(body);
          text = reply.choices[0]?.text ?? '';
          finish = reply.choices[0]?.finish_reason;
          usage = reply.usage;
        }
        const refusal = undefined;
        return { text, thinking: '', calls: [], finish: finishOf(finish), refusal, usage: usageOf(usage) };
      },
      answer: () => Promise.reject(new Error('the format has no tools')),
    };
  },
};
