/** Looks over a conversation before it is written, for what the format says once for all of it. */

import type { MediaPart, Message, Part } from '../../../conversation/parts.ts';

export interface Survey {
  readonly hasCacheMarks: boolean;
  /** The resolution that every image shares: said once for the request, which all models understand. */
  readonly sharedResolution: string | undefined;
  /** Images differ in their resolution: said at each part, which newer models understand. */
  readonly resolutionsDiffer: boolean;
}

const resolutions: ReadonlyMap<string | undefined, string> = new Map([
  ['low', 'MEDIA_RESOLUTION_LOW'],
  ['medium', 'MEDIA_RESOLUTION_MEDIUM'],
  ['high', 'MEDIA_RESOLUTION_HIGH'],
  ['ultra_high', 'MEDIA_RESOLUTION_ULTRA_HIGH'],
]);

/** Undefined where the model shall choose, or where the word is none of the format's. */
export function resolutionOf(media: MediaPart): string | undefined {
  return resolutions.get(media.detail);
}

/** One answer for one question: a file that says nothing of it shares nothing. */
export function survey(messages: readonly Message[]): Survey {
  let hasCacheMarks = false;
  const wished = new Set<string | undefined>();
  const look = (part: Part): void => {
    if ('cacheMark' in part && part.cacheMark !== undefined) hasCacheMarks = true;
    if (part.type === 'media') wished.add(resolutionOf(part));
    else if (part.type === 'tool-result') part.parts.forEach(look);
  };
  for (const message of messages) message.parts.forEach(look);
  const [only] = wished.size === 1 ? wished : [];
  const isShared = only !== undefined && only !== resolutions.get('ultra_high');
  wished.delete(undefined);
  return {
    hasCacheMarks,
    sharedResolution: isShared ? only : undefined,
    resolutionsDiffer: !isShared && wished.size > 0,
  };
}
