/** What a provider's failure means for each operation: whether there is a fallback, and what error the caller gets. */

import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { familySpeech, recording, family as transcripts } from './audio-wires.ts';
import { type Bench, errorOf, type Row, startBench } from './bench.ts';
import { chatFamily, voyage } from './embedding-wires.ts';
import { type Failure, failing, refusals } from './failing-wires.ts';
import { family as images } from './image-wires.ts';
import { family as moderations } from './moderation-wires.ts';
import { jina } from './rerank-wires.ts';
import type { Answer } from './scripted.ts';

setDefaultTimeout(300_000);

interface Operation {
  readonly model: string;
  readonly backup: string;
  readonly answer: Answer;
  /** A retry might be paid for twice. */
  readonly expensive: boolean;
  send(model: string): Promise<Response>;
}

const operations: Readonly<Record<string, Operation>> = {
  embed: {
    model: 'text-embedding-3-small',
    backup: 'openai',
    answer: chatFamily('honors'),
    expensive: false,
    send: (model) => bench.post('/v1/embeddings', { model, input: ['text 1', 'text 2'] }),
  },
  rerank: {
    model: 'jina-reranker-v3',
    backup: 'jina',
    answer: jina,
    expensive: false,
    send: (model) => bench.post('/v1/rerank', { model, query: 'q', documents: ['a 0.1', 'b 0.2'] }),
  },
  moderate: {
    model: 'omni-moderation-latest',
    backup: 'openai',
    answer: moderations,
    expensive: false,
    send: (model) => bench.post('/v1/moderations', { model, input: 'good' }),
  },
  draw: {
    model: 'gpt-image-1',
    backup: 'openai',
    answer: images,
    expensive: true,
    send: (model) => bench.post('/v1/images/generations', { model, prompt: 'a weir' }),
  },
  speak: {
    model: 'gpt-4o-mini-tts',
    backup: 'openai',
    answer: familySpeech(true),
    expensive: true,
    send: (model) => bench.post('/v1/audio/speech', { model, input: 'Hello', voice: 'alloy' }),
  },
  hear: {
    model: 'whisper-1',
    backup: 'openai',
    answer: transcripts,
    expensive: true,
    send: (model) => {
      const form = new FormData();
      form.append('model', model);
      form.append('file', new File([recording], 'talk.wav', { type: 'audio/wav' }));
      return bench.form('/v1/audio/transcriptions', form);
    },
  },
};

const names = Object.keys(operations);
const failures = Object.keys(failing) as Failure[];
const pairs = names.flatMap((name) => failures.map((failure) => [name, failure] as const));

let bench: Bench;
beforeAll(async () => {
  const rows: Record<string, Row> = {};
  const models: Record<string, object> = {};
  for (const [name, { model, backup, answer }] of Object.entries(operations)) {
    rows[`${name}-well`] = { kind: backup, base: '/v1', models: [model], answer };
    for (const failure of failures) {
      const failed = `${name}-${failure}`;
      rows[failed] = { kind: 'openai-chat', base: '/v1', models: [model], answer: failing[failure] };
      const targets = [failed, `${name}-well`].map((provider, tier) => ({ provider, model, tier }));
      models[`two-${failed}`] = { targets };
      models[`one-${failed}`] = { targets: targets.slice(0, 1) };
    }
  }
  for (const wording of Object.keys(refusals)) {
    const name = wording.replaceAll(' ', '-');
    rows[name] = {
      kind: 'openai-chat',
      base: '/v1',
      models: [name],
      answer: () => Response.json(refusals[wording], { status: 422 }),
    };
  }
  rows['cut'] = { kind: 'openai', base: '/v1', models: ['cut-tts'], answer: cutAudio };
  rows['far'] = { kind: 'voyage', base: '/v1', models: ['voyage-3.5'], answer: voyage };
  models['vectors'] = {
    targets: [
      { provider: 'embed-500', model: 'text-embedding-3-small', tier: 0 },
      { provider: 'far', model: 'voyage-3.5', tier: 1 },
    ],
  };
  bench = await startBench(rows, {
    models,
    prices: { '*': { input: 1, output: 1, image: 1, minute: 1, characters: 1 } },
  });
});
afterAll(() => bench.remove());
beforeEach(() => {
  for (const name of names) bench.up(`${name}-well`).forget();
});

/** Half of the audio, then nothing more, as when a provider dies. */
const cutAudio: Answer = () => {
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new TextEncoder().encode('half of the audio'));
      await Bun.sleep(50);
      controller.error(new Error('the provider died'));
    },
  });
  return new Response(body, { headers: { 'content-type': 'audio/mpeg' } });
};

function operationOf(name: string): Operation {
  const found = operations[name];
  if (found === undefined) throw new Error(`no operation ${name}`);
  return found;
}

/** A provider that may have billed has no fallback where a retry would be paid for too. */
const asksAnother = (name: string, failure: Failure): boolean => {
  if (failure === '401' || failure === '429') return true;
  return failure !== '400' && !operationOf(name).expensive;
};

describe('with another provider at hand', () => {
  test.each(pairs)('%s: %s', async (name, failure) => {
    const reply = await operationOf(name).send(`two-${name}-${failure}`);
    const text = await reply.text();
    const well = bench.up(`${name}-well`);
    if (asksAnother(name, failure)) {
      expect([reply.status, text.slice(0, 300)]).toEqual([200, text.slice(0, 300)]);
      expect(reply.headers.get('x-weir-provider')).toBe(`${name}-well`);
      expect(reply.headers.get('x-weir-attempts')).toBe('2');
      expect(well.seen.length).toBe(1);
    } else {
      expect([failure, reply.status]).toEqual([failure, failure === '400' ? 400 : 502]);
      expect(well.seen.length).toBe(0);
      // A provider's own error is free; whatever else ended it, the provider may bill what was ordered.
      if (/^\d+$/.test(failure)) bench.expectRow(reply, { costNano: 0n });
      else bench.expectRow(reply, { estimated: true });
      // Two of the official libraries would retry, and pay again.
      if (failure !== '400') expect(reply.headers.get('x-should-retry')).toBe('false');
    }
    expect(bench.up(`${name}-${failure}`).seen.length).toBe(1);
    bench.up(`${name}-${failure}`).forget();
  });

  test('another wire serves as well, and fields that it does not support are listed', async () => {
    const body = { model: 'vectors', input: ['text 4', 'text 5'], user: 'somebody', encoding_format: 'base64' };
    const reply = await bench.post('/v1/embeddings', body);
    const { data } = (await reply.json()) as { data: { embedding: string }[] };
    expect(data.map(({ embedding }) => Buffer.from(embedding, 'base64').readFloatLE(0))).toEqual([4, 5]);
    expect(reply.headers.get('x-weir-provider')).toBe('far');
    expect(reply.headers.get('x-weir-losses')).toBe('user');
  });
});

describe('alone', () => {
  test.each(names)('%s: a provider that asks to wait', async (name) => {
    const reply = await operationOf(name).send(`one-${name}-429`);
    const { code, message } = await errorOf(reply, 429);
    expect(code).toBe('upstream_rate_limited');
    expect(message).toContain('too many');
    expect(reply.headers.get('retry-after')).toBe('1');
  });

  test.each(names)('%s: a provider that does not accept the key', async (name) => {
    const reply = await operationOf(name).send(`one-${name}-401`);
    const { code, message } = await errorOf(reply, 503);
    expect(code).toBe('provider_unavailable');
    expect(message).not.toContain('provider-key-0123456789');
  });

  test.each(names)('%s: a provider that finds fault with the request', async (name) => {
    const { code, message, param } = await errorOf(await operationOf(name).send(`one-${name}-400`), 400);
    expect([code, message, param]).toEqual(['upstream_refused', 'that voice of yours', 'voice']);
  });

  test('audio that breaks off breaks off for the caller', async () => {
    const reply = await bench.post('/v1/audio/speech', { model: 'cut-tts', input: 'Hello', voice: 'alloy' });
    expect(reply.status).toBe(200);
    const ended = await reply.arrayBuffer().then(
      (bytes) => `whole: ${bytes.byteLength}`,
      () => 'broken off',
    );
    expect(ended).toBe('broken off');
    bench.expectRow(reply, { status: 502 });
  });
});

describe('a refusal’s words', () => {
  test.each(Object.keys(refusals))('%s', async (wording) => {
    const name = wording.replaceAll(' ', '-');
    const reply = await bench.post('/v1/embeddings', { model: name, input: 'text' });
    // A provider's own code takes the place of ours where it has one.
    expect((await errorOf(reply, 422)).message).toBe('the size is wrong');
  });
});

test('each call has its row of usage, with its cost', () => bench.expectRows());
