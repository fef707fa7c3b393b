/** Writes a whole neutral reply in Cohere's chat format. */

import type { Tree } from '../../conversation/json-tree.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { Converted, Part, TokenLogprob } from '../../conversation/parts.ts';
import type { TextReply } from '../../conversation/text-reply.ts';
import type { ReplyContext } from '../codec.ts';
import { finishWord, formatName, writeCitation, writeUsage } from './wire.ts';

export function writeReply(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  const [candidate] = reply.candidates;
  if (reply.candidates.length > 1) losses.add('further candidates', 'a reply of the format holds one');
  if (reply.serviceTier !== undefined) losses.add('service tier', 'the format has no field for it');
  losses.addForeign(reply.extras, formatName);
  const parts = candidate?.parts ?? [];
  const usage = writeUsage(reply.usage);
  const tokens = parts.flatMap((part) => (part.type === 'text' ? (part.logprobs ?? []) : []));
  const value = {
    id: reply.id === '' ? context.newId('') : reply.id,
    message: writeMessage(parts, losses),
    finish_reason: finishWord(candidate?.finish ?? { reason: 'other' }, losses),
    ...(usage !== undefined && { usage }),
    ...(tokens.length > 0 && { logprobs: tokens.map((token) => writeLogprob(token, losses)) }),
    ...(reply.extras?.format === formatName ? reply.extras.fields : {}),
  };
  return { value, losses: losses.all };
}

/** The ids of tokens belong to a tokenizer that only the provider has. */
export function writeLogprob({ token, logprob, top }: TokenLogprob, losses: LossList): object {
  if (top !== undefined && top.length > 0) losses.addOnce('top_logprobs', 'the format has no field for them');
  return { text: token, token_ids: [], logprobs: [logprob] };
}

function writeMessage(parts: readonly Part[], losses: LossList): object {
  const content: object[] = [];
  const calls: object[] = [];
  const citations: object[] = [];
  for (const part of parts) {
    switch (part.type) {
      case 'text':
      case 'refusal':
        if (part.type === 'refusal') losses.addOnce('refusal', 'is written as text');
        else if (part.seal !== undefined) losses.addOnce('signature of a text', 'the format has no field for it');
        if (calls.length > 0) losses.addOnce('order of parts', 'the format writes calls after the text');
        for (const citation of (part.type === 'text' && part.citations) || []) {
          citations.push(writeCitation(citation, content.length, part.text));
        }
        content.push({ type: 'text', text: part.text });
        break;
      case 'thinking':
        if (calls.length > 0) losses.addOnce('order of parts', 'the format writes calls after the text');
        if (part.redacted !== true) content.push({ type: 'thinking', thinking: part.text });
        break;
      case 'tool-call':
        calls.push({ id: part.id, type: 'function', function: { name: part.name, arguments: part.arguments } });
        break;
      case 'native':
        if (part.format === formatName) content.push(part.value as object);
        else losses.add(`${part.format} part`, 'is supported by its own format only');
        break;
      default:
        losses.add(part.type === 'media' ? part.media : part.type, 'has no place in a reply');
    }
  }
  return {
    role: 'assistant',
    ...((content.length > 0 || calls.length === 0) && { content }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(citations.length > 0 && { citations }),
  };
}
