/** Which of several prices a second of video has: by its resolution, as providers name them. */

import type { MakeVideoRequest, VideoFacts } from '../video.ts';

/** By the shorter edge, ascending. */
const resolutions: readonly (readonly [name: string, edgeMax: number])[] = [
  ['480p', 480],
  ['540p', 540],
  ['720p', 720],
  ['768p', 768],
  ['1080p', 1_080],
  ['1440p', 1_440],
];
const largest = '4k';

/** The smallest resolution that the image fits in; nothing where its size is unknown. */
export function kindOfPixels({ width, height }: Pick<VideoFacts, 'width' | 'height'>): { readonly videoKind?: string } {
  if (width === undefined || height === undefined) return {};
  const edge = Math.min(width, height);
  return { videoKind: resolutions.find(([, edgeMax]) => edge <= edgeMax)?.[0] ?? largest };
}

/** What an order asks for; nothing where it has fields for one provider alone, which may set another resolution. */
export function kindAsked(request: MakeVideoRequest): { readonly videoKind?: string } {
  return Object.keys(request.extras).length > 0 ? {} : kindOfPixels(request);
}
