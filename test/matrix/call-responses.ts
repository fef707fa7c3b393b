/** The official library as a caller of the responses format. */

import type { ResponseStreamParams } from 'openai/lib/responses/ResponseStream';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import { schemaOfTool } from '../fake-upstream/wire/scenes.ts';
import { clientOf, readOpenAIError } from './call-chat.ts';
import { allScenes, type Caller, type Outcome, type Question } from './caller.ts';

/** The library does not throw it: a caller looks at the status. */
class FailedResponse extends Error {}

export const responsesCaller: Caller = {
  name: '`openai` responses',
  format: 'responses',
  flags: { text: ['nostop'] },
  linksImages: true,
  seesThinking: 'asked',
  seesRefusals: 'words',
  scenes: allScenes,
  readError(error) {
    if (error instanceof FailedResponse) return { own: true, status: undefined, message: error.message };
    return readOpenAIError(error);
  },
  open(place) {
    const client = clientOf(place);
    let asked: ResponseCreateParamsNonStreaming & { input: ResponseInputItem[] };
    let calls: string[] = [];
    const send = async (stream: boolean): Promise<Outcome> => {
      const reply = stream
        ? await client.responses.stream(asked as object as ResponseStreamParams).finalResponse()
        : await client.responses.create(asked);
      if (reply.status === 'failed') throw new FailedResponse(reply.error?.message ?? '');
      calls = reply.output.flatMap((item) => (item.type === 'function_call' ? [item.call_id] : []));
      asked = { ...asked, input: [...asked.input, ...givenBack(reply)] };
      return outcomeOf(reply);
    };
    return {
      ask(question, stream) {
        asked = { model: place.model, store: false, ...requestOf(question) };
        return send(stream);
      },
      answer(results, stream) {
        const { tool_choice: _, ...rest } = asked;
        const answers = results.map(({ result }, index) => {
          return { type: 'function_call_output' as const, call_id: calls[index] ?? '', output: result };
        });
        asked = { ...rest, input: [...asked.input, ...answers] };
        return send(stream);
      },
    };
  },
};

/** The helper adds what it parsed; a real caller sends back what came. */
function givenBack(reply: Response): ResponseInputItem[] {
  return reply.output.map((item) => {
    const { parsed_arguments: _, ...rest } = item as ResponseInputItem & { parsed_arguments?: unknown };
    if (!('content' in rest) || !Array.isArray(rest.content)) return rest as ResponseInputItem;
    const content = rest.content.map((part) => {
      const { parsed: __, ...kept } = part as { parsed?: unknown };
      return kept;
    });
    return { ...rest, content } as ResponseInputItem;
  });
}

function requestOf(
  question: Question,
): Omit<ResponseCreateParamsNonStreaming, 'model'> & { input: ResponseInputItem[] } {
  const { images, sampling, choice } = question;
  const [user, assistant] = question.earlier ?? [];
  const input: ResponseInputItem[] = [];
  if (user !== undefined) input.push({ role: 'user', content: user });
  if (assistant !== undefined) input.push({ role: 'assistant', content: assistant });
  const content: ResponseInputContent[] = [{ type: 'input_text', text: question.text }];
  if (images?.url !== undefined) content.push({ type: 'input_image', image_url: images.url, detail: 'auto' });
  if (images !== undefined) {
    const image_url = `data:${images.mediaType};base64,${images.data}`;
    content.push({ type: 'input_image', image_url, detail: 'auto' });
  }
  input.push({ role: 'user', content });
  return {
    input,
    ...(question.system !== undefined && { instructions: question.system }),
    ...(question.tools && {
      tools: question.tools.map((tool) => {
        const { name, description } = tool;
        return { type: 'function', name, description, strict: true, parameters: { ...schemaOfTool(tool) } };
      }),
    }),
    ...(choice && { tool_choice: choice === 'required' ? choice : { type: 'function', name: choice.name } }),
    ...(question.schema && {
      text: { format: { type: 'json_schema', name: 'weather', strict: true, schema: question.schema } },
    }),
    ...(question.thinking && {
      reasoning: { effort: 'low', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
    }),
    ...(sampling && { temperature: sampling.temperature, max_output_tokens: sampling.maxTokens }),
  };
}

function outcomeOf(reply: Response): Outcome {
  let refusal: string | undefined;
  let thinking = '';
  const calls: { name: string; input: unknown }[] = [];
  for (const item of reply.output) {
    if (item.type === 'reasoning') {
      thinking += [...item.summary, ...(item.content ?? [])].map(({ text }) => text).join('');
    } else if (item.type === 'function_call') calls.push({ name: item.name, input: JSON.parse(item.arguments) });
    else if (item.type === 'message') {
      for (const part of item.content) if (part.type === 'refusal') refusal = (refusal ?? '') + part.refusal;
    }
  }
  const filtered = reply.incomplete_details?.reason === 'content_filter';
  const finish = refusal !== undefined || filtered ? 'refused' : calls.length > 0 ? 'calls' : 'stop';
  const { usage } = reply;
  return {
    text: reply.output_text,
    thinking,
    calls,
    finish: reply.status === 'completed' || filtered ? finish : String(reply.status),
    refusal,
    usage: usage && {
      input: usage.input_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      output: usage.output_tokens,
    },
  };
}
