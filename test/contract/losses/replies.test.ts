/** No field of a reply is lost without a name, whole or streamed: an unknown one in any object, or what only its own format has. */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../src/formats/format.ts';
import { type Carried, laneOf, lossNames, translatedPairs, type WireName } from './lanes.ts';
import { replies } from './replies.ts';
import { objectsIn, said, withField } from './requests.ts';

const asking: Readonly<Record<WireName, Tree>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'a' }], logprobs: true },
  'openai-responses': { model: 'm', input: 'a' },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'a' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
};

/** Objects of one format that are named as a whole, and the first arguments of a call, which its pieces replace. */
const wholes = /\.(?:groundingMetadata|safetyRatings)\b/;
const replaced = /^\[10\]\.content_block\.input$/;

const decoder = new TextDecoder();

function whole(client: WireName, provider: WireName, reply: Tree): Carried {
  const bytes = new TextEncoder().encode(JSON.stringify(reply));
  const delivery = laneOf(client, provider, asking[client]).whole(bytes);
  return { text: decoder.decode(delivery.bytes), losses: lossNames(delivery.losses) };
}

function streamed(client: WireName, provider: WireName, events: readonly Tree[]): Carried {
  const passage = laneOf(client, provider, asking[client], true).stream();
  let text = '';
  const add = (bytes: ReturnType<typeof passage.take>): void => {
    if (bytes === 'fault') throw new Error(JSON.stringify(passage.fault));
    if (bytes !== undefined) text += decoder.decode(bytes);
  };
  const frame = (data: string, event?: string) => ({ data, event, raw: new Uint8Array(0) });
  for (const event of events) add(passage.take(frame(JSON.stringify(event), String(event['type']))));
  if (provider === 'openai-chat') add(passage.take(frame('[DONE]')));
  add(passage.finish());
  return { text, losses: lossNames(passage.losses) };
}

function isSilent({ text, losses }: Carried, place: string): boolean {
  if (text.includes('zz-value') || losses.some((name) => name.includes('zz_next_year'))) return false;
  const [, named] = wholes.exec(`${place}.`)?.[0].split('.') ?? [];
  return named === undefined ? !replaced.test(place) : !losses.some((name) => name.endsWith(named));
}

describe.each(translatedPairs)('to a client of %s from a provider of %s', (client, provider) => {
  const { whole: reply, events } = replies[provider];

  test('an unknown field in any object of a whole reply arrives, or is named', () => {
    const silent: string[] = [];
    for (const path of objectsIn(reply)) {
      if (isSilent(whole(client, provider, withField(reply, path, 'zz_next_year', 'zz-value')), said(path)))
        silent.push(said(path));
    }
    expect(silent).toEqual([]);
  });

  test('an unknown field in any object of a stream arrives, or is named', () => {
    const silent: string[] = [];
    for (const path of objectsIn(events)) {
      if (path.length === 0) continue;
      const changed = withField(events as unknown as Tree, path, 'zz_next_year', 'zz-value');
      if (isSilent(streamed(client, provider, changed as unknown as readonly Tree[]), said(path)))
        silent.push(said(path));
    }
    expect(silent).toEqual([]);
  });

  test('what is named of a whole reply is named of the stream as well', () => {
    const names = (losses: readonly string[]): string[] =>
      losses.map((name) => name.replace(/^candidates\[0\]\./, '')).filter((name) => !onlyWhole.test(name));
    expect(names(streamed(client, provider, events).losses)).toEqual(
      expect.arrayContaining(names(whole(client, provider, reply).losses)),
    );
  });
});

/** The events have no logprobs, are in the order in which a client gets them, and cite a text that has ended. */
const onlyWhole = /logprobs$|^order of parts$|^citation /;
