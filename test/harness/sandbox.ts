/** The sandbox for tests: its clock never waits and writes down how long it would have, its ids count up. */

import type { StreamEvent, TextReply } from '../../src/conversation/text-reply.ts';
import type { ReadContext } from '../../src/formats/codec.ts';
import type { Format } from '../../src/formats/format.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { createSandbox } from '../../src/sandbox/transport/transport.ts';
import { type Frame, FrameReader } from '../../src/upstream/frame-reader.ts';
import { fold } from './fold-events.ts';

export interface Waited {
  readonly ms: number;
  readonly signal: AbortSignal;
}

const baseUrl = 'sandbox://local/v1';

export function stillSandbox(paceMs = 0, wait?: SandboxOptions['wait']) {
  const waits: Waited[] = [];
  let ids = 0;
  const { answer } = createSandbox({
    paceMs,
    nowMs: () => 1_700_000_000_000,
    newId: () => `id${++ids}`,
    wait:
      wait ??
      (async (ms, signal) => {
        signal.throwIfAborted();
        waits.push({ ms, signal });
      }),
  });
  const post = (body: unknown, signal = new AbortController().signal, path = '/chat/completions') =>
    answer({
      url: baseUrl + path,
      method: 'POST',
      headers: {},
      body: typeof body === 'string' ? body : new TextEncoder().encode(JSON.stringify(body)),
      signal,
    });
  const get = (path: string) =>
    answer({ url: baseUrl + path, method: 'GET', headers: {}, signal: new AbortController().signal });
  return { post, get, waits };
}

/** All that came of a body, and the error that broke it off. */
export async function drain(response: Response): Promise<{ text: string; error: unknown }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

export function framesOf(text: string): Frame[] {
  const frames: Frame[] = [];
  new FrameReader(1_000_000).push(new TextEncoder().encode(text), (frame) => frames.push(frame));
  return frames.filter((frame) => frame.data !== undefined);
}

export function readContext(format: Format, model: string): ReadContext {
  let ids = 0;
  return {
    origin: { format: format.name, provider: 'sandbox', model },
    nowMs: 1_700_000_000_000,
    newId: (prefix) => `${prefix}read${++ids}`,
  };
}

export function readWhole(format: Format, model: string, reply: unknown): TextReply {
  return format.codec.readReply(reply, readContext(format, model)).value;
}

export function readStream(
  format: Format,
  model: string,
  text: string,
): { readonly events: readonly StreamEvent[]; readonly reply: TextReply } {
  const reader = format.codec.streamReader(readContext(format, model));
  const events = framesOf(text).flatMap(({ data = '', event }) => reader.read(data, event));
  events.push(...reader.end());
  return { events, reply: fold(events) };
}
