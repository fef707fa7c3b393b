/** Samples for the tests of the video wires: a bare request, one with all options, and replies as they arrive. */

import type { Loss } from '../../src/conversation/parts.ts';
import type { GivenMedium, MakeVideoRequest } from '../../src/operations/video.ts';
import type { VideoPlaces, VideoWriting } from '../../src/operations/video-wire.ts';
import type { WireReply, WrittenRequest } from '../../src/operations/wire.ts';

export const bare: MakeVideoRequest = { model: 'm', prompt: 'a red boat', images: [], count: 1, extras: {} };

export const image: Extract<GivenMedium, { kind: 'bytes' }> = {
  kind: 'bytes',
  bytes: new Uint8Array([1, 2, 3]),
  mediaType: 'image/png',
};
export const imageBase64 = 'AQID';
export const imageAddress = `data:image/png;base64,${imageBase64}`;
export const linked: Extract<GivenMedium, { kind: 'url' }> = { kind: 'url', url: 'https://example.com/a.png' };
export const upload: GivenMedium = {
  kind: 'file',
  file: { field: 'image', filename: 'boat.png', mediaType: 'image/png', bytes: 3, open: readThree },
};

async function* readThree(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array([1, 2, 3]);
}

/** Everything but images and videos, which wires take so differently. */
export const everyOption: MakeVideoRequest = {
  ...bare,
  seconds: 8,
  width: 1_280,
  height: 720,
  aspectRatio: '16:9',
  fps: 30,
  seed: 7,
  count: 2,
  negativePrompt: 'rain',
};

export function toModel(model: string, more: Partial<VideoWriting> = {}): VideoWriting {
  return { model, extras: {}, ...more };
}

export const places: VideoPlaces = { create: 'https://up.example/v1/videos', base: 'https://up.example/v1' };

export function replied(tree: unknown): WireReply {
  return { contentType: 'application/json', tree, bytes: new Uint8Array() };
}

export function jsonOf({ body }: WrittenRequest): unknown {
  return body.kind === 'json' ? body.tree : body.kind;
}

export function lost(losses: readonly Loss[]): string[] {
  return losses.map(({ what }) => what).toSorted();
}
