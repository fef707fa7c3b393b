/** What the event loop and the film thread say to each other. */

import type { CarriedError } from '../pictures/picture-thread.ts';
import type { FilmPlan, SmallPicture } from './film.ts';

export type FilmTask =
  | { readonly task: 'render'; readonly job: number; readonly plan: FilmPlan }
  | { readonly task: 'shrink'; readonly job: number; readonly address: string; readonly param: string }
  /** Ends a film that nobody wants any more; its job fails. */
  | { readonly task: 'stop'; readonly job: number };

export type FilmAnswer = { readonly job: number } & (
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'film'; readonly file: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'picture'; readonly picture: SmallPicture }
  | { readonly kind: 'failure'; readonly error: CarriedError }
);
