/** The scripted chat-format provider; its thoughts come with signed details, as the large aggregators send them. */

import { readChat } from './chat-request.ts';
import { cut, type Said } from './issued.ts';
import { type Asked, providerKey, type WireProvider } from './provider.ts';
import { usage } from './scenes.ts';
import { filled, must } from './seen.ts';

const detailOf = (fields: object) => ({ type: 'reasoning.text', ...fields, format: 'scripted-v1', index: 0 });

export const errorWords: ReadonlyMap<number, readonly [string, string]> = new Map([
  [429, ['requests', 'rate_limit_exceeded']],
  [503, ['server_error', 'server_overloaded']],
]);

export const chatProvider: WireProvider = {
  kind: 'openai-chat',
  version: '/v1',
  callPrefix: 'call_',
  sealPlace: 'thinking',
  takesStop: true,
  namesCalls: () => true,
  route(path, headers, body): Asked | undefined {
    if (path !== '/v1/chat/completions') return undefined;
    must(headers.get('authorization') === `Bearer ${providerKey}`, 'the key is not in the authorization header');
    return { model: filled(body.model, 'model'), stream: body.stream === true };
  },
  read: readChat,
  whole(said) {
    const { thought, seal } = said;
    const message = {
      role: 'assistant',
      content: said.pieces.length > 0 ? said.pieces.join('') : null,
      refusal: said.refusal ?? null,
      annotations: [],
      ...(thought !== undefined && {
        reasoning: thought,
        reasoning_details: [detailOf({ text: thought, signature: seal })],
      }),
      ...(said.calls.length > 0 && { tool_calls: said.calls.map(callOf) }),
    };
    return {
      ...head(said, 'chat.completion'),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(said) }],
      usage: usageOf(said),
      service_tier: 'default',
      system_fingerprint: 'fp_scripted',
    };
  },
  frames(said, seen) {
    const chunk = (delta: object, finish: string | null = null) => ({
      ...head(said, 'chat.completion.chunk'),
      service_tier: 'default',
      system_fingerprint: 'fp_scripted',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      ...(seen.wantsUsage && { usage: null }),
    });
    const chunks: object[] = [chunk({ role: 'assistant', content: said.pieces.length > 0 ? '' : null, refusal: null })];
    for (const text of cut(said.thought ?? '', 8)) {
      chunks.push(chunk({ reasoning: text, reasoning_details: [detailOf({ text })] }));
    }
    if (said.thought !== undefined) chunks.push(chunk({ reasoning_details: [detailOf({ signature: said.seal })] }));
    for (const content of said.pieces) chunks.push(chunk({ content }));
    if (said.refusal !== undefined) for (const refusal of cut(said.refusal, 6)) chunks.push(chunk({ refusal }));
    chunks.push(...callDeltas(said).map((delta) => chunk(delta)));
    chunks.push(chunk({}, finishOf(said)));
    if (seen.wantsUsage) {
      chunks.push({ ...head(said, 'chat.completion.chunk'), choices: [], usage: usageOf(said) });
    }
    return [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'];
  },
  errorBody(status, message) {
    const [type, code] = errorWords.get(status) ?? ['invalid_request_error', 'odd_number'];
    return { error: { message, type, param: null, code } };
  },
  errorFrame: (message) =>
    `data: ${JSON.stringify({ error: { message, type: 'server_error', code: 'server_overloaded' } })}\n\n`,
};

/** The arguments of several calls come interleaved. */
function callDeltas(said: Said): object[] {
  const pieces = said.calls.map((call) => cut(call.arguments, 5));
  const deltas: object[] = said.calls.map((call, index) => ({
    tool_calls: [{ index, ...callOf(call), function: { name: call.name, arguments: '' } }],
  }));
  for (let round = 0; pieces.some((each) => round < each.length); round++) {
    for (const [index, each] of pieces.entries()) {
      const text = each[round];
      if (text !== undefined) deltas.push({ tool_calls: [{ index, function: { arguments: text } }] });
    }
  }
  return deltas;
}

function callOf({ id, name, arguments: given }: Said['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: given } };
}

function head(said: Said, object: string) {
  return { id: `chatcmpl-${said.id}`, object, created: 1_790_000_000, model: said.model };
}

function finishOf(said: Said): string {
  return said.calls.length > 0 ? 'tool_calls' : 'stop';
}

function usageOf(said: Said) {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: said.thought === undefined ? 0 : usage.thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
