/** The official library of Cohere's format as a caller. */

import { type Cohere, CohereClientV2, CohereError } from 'cohere-ai';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { allScenes, type Caller, type Outcome, type Question } from './caller.ts';

/** The library does not throw it: a caller looks at the last event. */
class FailedStream extends Error {}

type Asked = Omit<Cohere.V2ChatRequest, 'model'>;

/** A reply as the library gives it whole, and as a caller puts it together from events. */
interface Reply {
  readonly message: Cohere.AssistantMessageResponse;
  readonly finishReason: string;
  readonly usage: Cohere.Usage | undefined;
}

export const cohereCaller: Caller = {
  name: '`cohere-ai` v2.chat',
  format: 'cohere chat',
  flags: { tools: ['unchosen'] },
  linksImages: true,
  seesThinking: 'asked',
  seesRefusals: 'never',
  scenes: allScenes,
  readError(error) {
    if (error instanceof FailedStream) return { own: true, status: undefined, message: error.message };
    if (!(error instanceof CohereError)) return { own: false, status: undefined, message: String(error) };
    return { own: true, status: error.statusCode, message: error.message };
  },
  open({ url, token, model, fetch }) {
    const client = new CohereClientV2({ token, baseUrl: url, maxRetries: 0, fetch });
    let asked: Asked & { model: string };
    let calls: string[] = [];
    const send = async (stream: boolean): Promise<Outcome> => {
      const reply: Reply = stream ? await streamed(await client.chatStream(asked)) : await whole(client, asked);
      const { message } = reply;
      calls = (message.toolCalls ?? []).map(({ id }) => id);
      asked = { ...asked, messages: [...asked.messages, message as Cohere.ChatMessageV2] };
      return outcomeOf(reply);
    };
    return {
      ask(question, stream) {
        asked = { model, ...requestOf(question) };
        return send(stream);
      },
      answer(results, stream) {
        const { toolChoice: _, ...rest } = asked;
        const answers = results.map(({ result }, index): Cohere.ChatMessageV2 => {
          const document = { type: 'document' as const, document: { data: { text: result } } };
          return { role: 'tool', toolCallId: calls[index] ?? '', content: [document] };
        });
        asked = { ...rest, messages: [...asked.messages, ...answers] };
        return send(stream);
      },
    };
  },
};

async function whole(client: CohereClientV2, asked: Cohere.V2ChatRequest): Promise<Reply> {
  const { message, finishReason, usage } = await client.chat(asked);
  return { message, finishReason, usage };
}

async function streamed(events: AsyncIterable<Cohere.V2ChatStreamResponse>): Promise<Reply> {
  const content: { type: 'text' | 'thinking'; text: string }[] = [];
  const toolCalls: Cohere.ToolCallV2[] = [];
  for await (const event of events) {
    switch (event.type) {
      case 'content-start':
        content.push({ type: event.delta?.message?.content?.type ?? 'text', text: '' });
        break;
      case 'content-delta': {
        const { text, thinking } = event.delta?.message?.content ?? {};
        const open = content[event.index ?? -1];
        if (open !== undefined) open.text += text ?? thinking ?? '';
        break;
      }
      case 'tool-call-start': {
        const call = event.delta?.message?.toolCalls;
        if (call !== undefined) toolCalls.push(call);
        break;
      }
      case 'tool-call-delta': {
        const open = toolCalls[event.index ?? -1]?.function;
        if (open !== undefined) open.arguments += event.delta?.message?.toolCalls?.function?.arguments ?? '';
        break;
      }
      case 'message-end': {
        const { finishReason = '', usage, error } = event.delta ?? {};
        if (error !== undefined) throw new FailedStream(error);
        return { message: { role: 'assistant', content: content.map(contentOf), toolCalls }, finishReason, usage };
      }
    }
  }
  throw new FailedStream('a stream without an end');
}

function contentOf({ type, text }: { type: 'text' | 'thinking'; text: string }): ContentItem {
  return type === 'text' ? { type, text } : { type, thinking: text };
}

type ContentItem = Cohere.AssistantMessageResponseContentItem;

function requestOf(question: Question): Asked {
  const { images, sampling, choice } = question;
  const [user, assistant] = question.earlier ?? [];
  const messages: Cohere.ChatMessageV2[] = [];
  if (question.system !== undefined) messages.push({ role: 'system', content: question.system });
  if (user !== undefined) messages.push({ role: 'user', content: user });
  if (assistant !== undefined) messages.push({ role: 'assistant', content: assistant });
  const content: Cohere.Content[] = [{ type: 'text', text: question.text }];
  if (images?.url !== undefined) content.push({ type: 'image_url', imageUrl: { url: images.url } });
  if (images !== undefined) {
    const url = `data:${images.mediaType};base64,${images.data}`;
    content.push({ type: 'image_url', imageUrl: { url } });
  }
  messages.push({ role: 'user', content: images === undefined ? question.text : content });
  return {
    messages,
    ...(question.tools && {
      tools: question.tools.map((tool) => {
        const { name, description } = tool;
        return { type: 'function' as const, function: { name, description, parameters: { ...schemaOfTool(tool) } } };
      }),
    }),
    ...(choice && { toolChoice: 'REQUIRED' as const }),
    ...(question.schema && { responseFormat: { type: 'json_object' as const, jsonSchema: question.schema } }),
    ...(question.thinking && { thinking: { type: 'enabled' as const, tokenBudget: 2048 } }),
    ...(sampling && {
      temperature: sampling.temperature,
      maxTokens: sampling.maxTokens,
      stopSequences: [sampling.stop],
    }),
  };
}

function outcomeOf({ message, finishReason, usage }: Reply): Outcome {
  const content = message.content ?? [];
  return {
    text: content.map((item) => (item.type === 'text' ? item.text : '')).join(''),
    thinking: content.map((item) => (item.type === 'thinking' ? item.thinking : '')).join(''),
    calls: (message.toolCalls ?? []).map(({ function: called }) => {
      return { name: called?.name ?? '', input: JSON.parse(called?.arguments ?? '') };
    }),
    finish: finishReason === 'COMPLETE' ? 'stop' : finishReason === 'TOOL_CALL' ? 'calls' : finishReason,
    refusal: undefined,
    usage: usage && {
      input: usage.billedUnits?.inputTokens ?? 0,
      cached: usage.cachedTokens ?? 0,
      output: usage.billedUnits?.outputTokens ?? 0,
    },
  };
}
