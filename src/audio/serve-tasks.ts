/** The worker's side of a worker thread: performs each task and posts its progress and its result or error. */

import { GatewayError } from '../conversation/gateway-error.ts';

export type WorkerReply<Result> =
  | { readonly kind: 'progress'; readonly percent: number }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'error'; readonly code: string; readonly message: string; readonly param: string };

declare const self: Worker;

export function serveTasks<Task, Result>(
  perform: (task: Task, progress: (percent: number) => void) => Promise<Result>,
  transferOf: (result: Result) => ArrayBuffer[] = () => [],
): void {
  const post = (reply: WorkerReply<Result>, transfer: ArrayBuffer[] = []): void => postMessage(reply, transfer);
  self.onmessage = async ({ data: task }: MessageEvent<Task>) => {
    try {
      const result = await perform(task, (percent) => post({ kind: 'progress', percent }));
      post({ kind: 'result', result }, transferOf(result));
    } catch (error) {
      post({ kind: 'error', ...fieldsOf(error) });
    }
  };
}

/** An error loses its class between threads, so its fields are sent. */
function fieldsOf(error: unknown): { readonly code: string; readonly message: string; readonly param: string } {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof GatewayError)) return { code: 'internal_error', message, param: '' };
  return { code: error.code, message, param: error.param };
}
