/** A video as it is requested: everything that its frames depend on, so that equal plans give equal files. */

import { thumbnailBytesMax } from '../images/thumbnail.ts';

export interface VideoPlan {
  readonly prompt: string;
  readonly negativePrompt: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** Thumbnails that it begins and ends with; empty where there is none. */
  readonly first: Uint8Array<ArrayBuffer>;
  readonly last: Uint8Array<ArrayBuffer>;
}

export const videoLimits = {
  longSideMax: 1_280,
  shortSideMax: 720,
  sideMin: 32,
  fpsMax: 30,
  secondsMax: 20,
  framesMax: 600,
  promptBytesMax: 1_500,
  negativePromptBytesMax: 400,
  thumbnailBytesMax,
} as const;

/** A name by content: equal plans are rendered once. */
export function videoKey(plan: VideoPlan): string {
  const { first, last, ...words } = plan;
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(words));
  return hash.update(`${first.length} `).update(first).update(last).digest('base64url');
}
