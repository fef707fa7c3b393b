/** Scans a conversation before it is written, for what the format sets once for all of it. */

import type { MediaPart, Message, Part } from '../../../conversation/parts.ts';

export interface Survey {
  readonly hasCacheMarks: boolean;
  /** The resolution that every image shares: set once for the request, which all models support. */
  readonly sharedResolution: string | undefined;
  /** Images differ in their resolution: set on each part, which newer models support. */
  readonly resolutionsDiffer: boolean;
}

const resolutions: ReadonlyMap<string | undefined, string> = new Map([
  ['low', 'MEDIA_RESOLUTION_LOW'],
  ['medium', 'MEDIA_RESOLUTION_MEDIUM'],
  ['high', 'MEDIA_RESOLUTION_HIGH'],
  ['ultra_high', 'MEDIA_RESOLUTION_ULTRA_HIGH'],
]);

/** Undefined where the model is to choose, or where the format has no such resolution. */
export function resolutionOf(media: MediaPart): string | undefined {
  return resolutions.get(media.detail);
}

/** The resolution is shared only if every file sets it. */
export function survey(messages: readonly Message[]): Survey {
  let hasCacheMarks = false;
  const requested = new Set<string | undefined>();
  const look = (part: Part): void => {
    if ('cacheMark' in part && part.cacheMark !== undefined) hasCacheMarks = true;
    if (part.type === 'media') requested.add(resolutionOf(part));
    else if (part.type === 'tool-result') part.parts.forEach(look);
  };
  for (const message of messages) message.parts.forEach(look);
  const [only] = requested.size === 1 ? requested : [];
  const isShared = only !== undefined && only !== resolutions.get('ultra_high');
  requested.delete(undefined);
  return {
    hasCacheMarks,
    sharedResolution: isShared ? only : undefined,
    resolutionsDiffer: !isShared && requested.size > 0,
  };
}
