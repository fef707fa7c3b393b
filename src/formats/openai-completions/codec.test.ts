/** Legacy completions: requests as conversations, replies back as completions, and every recording. */

import { describe, expect, test } from 'bun:test';
import { checkEvents } from '../../../test/harness/check-events.ts';
import { fold } from '../../../test/harness/fold-events.ts';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { expectValid } from '../../../test/harness/schema.ts';
import { unfold } from '../../../test/harness/unfold.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import type { Message, Part } from '../../conversation/parts.ts';
import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import { codec } from './codec.ts';
import { openaiCompletions } from './format.ts';

const origin = { format: 'openai-completions', provider: 'p', model: 'up' };
const read = (body: Tree) => codec.readRequest({ model: 'm', ...body });
const whats = (losses: readonly { readonly what: string }[]) => losses.map(({ what }) => what);

function write(body: Tree) {
  const { value, losses } = codec.writeRequest(read(body).value, { origin, profile: {}, quirks: {} });
  return { value, lost: whats(losses) };
}

function context(request: Tree = {}) {
  let made = 0;
  return { request, origin, nowMs: 5_000, newId: (prefix: string) => `${prefix}made${++made}` };
}

describe('requests', () => {
  test('one text, alone or in a list, is the turn of a user', () => {
    for (const prompt of ['a b', ['a b']]) {
      const { value, losses } = read({ prompt });
      expect(value.messages).toEqual([{ role: 'user', parts: [{ type: 'text', text: 'a b' }] }]);
      expect([value.unsupported, losses]).toEqual([undefined, []]);
    }
  });

  test('several prompts and tokens are marked, and kept whole for this format', () => {
    for (const prompt of [
      ['a', 'b'],
      [1, 2],
      [[1], [2]],
    ]) {
      expect(read({ prompt }).value.unsupported).toBe('prompt');
      expect(write({ prompt }).value.prompt).toEqual(prompt);
    }
  });

  test('everything that can be said comes back', () => {
    const body = {
      prompt: 'p',
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 0,
      n: 2,
      stop: ['x'],
      temperature: 0,
      top_p: 1,
      seed: 1,
      presence_penalty: 1,
      frequency_penalty: 1,
      logit_bias: { '1': 1 },
      logprobs: 0,
      user: 'u',
      suffix: 's',
      best_of: 3,
    };
    expect(read(body).losses).toEqual([]);
    expect(write(body)).toEqual({ value: { model: 'up', ...body }, lost: [] });
  });

  test('a conversation is joined, and all that is lost is reported', () => {
    const messages: Message[] = [
      { role: 'instruction', parts: [{ type: 'text', text: 's' }] },
      { role: 'user', parts: [{ type: 'media', media: 'image', source: { kind: 'url', url: 'u' } }] },
    ];
    const request = { ...read({ prompt: '' }).value, messages, tools: [{ name: 'f' }], topK: 1, store: true };
    const { value, losses } = codec.writeRequest(request, { origin, profile: {}, quirks: {} });
    expect(value.prompt).toBe('s\n\n');
    expect(whats(losses)).toEqual(['messages', 'messages[1] image', 'top_k', 'tools', 'store']);
  });

  test('odd input never throws', () => {
    for (const value of [null, 0, '', [], {}, [null], [{}], [['a']], true, -1, 1e308]) {
      for (const field of ['prompt', 'n', 'stop', 'logprobs', 'max_tokens', 'echo']) {
        expect(read({ [field]: value }).value.candidates).toBeGreaterThan(0);
      }
    }
  });
});

describe('checks', () => {
  const check = (body: Tree) => openaiCompletions.check({ model: 'm', prompt: 'p', ...body }, 100);

  test('facts', () => {
    expect(check({ max_tokens: 7, stream: true })).toEqual({
      model: 'm',
      stream: true,
      candidates: 1,
      outputTokensMax: 7,
      inputTokensMax: 100,
    });
    expect(check({ prompt: ['a', 'b'], n: 3 }).candidates).toBe(6);
    expect(check({ prompt: [1, 2], best_of: 5 }).candidates).toBe(5);
    expect(check({ prompt: [[1], [2]] }).candidates).toBe(2);
  });

  const wrong: readonly [Tree, string][] = [
    [{ model: '' }, 'model'],
    [{ prompt: undefined }, 'prompt'],
    [{ prompt: [] }, 'prompt'],
    [{ prompt: ['a', 1] }, 'prompt'],
    [{ prompt: [[]] }, 'prompt'],
    [{ prompt: {} }, 'prompt'],
    [{ stream: 'yes' }, 'stream'],
    [{ n: 0 }, 'n'],
    [{ n: 1.5 }, 'n'],
    [{ best_of: 21 }, 'best_of'],
    [{ max_tokens: -1 }, 'max_tokens'],
    [{ temperature: -1 }, 'temperature'],
  ];
  for (const [body, param] of wrong) {
    test(`${JSON.stringify(body)} names ${param}`, () => {
      const error = (() => {
        try {
          return check(body);
        } catch (thrown) {
          return thrown;
        }
      })();
      expect(error instanceof GatewayError && error.status === 400 && error.param).toBe(param);
    });
  }
});

const usage = { input: { total: 3 }, output: { total: 2 } };
const reply = (parts: readonly Part[]): TextReply => ({
  id: 'x',
  model: 'm',
  createdAtMs: 1_000,
  candidates: [{ parts, finish: { reason: 'stop' } }],
  usage,
});
const logprobs = [
  { token: 'a', logprob: -1, top: [{ token: 'b', logprob: -2 }] },
  { token: 'bc', logprob: -1 },
];

function writtenWhole(parts: readonly Part[], request: Tree = {}) {
  const { value, losses } = codec.writeReply(reply(parts), context(request));
  const plain = JSON.parse(JSON.stringify(value));
  expectValid('CreateCompletionResponse', plain);
  return { value: plain, lost: whats(losses) };
}

function writtenStream(events: Iterable<StreamEvent>, request: Tree = {}) {
  const writer = codec.streamWriter(context(request));
  let text = '';
  for (const event of events) text += writer.write(event);
  const frames = text
    .split('\n\n')
    .slice(0, -1)
    .map((frame) => frame.slice('data: '.length));
  for (const frame of frames) if (frame !== '[DONE]') expectValid('CreateCompletionResponse', JSON.parse(frame));
  return { frames, lost: whats(writer.losses) };
}

function readStream(lines: readonly string[]) {
  const reader = codec.streamReader(context());
  const events = lines.flatMap((line) => [...reader.read(line, undefined)]);
  events.push(...reader.end());
  return events;
}

describe('replies', () => {
  test('whole', () => {
    expect(writtenWhole([{ type: 'text', text: 'abc', logprobs }])).toEqual({
      value: {
        id: 'cmpl-x',
        object: 'text_completion',
        created: 1,
        model: 'm',
        choices: [
          {
            text: 'abc',
            index: 0,
            logprobs: {
              tokens: ['a', 'bc'],
              token_logprobs: [-1, -1],
              top_logprobs: [{ b: -2 }, {}],
              text_offset: [0, 1],
            },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
      },
      lost: [],
    });
  });

  test('written and read again, whole and as a stream', () => {
    const parts: Part[] = [{ type: 'text', text: 'abc', logprobs }];
    const whole = codec.readReply(writtenWhole(parts).value, context()).value;
    expect(whole.candidates[0]?.parts).toEqual(parts);
    const asked = { stream_options: { include_usage: true } };
    const { frames } = writtenStream(unfold(reply(parts)), asked);
    const events = readStream(frames);
    expect(checkEvents(events)).toEqual([]);
    expect(fold(events)).toEqual({ ...whole, candidates: [{ parts, finish: { reason: 'stop', raw: 'stop' } }] });
  });

  test('the prompt is repeated where that was asked for', () => {
    const request = { prompt: ['once '], echo: true };
    const parts: Part[] = [{ type: 'text', text: 'upon' }];
    expect(writtenWhole(parts, request).value.choices[0].text).toBe('once upon');
    const { frames } = writtenStream(unfold(reply(parts)), request);
    const texts = frames.slice(0, -1).map((frame) => JSON.parse(frame).choices[0].text);
    expect(texts).toEqual(['once upon', '']);
    const silent = writtenStream(unfold(reply([])), request).frames.slice(0, -1);
    expect(silent.map((frame) => JSON.parse(frame).choices[0].text)).toEqual(['once ']);
  });

  test('what is not text is reported', () => {
    const parts: Part[] = [
      { type: 'thinking', text: 'hm' },
      { type: 'refusal', text: 'no' },
      { type: 'tool-call', id: 'a', name: 'f', arguments: '{}' },
    ];
    const lost = ['thinking', 'refusal', 'tool-call'];
    const whole = writtenWhole(parts);
    expect([whole.value.choices[0].text, whole.lost]).toEqual(['no', lost]);
    expect(writtenStream(unfold(reply(parts))).lost).toEqual(lost);
  });

  test('an error ends the stream without its marker', () => {
    const failure: StreamEvent = { type: 'failure', code: 'upstream_failed', message: 'm', providerCode: 'c' };
    const writer = codec.streamWriter(context());
    expect(writer.write(failure)).toBe(
      'data: {"error":{"message":"m","type":"upstream_error","param":"","code":"c"}}\n\n',
    );
    expect(readStream([JSON.stringify({ error: { message: 'no' } }), '[DONE]']).map(({ type }) => type)).toEqual([
      'failure',
    ]);
    expect(readStream(['{"choices":[{"text":"a","index":0}]}']).at(-1)?.type).toBe('text-delta');
  });
});

const files = recordedFiles('openai-completions');

describe('recordings', () => {
  for (const { name, text } of files.filter((file) => file.name.endsWith('.json'))) {
    test(name, () => {
      const tree = JSON.parse(text());
      const { value } = codec.readReply(tree, context());
      expect(value.candidates).toEqual([
        { parts: [{ type: 'text', text: tree.choices[0].text }], finish: { reason: 'length', raw: 'length' } },
      ]);
      expect([value.usage.input.total, value.usage.output.total]).toEqual([
        tree.usage.prompt_tokens,
        tree.usage.completion_tokens,
      ]);
      expect(openaiCompletions.measureReply(tree).usage).toEqual(value.usage);
    });
  }

  for (const { name, text } of files.filter((file) => file.name.endsWith('.chunks.txt'))) {
    test(name, () => {
      const lines = text().split('\n').filter(Boolean);
      const texts = lines.flatMap((line) => JSON.parse(line).choices.map((choice: { text: string }) => choice.text));
      const events = readStream(lines);
      expect(checkEvents(events)).toEqual([]);
      const whole = fold(events);
      expect(whole.candidates[0]?.parts).toEqual([{ type: 'text', text: texts.join('') }]);
      expect(whole.candidates[0]?.finish.raw).toBe('length');
      const tap = openaiCompletions.tap({ hidesUsage: false, usageInside: undefined });
      for (const line of lines) expect(tap.read(line, undefined)).toBe('pass');
      expect([tap.finished, tap.written.sample, tap.usage]).toEqual([true, texts.join(''), whole.usage]);
    });
  }
});
