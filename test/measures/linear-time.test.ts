/** Work on hostile input grows with its length, not with its square: readers, writers, matchers and scrubbers. */

import { describe, test } from 'bun:test';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { clientAddress, compileNetworks } from '../../src/access/address.ts';
import { compileGlob } from '../../src/access/glob.ts';
import { Markdown } from '../../src/console/pages/playground/markdown/markdown.tsx';
import { languages } from '../../src/console/words/languages.ts';
import { SpeechProvider } from '../../src/console/words/use-words.tsx';
import type { Message } from '../../src/conversation/parts.ts';
import { repair } from '../../src/conversation/repair/repair.ts';
import { InlinedSchemas } from '../../src/conversation/schema/inlined-schemas.ts';
import { FrameReader as SocketReader } from '../../src/framing/websocket/frames.ts';
import { splitLongRuns } from '../../src/ledger/long-runs.ts';
import { readTranscriptText } from '../../src/operations/audio/transcript-cues.ts';
import { createScrubber } from '../../src/secrets/scrubber.ts';
import { meaningOf } from '../../src/upstream/faults/provider-faults.ts';
import { FrameReader as EventReader } from '../../src/upstream/frame-reader.ts';
import { Random } from '../harness/random.ts';
import { Random as ConversationRandom, randomRequest } from '../harness/random-conversation.ts';
import { frame } from '../harness/scripted-peer.ts';
import { judge, judgeLinear, leastCpuMs } from './figures.ts';

test('a list of forwarded addresses', () => {
  const trusted = compileNetworks(['10.0.0.0/8']);
  judgeLinear(
    'X-Forwarded-For',
    (parts) => `1.1.1.1${', 10.0.0.2'.repeat(parts * 12_500)}`,
    (header) => clientAddress('10.0.0.1', header, trusted),
  );
});

test('a glob full of stars', () => {
  const matches = compileGlob(`${'a*'.repeat(1_000)}b`);
  judgeLinear('a glob', (parts) => 'a'.repeat(parts * 12_500), matches);
});

describe('Markdown', async () => {
  const words = await languages.en.load();
  const first = { language: 'en' as const, words };
  const html = (text: string): string =>
    renderToStaticMarkup(createElement(SpeechProvider, { first, children: createElement(Markdown, { text }) }));
  const hostile = [
    ['*', 6_250],
    ['[', 6_250],
    ['`', 6_250],
    ['> ', 625],
    ['**a', 2_500],
    ['![a](', 1_250],
    ['|', 6_250],
  ] as const;
  for (const [unit, count] of hostile)
    test(unit, () => judgeLinear(`Markdown of ${unit}`, (parts) => unit.repeat(parts * count), html));
});

describe('conversations', () => {
  const target = { format: 'a-format', provider: 'a-provider', model: 'a-model' };
  const rules = {
    callId: { pattern: /^[a-zA-Z0-9_-]+$/, charactersMax: 64 },
    alternates: true,
    userFirst: true,
    instructionsFirst: true,
    pairsCalls: true,
    rejectsBlankText: true,
  };
  const request = (turns: number) => {
    const messages: Message[] = [];
    for (let index = 0; index < turns; index += 1) {
      messages.push({
        role: 'assistant',
        parts: [{ type: 'tool-call', id: index % 3 === 0 ? '' : `c.${index}`, name: 'look', arguments: '' }],
      });
      messages.push({ role: 'user', parts: [{ type: 'text', text: 'x' }] });
    }
    for (let index = turns - 1; index >= 0; index -= 1)
      messages.push({ role: 'tool', parts: [{ type: 'tool-result', callId: `c.${index}`, parts: [], failed: false }] });
    return { ...randomRequest(new ConversationRandom(1), target), messages };
  };

  test('of many turns are repaired', () => {
    judgeLinear(
      'repair',
      (parts) => request(parts * 2_500),
      (given) => repair(given, rules, target),
    );
  });

  test('with references that double at every step are bounded', () => {
    const schemaOf = (depth: number) => {
      const entries = Array.from({ length: depth }, (_, index) => {
        const next = { $ref: `#/$defs/d${index + 1}` };
        return [`d${index}`, { type: 'object', properties: { a: next, b: next } }];
      });
      return { $ref: '#/$defs/d0', $defs: Object.fromEntries(entries) };
    };
    const [shallow, deep] = [schemaOf(20), schemaOf(40)];
    const shallowMs = Math.max(
      1,
      leastCpuMs(() => new InlinedSchemas().of(shallow)),
    );
    judge('references twice as deep', leastCpuMs(() => new InlinedSchemas().of(deep)) / shallowMs, 8, 'times the work');
  });
});

test('texts are cut into pieces for the tokenizer', () => {
  for (const unit of ['a', 'word ', ' '])
    judgeLinear(`long runs of "${unit}"`, (parts) => unit.repeat((parts * 400_000) / unit.length), splitLongRuns);
});

describe('subtitles', () => {
  const kinds: Readonly<Record<string, (parts: number) => string>> = {
    tags: (parts) => `WEBVTT\n\n00:00.000 --> 00:01.000\n${'<v '.repeat(parts * 12_500)}`,
    digits: (parts) => '0'.repeat(parts * 125_000),
    spaces: (parts) => `${' '.repeat(parts * 125_000)}x\n00:00.000 --> 00:01.000`,
  };
  for (const [kind, textOf] of Object.entries(kinds))
    test(kind, () => judgeLinear(`subtitles of ${kind}`, textOf, readTranscriptText));
});

describe('the scrubber of secrets', () => {
  const secret = 'sk-live-Q7v/9+zKp2mX4tRw8LbYc1Ee';
  const scrub = createScrubber([secret]);
  const units = ['A', '\\', '%', '*', secret.slice(0, 7), btoa(secret), secret, 'sk-', 'eyJ'];
  for (const unit of units)
    test(unit, () => judgeLinear(`scrubbing ${unit}`, (parts) => unit.repeat((parts * 8_192) / unit.length), scrub));

  test('random letters', () => {
    judgeLinear('scrubbing random letters', (parts) => new Random(1).token(parts * 8_192), scrub);
  });
});

test('the meaning of a provider error', () => {
  for (const unit of ['a', 'error: ', 'invalid request: ', 'model ', 'you have reached your ', ' ', "'"])
    judgeLinear(
      `an error of "${unit}"`,
      (parts) => unit.repeat(parts * 12_500),
      (message) => meaningOf({ status: 400, fault: { message, type: undefined, code: undefined, param: undefined } }),
    );
});

test('one event in pieces of 1 KB', () => {
  const piece = new TextEncoder().encode('x'.repeat(1_024));
  judgeLinear(
    'an event of 16 MB',
    (parts) => Array<Uint8Array>(parts * 2_048).fill(piece),
    (pieces) => {
      const reader = new EventReader(1 << 25);
      reader.push(new TextEncoder().encode('data: '), () => undefined);
      for (const each of pieces) reader.push(each, () => undefined);
      reader.end(() => undefined);
    },
  );
});

describe('WebSocket messages', () => {
  const read = (pieces: readonly Uint8Array[]): void => {
    const ignore = () => undefined;
    const reader = new SocketReader({ message: ignore, ping: ignore, pong: ignore, closeFrame: ignore }, 1e9, 'server');
    for (const piece of pieces) reader.take(piece);
  };

  test('in pieces of 1 KB', () => {
    const piecesOf = (parts: number): Uint8Array[] => {
      const whole = frame(2, Buffer.alloc(parts * 1_048_576, 1));
      return Array.from({ length: Math.ceil(whole.length / 1_024) }, (_, at) =>
        whole.subarray(at * 1_024, (at + 1) * 1_024),
      );
    };
    judgeLinear('a message of 8 MB', piecesOf, read);
  });

  test('in frames of one byte', () => {
    const frames = Buffer.concat(Array(10_000).fill(frame(0, 'x', { final: false })));
    const piecesOf = (parts: number) => [frame(1, 'x', { final: false }), ...Array(parts * 12).fill(frames), frame(0)];
    judgeLinear('a message of a million frames', piecesOf, read);
  });
});
