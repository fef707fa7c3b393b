/** A film as it is ordered: everything its pictures depend on, and nothing else, so that equal plans give equal files. */

export interface FilmPlan {
  readonly prompt: string;
  readonly negativePrompt: string;
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frames: number;
  /** Small picture files that it begins and ends with; empty where there is none. */
  readonly first: Uint8Array<ArrayBuffer>;
  readonly last: Uint8Array<ArrayBuffer>;
}

/** A picture that came with the order, made small enough to travel in a task's id. */
export interface SmallPicture {
  readonly file: Uint8Array<ArrayBuffer>;
  /** Of the picture as it came. */
  readonly width: number;
  readonly height: number;
}

export const filmLimits = {
  longSideMax: 1_280,
  shortSideMax: 720,
  sideMin: 32,
  fpsMax: 30,
  secondsMax: 20,
  framesMax: 600,
  promptBytesMax: 1_500,
  negativePromptBytesMax: 400,
  pictureBytesMax: 1_200,
} as const;

/** Names a film by its content: two orders of the same one are drawn once. */
export function filmKey(plan: FilmPlan): string {
  const { first, last, ...words } = plan;
  const hash = new Bun.CryptoHasher('sha256').update(JSON.stringify(words));
  return hash.update(`${first.length} `).update(first).update(last).digest('base64url');
}
