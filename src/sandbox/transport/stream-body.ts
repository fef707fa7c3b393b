/** Streams a reply with backpressure, and injects the model's fault in mid-stream. */

import type { StreamEvent, TextReply } from '../../conversation/text-reply.ts';
import type { SandboxModel } from '../models.ts';
import type { SandboxOptions } from '../options.ts';
import { isDelta, replyEvents } from './reply-events.ts';

const chunkBytesMax = 16 * 1024;
const deltasBeforeFault = 3;

interface StreamTask {
  readonly reply: TextReply;
  readonly model: SandboxModel;
  readonly writer: { write(event: StreamEvent): string };
  readonly options: SandboxOptions;
  readonly signal: AbortSignal;
}

/** A text, and whether it is a delta: pace and faults count deltas. */
interface Frame {
  readonly text: string;
  readonly delta: boolean;
}

type Fault = 'hang' | 'break';

export function streamBody(task: StreamTask): ReadableStream<Uint8Array> {
  const frames = framesOf(task);
  const encoder = new TextEncoder();
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(task.signal.reason);
  const release = (): void => task.signal.removeEventListener('abort', onAbort);
  let started = false;
  let pending: Fault | undefined;

  /** One frame at a time with a pace, many at once without. */
  const produce = async (): Promise<{ readonly text: string; readonly done: boolean }> => {
    const paceMs = Math.max(task.options.paceMs, task.model.paceMsMin ?? 0);
    if (!started && task.model.firstEventMs !== undefined)
      await task.options.wait(task.model.firstEventMs, stop.signal);
    let text = '';
    while (text.length < chunkBytesMax) {
      const next = frames.next();
      if (next.done === true) return { text, done: true };
      const frame = next.value;
      if (frame === 'hang' || frame === 'break') {
        // Earlier output is sent before the fault.
        if (text !== '') pending = frame;
        else await injectFault(frame, task.model, stop.signal);
        return { text, done: false };
      }
      if (paceMs > 0 && frame.delta && started) await task.options.wait(paceMs, stop.signal);
      if (frame.delta) started = true;
      text += frame.text;
      if (paceMs > 0 && frame.delta) break;
    }
    return { text, done: false };
  };

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        task.signal.addEventListener('abort', onAbort, { once: true });
        if (task.signal.aborted) onAbort();
        stop.signal.addEventListener('abort', () => {
          release();
          frames.return();
          controller.error(stop.signal.reason);
        });
      },
      async pull(controller) {
        try {
          if (pending !== undefined) await injectFault(pending, task.model, stop.signal);
          const { text, done } = await produce();
          if (stop.signal.aborted) return;
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (done) {
            release();
            controller.close();
          }
        } catch (error) {
          release();
          frames.return();
          controller.error(error);
        }
      },
      cancel() {
        stop.abort();
      },
    },
    { highWaterMark: 0 },
  );
}

/** Never resolves; rejects when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function injectFault(fault: Fault, model: SandboxModel, signal: AbortSignal): Promise<never> {
  if (fault === 'hang') await aborted(signal);
  throw new Error(`${model.id} broke the connection off, as it always does`);
}

/** The events of the reply in the wire format, with the model's fault. */
function* framesOf(task: StreamTask): Generator<Frame | Fault, void, void> {
  const { fault } = task.model;
  const total = task.reply.usage.output.total ?? 0;
  const faultAt = fault === 'cut' ? Math.max(1, Math.floor(total / 2)) : deltasBeforeFault;
  let deltas = 0;
  let faulty = fault !== undefined;
  let corrupts = false;
  for (const event of replyEvents(task.reply)) {
    if (faulty && (deltas >= faultAt || event.type === 'candidate-end')) {
      faulty = false;
      if (fault === 'stall') yield 'hang';
      else if (fault === 'cut') yield 'break';
      else corrupts = fault === 'malformed';
    }
    const delta = isDelta(event);
    if (delta) deltas++;
    const text = task.writer.write(event);
    if (text === '') continue;
    yield { text: corrupts ? brokenEvent(text) : text, delta };
    corrupts = false;
  }
}

/** An event that no client of any format can parse: its last brace is missing. */
function brokenEvent(text: string): string {
  const brace = text.lastIndexOf('}');
  return text.slice(0, brace) + text.slice(brace + 1);
}
