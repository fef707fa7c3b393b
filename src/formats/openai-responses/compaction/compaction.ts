/**
 * Compaction: a conversation is replaced by a short item. `POST /responses/compact`, and a request that ends with a
 * `compaction_trigger`, are forwarded to providers that support them; for all others the model is asked for a summary.
 * https://developers.openai.com/api/reference/resources/responses/methods/compact (read 2026-11-15)
 */

import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../../conversation/text-reply.ts';
import type { TextRequest } from '../../../conversation/text-request.ts';
import type { ReplyContext, StreamWriter } from '../../codec.ts';
import { replyId } from '../envelope.ts';
import { inputItemsOf } from '../items.ts';
import { readRequest } from '../read/request.ts';
import { writeUsage } from '../usage.ts';
import { formatName } from '../wire.ts';
import { compactedItem, summaryIn } from './compacted-item.ts';
import { withSummaryInstruction } from './summary-instruction.ts';

/** A request of the endpoint; what ends with a trigger is read like every other. */
export function readCompaction(tree: Tree): Converted<TextRequest> {
  const { value, losses } = readRequest(tree);
  return { value: { ...withSummaryInstruction(value), stream: false }, losses };
}

/** The endpoint's own object. Throws a SyntaxError where the model wrote no summary. */
export function writeCompaction(reply: TextReply, context: ReplyContext): Converted<Tree> {
  const losses = new LossList();
  const [candidate] = reply.candidates;
  if (candidate?.finish.reason === 'length') losses.add('compaction', 'is cut off at the limit of the reply');
  const item = compactedItem(summaryIn(candidate?.parts ?? []), (prefix) => context.newId(prefix));
  const usage = writeUsage(reply.usage);
  const value: Tree = {
    id: replyId(reply.id, context),
    object: 'response.compaction',
    created_at: Math.floor(reply.createdAtMs / 1000),
    output: [...userMessages(context), item],
    ...(usage !== undefined && { usage }),
  };
  return { value, losses: losses.all };
}

/** The user's own messages are kept, not summarized. */
function userMessages(context: ReplyContext): Tree[] {
  return inputItemsOf(context.request).flatMap((item) => {
    if (!isObject(item) || item['role'] !== 'user') return [];
    const { content } = item;
    const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
    return [{ id: context.newId('msg_'), status: 'completed', ...item, type: 'message', content: parts }];
  });
}

/** The reply to a trigger: its text becomes the item. */
export function compactedReply(reply: TextReply, context: ReplyContext): TextReply {
  return {
    ...reply,
    candidates: reply.candidates.slice(0, 1).map((candidate) => {
      const value = compactedItem(summaryIn(candidate.parts), (prefix) => context.newId(prefix));
      return { ...candidate, parts: [{ type: 'native', format: formatName, value }] };
    }),
  };
}

/** The same of a stream: the item comes when the summary is whole. */
export class CompactingWriter implements StreamWriter {
  readonly #writer: StreamWriter;
  readonly #context: ReplyContext;
  #summary = '';
  #failed = false;

  constructor(writer: StreamWriter, context: ReplyContext) {
    this.#writer = writer;
    this.#context = context;
  }

  get losses() {
    return this.#writer.losses;
  }

  write(event: StreamEvent): string {
    if (this.#failed) return '';
    switch (event.type) {
      case 'text-delta':
        if (event.candidate === 0) this.#summary += event.text;
        return '';
      case 'candidate-end':
        return event.candidate === 0 ? this.#close() + this.#writer.write(event) : '';
      case 'reply-start':
      case 'usage':
      case 'failure':
      case 'reply-end':
        return this.#writer.write(event);
      default:
        return '';
    }
  }

  #close(): string {
    if (this.#summary.trim() === '') {
      this.#failed = true;
      return this.#writer.write({ type: 'failure', code: 'upstream_failed', message: 'The model wrote no summary.' });
    }
    const value = compactedItem(this.#summary, (prefix) => this.#context.newId(prefix));
    return this.#writer.write({ type: 'native', format: formatName, value, candidate: 0, part: 0 });
  }
}
