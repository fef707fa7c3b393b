/** Random conversations written in this format and read back say the same, within the losses that were reported. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { addUp } from '../../../test/harness/messages-client.ts';
import { withTrimmedEnd } from '../../../test/harness/normalize-for-format.ts';
import { Random } from '../../../test/harness/random.ts';
import { randomEvents, randomReply, randomRequest } from '../../../test/harness/random-conversation.ts';
import { sized } from '../../../test/harness/size.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Loss, Message, Part } from '../../conversation/parts.ts';
import { repair } from '../../conversation/repair/repair.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import type { TextRequest } from '../../conversation/text-request.ts';
import { check } from './checks.ts';
import { codec } from './codec.ts';

const origin = { format: 'anthropic-messages', provider: 'p', model: 'm' };
const target = { origin, profile: {}, quirks: {} };
const newId = (prefix: string): string => `${prefix}made`;
const context = { origin, nowMs: 1_700_000_000_000, newId, request: {} };
const cases = sized(150, 2_000);

/** Arguments are an object on this wire; its spelling is lost, its numbers are not. */
function compact(text: string): string {
  return text.trim() === ''
    ? '{}'
    : text.replace(/"(?:[^"\\]|\\.)*"|\s+/g, (token) => (token.startsWith('"') ? token : ''));
}

/** A part as far as the format supports it; undefined where it is a loss. */
function supported(part: Part): unknown {
  switch (part.type) {
    case 'text':
      return ['text', part.text, part.cacheMark];
    case 'refusal':
      return ['text', part.text, undefined];
    case 'thinking':
      return part.seal === undefined ? undefined : ['thinking', part.text, part.redacted, part.seal.value];
    case 'tool-call':
      return ['call', part.id, part.name, JSON.stringify(JSON.parse(compact(part.arguments))), part.cacheMark];
    case 'tool-result': {
      const inner = part.parts.map(supported).filter((piece) => piece !== undefined);
      return ['result', part.callId, inner, part.failed, part.cacheMark];
    }
    case 'native':
      return ['native', part.value];
    case 'media':
      if (part.media === 'audio' || part.media === 'video') return undefined;
      return [part.media, part.source, part.media === 'document' ? part.filename : undefined, part.cacheMark];
  }
}

function turns(messages: readonly Message[]): unknown[] {
  const instructions = messages
    .filter(({ role }) => role === 'instruction')
    .flatMap(({ parts }) => parts.map(supported));
  const said = messages
    .filter(({ role }) => role !== 'instruction')
    .map(({ role, parts }) => {
      const supportedParts = parts.map(supported).filter((part) => part !== undefined);
      return [role, supportedParts.length === 0 && role === 'user' ? [['text', '…', undefined]] : supportedParts];
    })
    .filter(([, parts]) => (parts as unknown[]).length > 0);
  return [instructions, ...said];
}

function whats(losses: readonly Loss[]): string {
  return losses.map(({ what }) => what).join(' | ');
}

/** A null says as little as absence. */
function telling(fields: Tree | undefined): Tree | undefined {
  return fields === undefined || Object.values(fields).includes(null) ? undefined : fields;
}

function expectReported(request: TextRequest, said: string): void {
  const asked: readonly (readonly [string, boolean])[] = [
    ['seed', request.seed !== undefined],
    ['n', request.candidates > 1],
    ['logprobs', request.logprobs !== undefined],
    ['logit_bias', request.logitBias !== undefined],
    ['verbosity', request.verbosity !== undefined],
    ['prompt_cache_key', request.promptCacheKey !== undefined],
    ['JSON mode', request.output.kind === 'json'],
    ['temperature', (request.temperature ?? 0) > 1],
    ['audio', JSON.stringify(request.messages).includes('"media":"audio"')],
    ['refusal', JSON.stringify(request.messages).includes('"type":"refusal"')],
  ];
  for (const [name, isAsked] of asked) if (isAsked) expect(said).toContain(name);
}

describe('requests', () => {
  test(`${cases} round trips`, () => {
    for (let seed = 1; seed <= cases; seed++) {
      // Blank texts are taken out by `repair` before anything is written.
      const request = randomRequest(new Random(seed), origin, { without: ['blank-text'] });
      const written = codec.writeRequest(request, target);
      const wire = JSON.parse(JSON.stringify(written.value)) as Tree;
      const read = codec.readRequest(wire);
      expect([seed, read.losses]).toEqual([seed, []]);
      const [said, meant] = [read.value.messages, request.messages].map(withTrimmedEnd).map(turns);
      expect([seed, said]).toEqual([seed, meant]);
      expect([seed, read.value.extras?.fields]).toEqual([seed, telling(request.extras?.fields)]);
      expect([seed, read.value.user]).toEqual([seed, request.user]);
      expectReported(request, whats(written.losses));
    }
  });

  test('whatever is repaired for the format passes its checks', () => {
    for (let seed = 1; seed <= cases; seed++) {
      const request = randomRequest(new Random(seed), { ...origin, format: 'openai-chat' });
      const repaired = repair(request, codec.rules, origin).value;
      const wire = codec.writeRequest(repaired, target).value;
      expect(() => check(JSON.parse(JSON.stringify(wire)), 1_000)).not.toThrow();
      expect(JSON.stringify(wire)).not.toContain('x_odd');
    }
  });
});

function replyParts({ candidates }: TextReply): unknown[] {
  return (candidates[0]?.parts ?? [])
    .map((part) => {
      if (part.type === 'thinking') return ['thinking', part.text, part.redacted];
      if (part.type === 'text') return ['text', part.text, part.citations?.map(({ url }) => url)];
      if (part.type === 'refusal') return ['text', part.text, undefined];
      return part.type === 'media' ? undefined : supported(part);
    })
    .filter((part) => part !== undefined);
}

describe('replies', () => {
  const reads = (text: string): StreamEvent[] => {
    const reader = codec.streamReader(context);
    const events = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []))
      .flatMap((data) => [...reader.read(data, undefined)]);
    return [...events, ...reader.end()];
  };

  test(`${cases} round trips, whole and as streams whose parts run side by side`, () => {
    for (let seed = 1; seed <= cases; seed++) {
      const reply = randomReply(new Random(seed), origin);
      const whole = codec.writeReply(reply, context);
      const read = codec.readReply(JSON.parse(JSON.stringify(whole.value)), context);
      expect([seed, replyParts(read.value)]).toEqual([seed, replyParts(reply)]);
      const writer = codec.streamWriter(context);
      let text = '';
      for (const event of randomEvents(reply, new Random(seed))) text += writer.write(event);
      const events = reads(text);
      expect([seed, checkEvents(events)]).toEqual([seed, []]);
      const streamed = fold(events);
      expect([seed, replyParts(streamed)]).toEqual([seed, replyParts(reply)]);
      expect([seed, streamed.usage]).toEqual([seed, read.value.usage]);
      expect([seed, streamed.candidates[0]?.finish]).toEqual([seed, read.value.candidates[0]?.finish]);
      expect(addUp(text).content).toHaveLength((whole.value.content as unknown[]).length);
      if (reply.usage.input.total !== undefined) {
        expect([seed, streamed.usage.input.total]).toEqual([seed, reply.usage.input.total]);
        expect([seed, streamed.usage.output.total]).toEqual([seed, reply.usage.output.total]);
      }
    }
  });
});
