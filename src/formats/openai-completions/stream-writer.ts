/** Writes neutral stream events as a stream of legacy completions. */

import { errorOf } from '../../conversation/failure.ts';
import { LossList } from '../../conversation/loss-list.ts';
import type { TokenLogprob } from '../../conversation/parts.ts';
import { PartOrder } from '../../conversation/repair/part-order.ts';
import type { PartOpening, StreamEvent } from '../../conversation/text-reply.ts';
import { laterUsage, type Usage, unknownUsage } from '../../conversation/usage.ts';
import type { ReplyContext, StreamWriter } from '../codec.ts';
import { errorEvent } from '../openai-chat/errors.ts';
import { asksForUsage, prefixedId, writeUsage } from '../openai-chat/wire.ts';
import { echoedPrompt, finishWord, formatName, replyIdPrefix, writeLogprobs } from './wire.ts';

export function streamWriter(context: ReplyContext): StreamWriter {
  const losses = new LossList();
  const asksUsage = asksForUsage(context.request);
  const tail = asksUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  const echoed = echoedPrompt(context.request);
  /** How long each choice's text is by now; a choice begins with the repeated prompt. */
  const lengths = new Map<number, number>();
  let head = 'data: {';
  let usage: Usage = unknownUsage;

  const startReply = (start: StreamEvent & { readonly type: 'reply-start' }): string => {
    if (start.serviceTier !== undefined) losses.add('service tier', 'the format has no field for it');
    losses.addForeign(start.extras, formatName);
    const shared = {
      id: prefixedId(start.id, replyIdPrefix, (prefix) => context.newId(prefix)),
      object: 'text_completion',
      created: Math.floor(start.createdAtMs / 1000),
      model: start.model,
      ...(start.extras?.format === formatName ? start.extras.fields : {}),
    };
    head = `data: ${JSON.stringify(shared).slice(0, -1)},"choices":[`;
    return '';
  };

  const chunk = (index: number, text: string, tokens?: readonly TokenLogprob[], word = 'null'): string => {
    const known = lengths.get(index);
    const begun = known ?? echoed.length;
    const said = known === undefined ? echoed + text : text;
    lengths.set(index, begun + text.length);
    const logprobs = tokens === undefined ? 'null' : JSON.stringify(writeLogprobs(tokens, begun));
    const choice = `{"text":${JSON.stringify(said)},"index":${index},"logprobs":${logprobs},"finish_reason":${word}`;
    return `${head}${choice}${tail}`;
  };

  const report = (opening: PartOpening): string => {
    if (opening.type === 'refusal') losses.addOnce('refusal', 'is written as text');
    else if (opening.type !== 'text') {
      losses.addOnce(opening.type === 'media' ? opening.media : opening.type, 'the format supports text only');
    }
    return '';
  };

  const end = (): string => {
    const said = asksUsage ? writeUsage(usage) : undefined;
    const usageChunk = said === undefined ? '' : `${head}],"usage":${JSON.stringify(said)}}\n\n`;
    return `${usageChunk}data: [DONE]\n\n`;
  };

  const write = (event: StreamEvent): string => {
    switch (event.type) {
      case 'reply-start':
        return startReply(event);
      case 'part-start':
        return report(event.opening);
      case 'text-delta':
        return chunk(event.candidate, event.text, event.logprobs);
      case 'candidate-end':
        if (event.finish.reason === 'tool-calls') losses.addOnce('finish reason tool-calls', 'is written as `stop`');
        return chunk(event.candidate, '', undefined, `"${finishWord(event.finish, losses)}"`);
      case 'usage':
        usage = laterUsage(usage, event.usage);
        return '';
      case 'reply-end':
        return end();
      case 'failure':
        return errorEvent(errorOf(event));
      case 'citation':
        losses.addOnce('citations', 'have no field');
        return '';
      case 'seal':
        losses.addOnce('signature', 'the format has no field for it');
        return '';
      case 'native':
        if (event.format === formatName && event.candidate === undefined) {
          return `data: ${JSON.stringify(event.value)}\n\n`;
        }
        if (event.part === undefined) losses.addBeside(event, formatName);
        else losses.addOnce(`${event.format} part`, 'the format supports text only');
        return '';
      // Parts of these kinds have been reported when they opened.
      case 'thinking-delta':
      case 'tool-input-delta':
      case 'media-delta':
      case 'part-end':
        return '';
    }
  };

  const order = new PartOrder(laneOf);
  return {
    losses: losses.all,
    write: (event) => order.arrange(event)?.map(write).join('') ?? write(event),
  };
}

/** A choice is one text, in which two parts at once would be mixed up. */
function laneOf(opening: PartOpening | undefined): string | undefined {
  return opening?.type === 'text' || opening?.type === 'refusal' ? 'text' : undefined;
}
