/** Splits a reply into stream events, one delta per token, lazily. */

import type { Part } from '../../conversation/parts.ts';
import type { Candidate, StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { splitTokens } from '../tokens.ts';

/** Several candidates are interleaved. */
export function* replyEvents(reply: TextReply): Generator<StreamEvent, void, void> {
  yield { type: 'reply-start', id: reply.id, model: reply.model, createdAtMs: reply.createdAtMs };
  let open = reply.candidates.map((candidate, index) => candidateEvents(candidate, index));
  while (open.length > 0) {
    const still: typeof open = [];
    for (const events of open) {
      const next = events.next();
      if (next.done === true) continue;
      yield next.value;
      still.push(events);
    }
    open = still;
  }
  yield { type: 'usage', usage: reply.usage };
  yield { type: 'reply-end' };
}

function* candidateEvents(candidate: Candidate, index: number): Generator<StreamEvent, void, void> {
  for (const [number, part] of candidate.parts.entries()) yield* partEvents(part, index, number);
  yield { type: 'candidate-end', candidate: index, finish: candidate.finish };
}

function* partEvents(part: Part, candidate: number, number: number): Generator<StreamEvent, void, void> {
  const at = { candidate, part: number };
  switch (part.type) {
    case 'text':
    case 'refusal':
      yield { type: 'part-start', ...at, opening: { type: part.type } };
      for (const text of splitTokens(part.text)) yield { type: 'text-delta', ...at, text };
      break;
    case 'thinking':
      yield {
        type: 'part-start',
        ...at,
        opening: { type: 'thinking', ...(part.redacted === true && { redacted: true }) },
      };
      for (const text of splitTokens(part.text)) yield { type: 'thinking-delta', ...at, text };
      break;
    case 'tool-call':
      yield { type: 'part-start', ...at, opening: { type: 'tool-call', id: part.id, name: part.name } };
      for (const text of splitTokens(part.arguments)) yield { type: 'tool-input-delta', ...at, text };
      break;
    default:
      return;
  }
  if ('seal' in part && part.seal !== undefined) yield { type: 'seal', ...at, seal: part.seal };
  yield { type: 'part-end', ...at };
}

export function isDelta(event: StreamEvent): boolean {
  return event.type === 'text-delta' || event.type === 'thinking-delta' || event.type === 'tool-input-delta';
}
