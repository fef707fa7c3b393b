/** Writes images and documents as the messages format's blocks; it has none for audio and video. */

import type { LossList } from '../../../conversation/loss-list.ts';
import type { MediaPart } from '../../../conversation/parts.ts';
import { writeCacheMark } from '../wire.ts';

/** Undefined, and reported, where the format has no such block. */
export function writeMedia(part: MediaPart, path: string, losses: LossList): object | undefined {
  if (part.media === 'image') return writeImage(part, path, losses);
  if (part.media === 'document') return writeDocument(part, path, losses);
  losses.add(`${path} ${part.media}`, 'is not supported by the format');
  return undefined;
}

function writeImage(part: MediaPart, path: string, losses: LossList): object | undefined {
  const source = imageSource(part);
  if (source === undefined) {
    losses.add(`${path} image`, 'is of a kind that the format does not support');
    return undefined;
  }
  if (part.detail !== undefined && part.detail !== 'auto')
    losses.add(`${path} image detail`, 'is not supported by the format');
  if (part.filename !== undefined) losses.add(`${path} image name`, 'is not supported by the format');
  return { type: 'image', source, ...writeCacheMark(part.cacheMark) };
}

function imageSource({ source, mediaType }: MediaPart): object | undefined {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      return { type: 'file', file_id: source.id };
    case 'base64': {
      const type = mediaType ?? imageTypeOf(source.data);
      return type === undefined ? undefined : { type: 'base64', media_type: type, data: source.data };
    }
    case 'text':
      return undefined;
  }
}

/** The first bytes of the four kinds of images that the format supports, in base64. */
const imageBeginnings: readonly (readonly [string, string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
];

/** The format requires the type, and some formats do not have it. */
function imageTypeOf(data: string): string | undefined {
  return imageBeginnings.find(([beginning]) => data.startsWith(beginning))?.[1];
}

function writeDocument(part: MediaPart, path: string, losses: LossList): object | undefined {
  const { source, filename, context, citable } = part;
  if (part.detail !== undefined && part.detail !== 'auto') {
    losses.add(`${path} document detail`, 'is not supported by the format');
  }
  return {
    type: 'document',
    source: documentSource(source, part.mediaType),
    ...(filename !== undefined && { title: filename }),
    ...(context !== undefined && { context }),
    ...(citable !== undefined && { citations: { enabled: citable } }),
    ...writeCacheMark(part.cacheMark),
  };
}

function documentSource(source: MediaPart['source'], mediaType: string | undefined): object {
  switch (source.kind) {
    case 'url':
      return { type: 'url', url: source.url };
    case 'file-id':
      return { type: 'file', file_id: source.id };
    case 'text':
      return { type: 'text', media_type: 'text/plain', data: source.text };
    case 'base64':
      // Texts of any kind are plain texts here; other types are left to the provider to judge.
      if (mediaType?.startsWith('text/') === true) {
        const text = Buffer.from(source.data, 'base64').toString('utf8');
        return { type: 'text', media_type: 'text/plain', data: text };
      }
      return { type: 'base64', media_type: mediaType ?? 'application/pdf', data: source.data };
  }
}
