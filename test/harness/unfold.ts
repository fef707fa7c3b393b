/** A whole reply into the events that fold to it again. */

import type { MediaPart, Part, TextPart } from '../../src/conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../src/conversation/text-reply.ts';

/** One delta for each part. `fold` makes an equal reply of it. */
export function* unfold(reply: TextReply): Generator<StreamEvent, void, void> {
  const { id, model, createdAtMs, serviceTier, extras } = reply;
  yield {
    type: 'reply-start',
    id,
    model,
    createdAtMs,
    ...(serviceTier !== undefined && { serviceTier }),
    ...(extras !== undefined && { extras }),
  };
  for (const [candidate, { parts, finish }] of reply.candidates.entries()) {
    for (const [index, part] of parts.entries()) yield* partEvents(part, candidate, index);
    yield { type: 'candidate-end', candidate, finish };
  }
  yield { type: 'usage', usage: reply.usage };
  yield { type: 'reply-end' };
}

function* partEvents(part: Part, candidate: number, index: number): Generator<StreamEvent, void, void> {
  const at = { candidate, part: index };
  switch (part.type) {
    case 'native':
      yield { type: 'native', format: part.format, value: part.value, ...at };
      return;
    case 'tool-result':
      throw new Error('A reply holds no results of tools.');
    case 'text':
      yield {
        type: 'part-start',
        ...at,
        opening: { type: 'text', ...(part.opensMessage === true && { opensMessage: true }) },
      };
      yield* textEvents(part, at);
      break;
    case 'refusal':
      yield { type: 'part-start', ...at, opening: { type: 'refusal' } };
      if (part.text !== '') yield { type: 'text-delta', ...at, text: part.text };
      break;
    case 'thinking': {
      const { redacted } = part;
      yield {
        type: 'part-start',
        ...at,
        opening: { type: 'thinking', ...(redacted !== undefined && { redacted }) },
      };
      if (part.text !== '') yield { type: 'thinking-delta', ...at, text: part.text };
      break;
    }
    case 'tool-call': {
      const { id, name, freeform } = part;
      const opening = { type: 'tool-call', id, name, ...(freeform === true && { freeform }) } as const;
      yield { type: 'part-start', ...at, opening };
      if (part.arguments !== '') yield { type: 'tool-input-delta', ...at, text: part.arguments };
      break;
    }
    case 'media':
      yield* mediaEvents(part, at);
      break;
  }
  if ('seal' in part && part.seal !== undefined) yield { type: 'seal', ...at, seal: part.seal };
  yield { type: 'part-end', ...at };
}

interface Place {
  readonly candidate: number;
  readonly part: number;
}

function* textEvents({ text, citations = [], logprobs }: TextPart, at: Place): Generator<StreamEvent, void, void> {
  if (text !== '' || logprobs !== undefined) {
    yield { type: 'text-delta', ...at, text, ...(logprobs !== undefined && { logprobs }) };
  }
  for (const citation of citations) yield { type: 'citation', ...at, citation };
}

function* mediaEvents(part: MediaPart, at: Place): Generator<StreamEvent, void, void> {
  const { media, mediaType = '', source, filename } = part;
  yield {
    type: 'part-start',
    ...at,
    opening: {
      type: 'media',
      media,
      mediaType,
      ...(source.kind !== 'base64' && { source }),
      ...(filename !== undefined && { filename }),
    },
  };
  if (source.kind === 'base64') yield { type: 'media-delta', ...at, data: source.data };
}
