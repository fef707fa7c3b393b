/** What counts as one image: only what is one, by the type that is said and by the bytes, wherever a format has images. */

import { describe, expect, test } from 'bun:test';
import type { GatewayError } from '../../conversation/gateway-error.ts';
import { check as checkMessages } from '../anthropic-messages/checks.ts';
import type { RequestFacts } from '../format.ts';
import { check as checkContent } from '../gemini-generate/checks.ts';
import { check as checkChat } from '../openai-chat/checks.ts';
import { check as checkResponse } from '../openai-responses/checks.ts';
import { imageTokensAssumed } from './images-in.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const base64 = (text: string): string => Buffer.from(text, 'latin1').toString('base64');
const padding = '\0'.repeat(40);

/** The first bytes of what is no image. */
const others = {
  'video/mp4': base64(`\0\0\0\x18ftypmp42${padding}`),
  'audio/mp3': base64(`ID3\x04${padding}`),
  'audio/mpeg': base64(`\xff\xfb\x90\x64${padding}`),
  'audio/wav': base64(`RIFF\x24\x08\0\0WAVEfmt ${padding}`),
  'video/x-msvideo': base64(`RIFF\x24\x08\0\0AVI LIST${padding}`),
  'video/webm': base64(`\x1a\x45\xdf\xa3${padding}`),
  'audio/ogg': base64(`OggS${padding}`),
  'audio/flac': base64(`fLaC${padding}`),
  'application/pdf': base64(`%PDF-1.7${padding}`),
  'application/zip': base64(`PK\x03\x04${padding}`),
} as const;
const images = {
  png: pixel,
  jpeg: base64(`\xff\xd8\xff\xe0\0\x10JFIF${padding}`),
  gif: base64(`GIF89a${padding}`),
  webp: base64(`RIFF\x24\x08\0\0WEBPVP8 ${padding}`),
  avif: base64(`\0\0\0\x20ftypavif${padding}`),
  heic: base64(`\0\0\0\x18ftypheic${padding}`),
  unknown: base64(`next year's${padding}`),
} as const;

type Check = (mediaType: string, data: string) => RequestFacts;
const model = 'm';
const url = (mediaType: string, data: string): string => `data:${mediaType};base64,${data}`;
const source = (mediaType: string, data: string) => ({ type: 'base64', media_type: mediaType, data });
const user = (content: unknown) => [{ role: 'user', content }];
const messages = (content: unknown) => checkMessages({ model, max_tokens: 9, messages: user(content) }, 1_000);

const places: Readonly<Record<string, Check>> = {
  'chat, as an object': (type, data) =>
    checkChat({ model, messages: user([{ type: 'image_url', image_url: { url: url(type, data) } }]) }, 1_000),
  'chat, as a text': (type, data) =>
    checkChat({ model, messages: user([{ type: 'input_image', image_url: url(type, data) }]) }, 1_000),
  responses: (type, data) =>
    checkResponse({ model, input: user([{ type: 'input_image', image_url: url(type, data) }]) }, 1_000),
  'responses, of a tool': (type, data) => {
    const output = [{ type: 'input_image', image_url: url(type, data) }];
    return checkResponse({ model, input: [{ type: 'function_call_output', call_id: 'c', output }] }, 1_000);
  },
  messages: (type, data) => messages([{ type: 'image', source: source(type, data) }]),
  'messages, of a tool': (type, data) => {
    const image = { type: 'image', source: source(type, data) };
    return messages([{ type: 'tool_result', tool_use_id: 'c', content: [image] }]);
  },
  'messages, in a document': (type, data) => {
    const image = { type: 'image', source: source(type, data) };
    return messages([{ type: 'document', source: { type: 'content', content: [image] } }]);
  },
};

const refused = (work: () => unknown): string => {
  try {
    work();
    return 'nothing';
  } catch (error) {
    return (error as GatewayError).code;
  }
};

describe.each(Object.entries(places))('%s', (_, check) => {
  test.each(Object.entries(others))('%s is no image, by its type or by its bytes', (mediaType, data) => {
    for (const said of [mediaType, mediaType.toUpperCase(), 'image/png', 'image/*']) {
      expect([said, refused(() => check(said, data))]).toEqual([said, 'field_invalid']);
    }
  });

  test.each(Object.entries(images))('%s is one image', (_name, data) => {
    const { images: count, inputTokensMax } = check('image/png', data);
    expect(count).toBe(1);
    expect(inputTokensMax).toBeGreaterThanOrEqual(imageTokensAssumed);
  });
});

test('a Gemini part is what its type says, and an image only if its bytes are none of another kind', () => {
  const facts = (mimeType: string, data: string) =>
    checkContent({ contents: [{ parts: [{ inlineData: { mimeType, data } }] }] }, 1_000, { model, stream: false });
  for (const [mediaType, data] of Object.entries(others)) {
    expect(facts(mediaType, data).inputUnbounded).toBe('contents[0].parts');
    expect(refused(() => facts('image/png', data))).toBe('field_invalid');
  }
  expect(facts('image/png', pixel).images).toBe(1);
});

test('images of several fields add up', () => {
  const image = { type: 'image_url', image_url: { url: url('image/png', pixel) } };
  const { images: count, inputTokensMax } = checkChat({ model, messages: user([image, image, image]) }, 1_000);
  expect(count).toBe(3);
  const characters = url('image/png', pixel).length;
  expect(inputTokensMax).toBe(1_000 + 3 * (imageTokensAssumed - characters));
});
