/** A signal for one exchange with one listener: what an AbortController does, for a tenth of its cost. */

import type { CancelListener, CancelSignal } from './transport.ts';

export class Cancellation implements CancelSignal {
  aborted = false;
  reason: unknown;
  /** Whether sending has begun. Before that no provider can have billed the request. */
  sent = false;
  #listener: CancelListener | undefined;

  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#listener?.handleEvent();
  }

  markSent(): void {
    this.sent = true;
  }

  addEventListener(_: 'abort', listener: CancelListener): void {
    this.#listener = listener;
  }

  removeEventListener(_: 'abort', listener: CancelListener): void {
    if (this.#listener === listener) this.#listener = undefined;
  }
}

/** A real AbortSignal, for APIs that require one. */
export function abortSignalOf(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  if (signal.aborted) controller.abort(signal.reason);
  else signal.addEventListener('abort', { handleEvent: () => controller.abort(signal.reason) });
  return controller.signal;
}
