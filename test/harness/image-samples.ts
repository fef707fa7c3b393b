/** Small bodies, files and replies that the tests of this folder share. */

import type { EditImageRequest, ImageReply, MakeImageRequest } from '../../src/operations/images.ts';
import type { FormField, FormFile, ReplyMaking, WireBody, WireReply } from '../../src/operations/wire.ts';

/** One red pixel. */
export const pngBase64 =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
export const pngBytes: Uint8Array<ArrayBuffer> = new Uint8Array(Buffer.from(pngBase64, 'base64'));

export const making: ReplyMaking = { nowMs: 1_770_000_000_000, newId: (prefix) => `${prefix}1` };

export function json(tree: object): WireBody {
  return { kind: 'json', tree: tree as Record<string, unknown> };
}

export function form(...fields: readonly (readonly [string, string | FormFile])[]): WireBody {
  return { kind: 'form', fields: fields.map(([name, value]): FormField => ({ name, value })) };
}

export function file(
  field: string,
  mediaType = 'image/png',
  bytes: Uint8Array<ArrayBuffer> = pngBytes,
  filename: string | undefined = 'a.png',
): FormFile {
  return {
    field,
    filename,
    mediaType,
    bytes: bytes.length,
    async *open() {
      yield bytes;
    },
  };
}

export function replied(tree: unknown, address?: string): WireReply {
  const about = { contentType: 'application/json', tree, bytes: new Uint8Array() };
  return address === undefined ? about : { ...about, address };
}

export const made: MakeImageRequest = { model: 'any', prompt: 'a red boat', count: 1, stream: false };

export const edited: EditImageRequest = {
  ...made,
  images: [{ kind: 'bytes', bytes: pngBytes, mediaType: 'image/png' }],
};

/** Everything that a caller can option. */
export const everyOption: MakeImageRequest = {
  ...made,
  count: 2,
  size: '1536x1024',
  quality: 'high',
  style: 'vivid',
  background: 'opaque',
  outputFormat: 'jpeg',
  outputCompression: 80,
  handOver: 'base64',
  moderation: 'low',
  seed: 7,
  negativePrompt: 'no birds',
  user: 'u1',
  partialImages: 2,
};

export const reply: ImageReply = {
  createdAtMs: 1_770_000_001_000,
  images: [{ source: { kind: 'base64', data: pngBase64, mediaType: 'image/png' }, revisedPrompt: 'a very red boat' }],
  size: '1024x1024',
  quality: 'high',
  background: 'opaque',
  outputFormat: 'png',
  consumption: { images: 1, tokens: { input: { total: 20, image: 5 }, output: { total: 300, image: 290 } } },
};
