/** Tracks which videos are rendered for which tasks, and caches the last files. Any of them can be rendered again. */

import type { VideoPlan } from './video-plan.ts';
import type { VideoThread } from './video-thread.ts';

const cachedBytesMax = 64 * 1_024 * 1_024;
const finishedMax = 10_000;

type VideoState = { readonly finished: true } | { readonly finished: false; readonly percent: number };

interface Rendering {
  readonly holders: Set<string>;
  readonly controller: AbortController;
  readonly file: Promise<Uint8Array<ArrayBuffer>>;
  percent: number;
}

export class VideoRenderer {
  readonly #thread: VideoThread;
  readonly #bytesMax: number;
  readonly #renderings = new Map<string, Rendering>();
  /** The least recently used come first. */
  readonly #cached = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly #finished = new Set<string>();
  #cachedBytes = 0;

  constructor(thread: VideoThread, bytesMax = cachedBytesMax) {
    this.#thread = thread;
    this.#bytesMax = bytesMax;
  }

  /** Undefined where this process was not asked for it. A finished video stays finished without its file. */
  stateOf(key: string): VideoState | undefined {
    if (this.#finished.has(key)) return { finished: true };
    const rendering = this.#renderings.get(key);
    return rendering && { finished: false, percent: rendering.percent };
  }

  hasRoom(key: string): boolean {
    return this.#cached.has(key) || this.#renderings.has(key) || this.#thread.hasRoom;
  }

  /** Renders it for `holder`. A video that several tasks ask for is rendered once. */
  render(key: string, plan: VideoPlan, holder: string): Promise<Uint8Array<ArrayBuffer>> {
    const file = this.#cached.get(key);
    if (file !== undefined) {
      this.#cache(key, file);
      return Promise.resolve(file);
    }
    const rendering = this.#renderings.get(key) ?? this.#begin(key, plan);
    rendering.holders.add(holder);
    return rendering.file;
  }

  /** Stops the rendering when no other task needs it. */
  withdraw(key: string, holder: string): void {
    const rendering = this.#renderings.get(key);
    if (rendering === undefined || !rendering.holders.delete(holder) || rendering.holders.size > 0) return;
    this.#renderings.delete(key);
    rendering.controller.abort(new Error('The video is no longer needed.'));
  }

  /** Removes its file from the cache. */
  drop(key: string): void {
    this.#cachedBytes -= this.#cached.get(key)?.length ?? 0;
    this.#cached.delete(key);
  }

  #begin(key: string, plan: VideoPlan): Rendering {
    const controller = new AbortController();
    const onProgress = (percent: number): void => {
      rendering.percent = percent;
    };
    const file = this.#thread
      .run(plan, { signal: controller.signal, onProgress })
      .then((made) => {
        this.#cache(key, made);
        this.#finished.add(key);
        removeOldest(this.#finished, finishedMax);
        return made;
      })
      .finally(() => {
        if (this.#renderings.get(key) === rendering) this.#renderings.delete(key);
      });
    const rendering: Rendering = { holders: new Set(), controller, file, percent: 0 };
    this.#renderings.set(key, rendering);
    return rendering;
  }

  #cache(key: string, file: Uint8Array<ArrayBuffer>): void {
    this.drop(key);
    this.#cached.set(key, file);
    this.#cachedBytes += file.length;
    for (const oldest of this.#cached.keys()) {
      if (this.#cachedBytes <= this.#bytesMax || oldest === key) break;
      this.drop(oldest);
    }
  }
}

/** Sets and maps list their oldest keys first. */
export function removeOldest(
  keyed: Pick<Set<string> & Map<string, unknown>, 'size' | 'keys' | 'delete'>,
  max: number,
): void {
  for (const oldest of keyed.keys()) {
    if (keyed.size <= max) return;
    keyed.delete(oldest);
  }
}
