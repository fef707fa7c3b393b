/** Knows which films are being drawn for whom and keeps the last ones in memory; any of them can be drawn again. */

import type { FilmPlan } from './film.ts';
import type { FilmThread } from './film-thread.ts';

const keptBytesMax = 64 * 1_024 * 1_024;
const finishedMax = 10_000;

export type FilmState = { readonly finished: true } | { readonly finished: false; readonly percent: number };

export interface FilmStudio {
  /** Undefined where nobody has ordered it here. */
  stateOf(key: string): FilmState | undefined;
  hasRoom(key: string): boolean;
  /** Has it drawn for `holder`, and resolves with the file. A film that is wanted twice is drawn once. */
  order(key: string, plan: FilmPlan, holder: string): Promise<Uint8Array<ArrayBuffer>>;
  /** Stops the drawing when nobody else wants it. */
  withdraw(key: string, holder: string): void;
  /** Lets go of its file. */
  drop(key: string): void;
}

interface Drawing {
  readonly holders: Set<string>;
  readonly controller: AbortController;
  readonly file: Promise<Uint8Array<ArrayBuffer>>;
  percent: number;
}

export function createFilmStudio(thread: FilmThread, bytesMax = keptBytesMax): FilmStudio {
  const drawings = new Map<string, Drawing>();
  /** The least recently asked for come first. */
  const kept = new Map<string, Uint8Array<ArrayBuffer>>();
  const finished = new Set<string>();
  let keptBytes = 0;

  function drop(key: string): void {
    keptBytes -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  }

  function keep(key: string, file: Uint8Array<ArrayBuffer>): void {
    drop(key);
    kept.set(key, file);
    keptBytes += file.length;
    for (const [oldest] of kept) {
      if (keptBytes <= bytesMax || oldest === key) break;
      drop(oldest);
    }
  }

  function finish(key: string, file: Uint8Array<ArrayBuffer>): void {
    keep(key, file);
    finished.add(key);
    for (const oldest of finished) {
      if (finished.size <= finishedMax) break;
      finished.delete(oldest);
    }
  }

  function begin(key: string, plan: FilmPlan): Drawing {
    const controller = new AbortController();
    const ended = (): void => {
      if (drawings.get(key) === drawing) drawings.delete(key);
    };
    const file = thread
      .render(
        plan,
        (percent) => {
          drawing.percent = percent;
        },
        controller.signal,
      )
      .then((made) => {
        finish(key, made);
        return made;
      })
      .finally(ended);
    const drawing: Drawing = { holders: new Set(), controller, file, percent: 0 };
    drawings.set(key, drawing);
    return drawing;
  }

  return {
    stateOf(key) {
      // A finished film stays finished when its file had to go: it is drawn again for whoever wants it.
      if (finished.has(key)) return { finished: true };
      const drawing = drawings.get(key);
      return drawing && { finished: false, percent: drawing.percent };
    },
    hasRoom: (key) => kept.has(key) || drawings.has(key) || thread.hasRoom(),
    order(key, plan, holder) {
      const file = kept.get(key);
      if (file !== undefined) {
        keep(key, file);
        return Promise.resolve(file);
      }
      const drawing = drawings.get(key) ?? begin(key, plan);
      drawing.holders.add(holder);
      return drawing.file;
    },
    withdraw(key, holder) {
      const drawing = drawings.get(key);
      if (drawing === undefined || !drawing.holders.delete(holder) || drawing.holders.size > 0) return;
      drawings.delete(key);
      drawing.controller.abort(new Error('Nobody wants the film any more.'));
    },
    drop,
  };
}
