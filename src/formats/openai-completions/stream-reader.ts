/** Reads a stream of legacy completions into neutral events: each choice is one growing text. */

import { countOf, isObject, type Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { StreamEvent } from '../../conversation/text-reply.ts';
import type { Usage } from '../../conversation/usage.ts';
import type { ReadContext, StreamReader } from '../codec.ts';
import { faultOf } from '../openai-chat/errors.ts';
import { readUsage } from '../openai-chat/usage.ts';
import { readFinish } from '../openai-chat/wire.ts';
import { readStart } from './read-reply.ts';
import { readLogprobs } from './wire.ts';

const nothing: readonly StreamEvent[] = Object.freeze([]);
const textOnly = { calls: false, refusal: false } as const;

interface OpenChoice {
  open: boolean;
  finished: boolean;
}

export function streamReader(context: ReadContext): StreamReader {
  const losses = new LossList();
  const choices = new Map<number, OpenChoice>();
  let started = false;
  let ended = false;
  let usage: Usage | undefined;

  const close = (candidate: number, state: OpenChoice, word: unknown, events: StreamEvent[]): void => {
    if (state.open) events.push({ type: 'part-end', candidate, part: 0 });
    state.open = false;
    state.finished = true;
    events.push({ type: 'candidate-end', candidate, finish: readFinish(word, textOnly) });
  };

  const readChoice = (choice: Tree, events: StreamEvent[]): void => {
    const candidate = countOf(choice.index) ?? 0;
    const state = choices.get(candidate) ?? { open: false, finished: false };
    choices.set(candidate, state);
    const { text, finish_reason: word } = choice;
    const logprobs = isObject(choice.logprobs) ? readLogprobs(choice.logprobs) : undefined;
    if (typeof text === 'string' && (text !== '' || logprobs !== undefined)) {
      if (state.finished) {
        losses.addOnce('text after the finish', 'came too late');
        return;
      }
      if (!state.open) events.push({ type: 'part-start', candidate, part: 0, opening: { type: 'text' } });
      state.open = true;
      events.push({ type: 'text-delta', candidate, part: 0, text, ...(logprobs !== undefined && { logprobs }) });
    }
    if (word !== undefined && word !== null && !state.finished) close(candidate, state, word, events);
  };

  const finish = (events: StreamEvent[]): StreamEvent[] => {
    ended = true;
    for (const [candidate, state] of choices) if (!state.finished) close(candidate, state, undefined, events);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    events.push({ type: 'reply-end' });
    return events;
  };

  const start = (chunk: Tree, events: StreamEvent[]): void => {
    if (!started) events.push({ type: 'reply-start', ...readStart(chunk, context) });
    started = true;
  };

  return {
    losses: losses.all,
    read(data) {
      if (ended) return nothing;
      const events: StreamEvent[] = [];
      if (data === '[DONE]') {
        start({}, events);
        return finish(events);
      }
      const chunk: unknown = JSON.parse(data);
      if (!isObject(chunk)) throw new SyntaxError('A completion chunk is a JSON object.');
      if (isObject(chunk.usage))
        usage = readUsage(chunk.usage, { tier: chunk.service_tier, model: chunk.model }) ?? usage;
      if (chunk.error !== undefined && chunk.error !== null) {
        ended = true;
        const { message, type, code } = faultOf(chunk.error);
        events.push({ type: 'failure', code: 'upstream_failed', message, providerType: type, providerCode: code });
        return events;
      }
      if (!Array.isArray(chunk.choices) || chunk.choices.length === 0) return nothing;
      start(chunk, events);
      for (const choice of chunk.choices) if (isObject(choice)) readChoice(choice, events);
      return events;
    },
    end() {
      if (ended || choices.size === 0) return nothing;
      for (const state of choices.values()) if (!state.finished) return nothing;
      return finish([]);
    },
  };
}
