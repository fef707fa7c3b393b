/** Draws and encodes films on a thread of its own, and looks between frames whether something else is wanted. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { CarriedError } from '../pictures/picture-thread.ts';
import type { FilmAnswer, FilmTask } from './film-messages.ts';
import { renderFilm } from './render-film.ts';
import { shrinkPicture } from './shrink-picture.ts';

declare const self: Worker;

const stopped = new Set<number>();
/** Large pictures are read one after the other, so that several of them fit into the memory. */
let shrinking: Promise<void> = Promise.resolve();

async function perform(task: Exclude<FilmTask, { task: 'stop' }>): Promise<FilmAnswer> {
  const { job } = task;
  if (task.task === 'shrink') {
    return { job, kind: 'picture', picture: await shrinkPicture(task.address, task.param) };
  }
  const file = await renderFilm(task.plan, {
    progress: (percent) => postMessage({ job, kind: 'progress', percent } satisfies FilmAnswer),
    check() {
      if (stopped.has(job)) throw new GatewayError('client_left', 'The film was stopped.');
    },
  });
  return { job, kind: 'film', file };
}

async function answer(task: Exclude<FilmTask, { task: 'stop' }>): Promise<void> {
  try {
    const said = await perform(task);
    postMessage(said, said.kind === 'film' ? [said.file.buffer] : []);
  } catch (error) {
    postMessage({ job: task.job, kind: 'failure', error: carried(error) } satisfies FilmAnswer);
  }
  stopped.delete(task.job);
}

self.onmessage = ({ data: task }: MessageEvent<FilmTask>) => {
  if (task.task === 'stop') stopped.add(task.job);
  else if (task.task === 'shrink') shrinking = shrinking.then(() => answer(task));
  else answer(task);
};

/** An error loses its class on the way between threads. */
function carried(error: unknown): CarriedError {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof GatewayError)) return { code: 'internal_error', message, param: '' };
  return { code: error.code, message, param: error.param };
}
