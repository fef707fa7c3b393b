/** Which of a provider's content types are passed on: those that no browser takes for a page or a program. */

import { isHeaderValue } from '../../http/reply-headers.ts';

const passed: ReadonlySet<string> = new Set([
  'text/plain',
  'text/vtt',
  'text/srt',
  'text/event-stream',
  'application/octet-stream',
  'application/x-subrip',
  'application/x-ndjson',
  'application/ogg',
]);

/** The type itself in lower case, without its parameters. */
function mediaTypeOf(contentType: string): string {
  return (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

export function isJsonType(contentType: string): boolean {
  const mediaType = mediaTypeOf(contentType);
  return mediaType === 'application/json' || /^[\w.-]+\/[\w.-]+\+json$/.test(mediaType);
}

/** JSON types become `application/json` without parameters; audio, images and plain text pass; anything else becomes bytes. */
export function passedType(contentType: string): string {
  if (isJsonType(contentType)) return 'application/json';
  const mediaType = mediaTypeOf(contentType);
  const isMedia = /^(?:audio|image|video)\/[\w.+-]+$/.test(mediaType) && !mediaType.endsWith('xml');
  if (!isMedia && !passed.has(mediaType)) return 'application/octet-stream';
  // A provider may send characters in parameters that no header may have.
  return isHeaderValue(contentType) ? contentType : mediaType;
}
