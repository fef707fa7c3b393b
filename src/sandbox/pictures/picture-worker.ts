/** Draws on a thread of its own: a large picture takes most of a second, which no stream should wait for. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { doPictureJob, type MadePicture, type PictureJob } from './picture-job.ts';
import type { CarriedError } from './picture-thread.ts';

declare const self: Worker;

export type PictureAnswer =
  | { readonly ok: true; readonly made: MadePicture }
  | { readonly ok: false; readonly error: CarriedError };

self.onmessage = ({ data: job }: MessageEvent<PictureJob>) => {
  doPictureJob(job).then(
    (made) => postMessage({ ok: true, made } satisfies PictureAnswer),
    (error: unknown) => postMessage({ ok: false, error: carried(error) } satisfies PictureAnswer),
  );
};

/** An error loses its class on the way between threads. */
function carried(error: unknown): CarriedError {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof GatewayError)) return { code: 'internal_error', message, param: '' };
  return { code: error.code, message, param: error.param };
}
