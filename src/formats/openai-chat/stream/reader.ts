/** Reads the chat format's stream into neutral events, chunk by chunk. */

import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { StreamEvent } from '../../../conversation/text-reply.ts';
import type { Usage } from '../../../conversation/usage.ts';
import type { ReadContext, StreamReader } from '../../codec.ts';
import { reportUnread } from '../../fields/unread-fields.ts';
import { readSources } from '../citations.ts';
import { faultOf } from '../errors.ts';
import { replyTable } from '../fields.ts';
import { extrasOf, readHead, unknownFields } from '../read/reply.ts';
import { citesPages, readUsage } from '../usage.ts';
import { formatName } from '../wire.ts';
import { OpenCandidate } from './open-candidate.ts';
import { repeatedChunks } from './repeated-chunks.ts';

const nothing: readonly StreamEvent[] = Object.freeze([]);

export function streamReader(context: ReadContext): StreamReader {
  const losses = new LossList();
  const chunks = repeatedChunks();
  const candidates = new Map<number, OpenCandidate>();
  let started = false;
  let ended = false;
  let walked: unknown;
  let sourcesRead = false;
  let usage: Usage | undefined;
  let cites = false;
  let fields: Record<string, unknown> | undefined;

  const start = (chunk: Tree, events: StreamEvent[]): void => {
    started = true;
    keepFields(chunk);
    const extras = defined('extras', extrasOf(formatName, fields));
    events.push({ type: 'reply-start', ...readHead(chunk, context), ...extras });
  };

  /** Some services send a chunk about the request before the reply begins. */
  const keepFields = (chunk: Tree): void => {
    const unknown = unknownFields(chunk);
    if (unknown !== undefined) fields = fields === undefined ? unknown : { ...fields, ...unknown };
  };

  const reportLateFields = (chunk: Tree): void => {
    const unknown = unknownFields(chunk);
    for (const name in unknown) {
      if (fields === undefined || !(name in fields)) losses.addOnce(name, 'came after the beginning');
    }
  };

  const walk = (chunk: Tree): void => {
    walked = chunk;
    reportUnread(chunk, replyTable, losses);
    reportLateFields(chunk);
  };

  const readChoices = (chunk: Tree, choices: readonly unknown[], events: StreamEvent[]): void => {
    for (const choice of choices) {
      if (!isObject(choice)) continue;
      const index = countOf(choice.index) ?? 0;
      let candidate = candidates.get(index);
      if (candidate === undefined) {
        candidate = new OpenCandidate(index, context, losses);
        candidates.set(index, candidate);
      }
      // Search services repeat the same list of sources in every chunk.
      if (!sourcesRead && Array.isArray(chunk.citations)) {
        sourcesRead = true;
        for (const source of readSources(chunk)) candidate.addCitation(source, events);
      }
      if (isObject(choice.delta) && citesPages(choice.delta)) cites = true;
      candidate.read(choice, events);
    }
  };

  /** `[DONE]` ends what a service left without a finish; without either the reply is cut. */
  const finish = (events: StreamEvent[]): StreamEvent[] => {
    ended = true;
    for (const candidate of candidates.values()) if (!candidate.finished) candidate.finish(undefined, events);
    if (usage !== undefined) events.push({ type: 'usage', usage });
    events.push({ type: 'reply-end' });
    return events;
  };

  const fail = (error: unknown, events: StreamEvent[]): StreamEvent[] => {
    ended = true;
    const { message, type, code } = faultOf(error);
    if (started && usage !== undefined) events.push({ type: 'usage', usage });
    events.push({ type: 'failure', code: 'upstream_failed', message, providerType: type, providerCode: code });
    return events;
  };

  return {
    losses: losses.all,
    read(data) {
      if (ended) return nothing;
      const events: StreamEvent[] = [];
      if (data === '[DONE]') {
        if (!started) start({}, events);
        return finish(events);
      }
      const chunk: unknown = chunks.parse(data);
      if (!isObject(chunk)) throw new SyntaxError('A chat chunk is a JSON object.');
      // The last report wins: services that send several send running totals.
      if (isObject(chunk.usage))
        usage = readUsage(chunk.usage, { tier: chunk.service_tier, cites, model: chunk.model }) ?? usage;
      if (chunk.error !== undefined && chunk.error !== null) return fail(chunk.error, events);
      const { choices } = chunk;
      if (!Array.isArray(choices) || choices.length === 0) {
        if (started) walk(chunk);
        else keepFields(chunk);
        return nothing;
      }
      if (!started) start(chunk, events);
      // Chunks that differ in their text alone are one object.
      if (chunk !== walked) walk(chunk);
      readChoices(chunk, choices, events);
      return events;
    },
    end() {
      if (ended || candidates.size === 0) return nothing;
      for (const candidate of candidates.values()) if (!candidate.finished) return nothing;
      return finish([]);
    },
  };
}
