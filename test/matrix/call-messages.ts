/** The official messages-format library as a caller, in its two generations. */

import Anthropic, { APIError } from '@anthropic-ai/sdk';
import type {
  ContentBlockParam,
  Message,
  MessageCreateParamsNonStreaming,
  MessageParam,
} from '@anthropic-ai/sdk/resources/messages';
import Anthropic0, { APIError as APIError0 } from 'anthropic-sdk-0';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { allScenes, type Caller, type Outcome, type Place, type Question } from './caller.ts';

/** The two generations differ in types and in headers, not in what the matrix calls. */
interface Client {
  readonly messages: {
    create(body: MessageCreateParamsNonStreaming): Promise<Message>;
    stream(body: MessageCreateParamsNonStreaming): { finalMessage(): Promise<Message> };
  };
}

export const messagesCallers: readonly Caller[] = [
  callerOf('`@anthropic-ai/sdk` 1.8', APIError, ({ url, token, fetch }) => {
    return new Anthropic({ apiKey: token, baseURL: url, maxRetries: 0, fetch }) as unknown as Client;
  }),
  callerOf('`@anthropic-ai/sdk` 0.137', APIError0, ({ url, token, fetch }) => {
    return new Anthropic0({ apiKey: token, baseURL: url, maxRetries: 0, fetch }) as unknown as Client;
  }),
];

type ErrorClass = abstract new (...given: never[]) => Error;

function callerOf(name: string, errorClass: ErrorClass, connect: (place: Place) => Client): Caller {
  return {
    name,
    format: 'messages',
    flags: {},
    linksImages: true,
    seesThinking: 'asked',
    seesRefusals: 'words',
    scenes: allScenes,
    readError(error) {
      if (!(error instanceof errorClass)) return { own: false, status: undefined, message: String(error) };
      return { own: true, status: (error as { status?: number }).status, message: error.message };
    },
    open(place) {
      const client = connect(place);
      let asked: MessageCreateParamsNonStreaming;
      let calls: string[] = [];
      const send = async (stream: boolean): Promise<Outcome> => {
        const reply = stream ? await client.messages.stream(asked).finalMessage() : await client.messages.create(asked);
        calls = reply.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
        const said = { role: 'assistant' as const, content: reply.content as ContentBlockParam[] };
        asked = { ...asked, messages: [...asked.messages, said] };
        return outcomeOf(reply);
      };
      return {
        ask(question, stream) {
          asked = { model: place.model, ...requestOf(question) };
          return send(stream);
        },
        answer(results, stream) {
          const { tool_choice: _, ...rest } = asked;
          const content = results.map(({ result }, index) => {
            return { type: 'tool_result' as const, tool_use_id: calls[index] ?? '', content: result };
          });
          asked = { ...rest, messages: [...asked.messages, { role: 'user', content }] };
          return send(stream);
        },
      };
    },
  };
}

function requestOf(question: Question): Omit<MessageCreateParamsNonStreaming, 'model'> {
  const { images, sampling, choice } = question;
  const [user, assistant] = question.earlier ?? [];
  const messages: MessageParam[] = [];
  if (user !== undefined) messages.push({ role: 'user', content: user });
  if (assistant !== undefined) messages.push({ role: 'assistant', content: assistant });
  const content: ContentBlockParam[] = [];
  if (images?.url !== undefined) content.push({ type: 'image', source: { type: 'url', url: images.url } });
  if (images !== undefined) {
    content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: images.data } });
  }
  messages.push({ role: 'user', content: [...content, { type: 'text', text: question.text }] });
  return {
    messages,
    max_tokens: sampling?.maxTokens ?? 8192,
    ...(question.system !== undefined && { system: question.system }),
    ...(question.tools && {
      tools: question.tools.map((tool) => {
        return { name: tool.name, description: tool.description, input_schema: { ...schemaOfTool(tool) } };
      }),
    }),
    ...(choice && { tool_choice: choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.name } }),
    ...(question.schema && { output_config: { format: { type: 'json_schema', schema: question.schema } } }),
    ...(question.thinking && { thinking: { type: 'enabled', budget_tokens: 2048 } }),
    ...(sampling && { temperature: sampling.temperature, stop_sequences: [sampling.stop] }),
  };
}

function outcomeOf(reply: Message): Outcome {
  const text = reply.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  const details = (reply as { stop_details?: { explanation?: string } | null }).stop_details;
  return {
    text: reply.stop_reason === 'refusal' ? '' : text,
    thinking: reply.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: reply.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
    ),
    finish: finishOf(reply.stop_reason),
    refusal: reply.stop_reason === 'refusal' ? details?.explanation || text || undefined : undefined,
    usage: {
      input: reply.usage.input_tokens + (reply.usage.cache_read_input_tokens ?? 0),
      cached: reply.usage.cache_read_input_tokens ?? 0,
      output: reply.usage.output_tokens,
    },
  };
}

function finishOf(reason: Message['stop_reason']): string {
  if (reason === 'end_turn') return 'stop';
  if (reason === 'refusal') return 'refused';
  return reason === 'tool_use' ? 'calls' : String(reason);
}
