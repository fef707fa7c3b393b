/** One call of the reference, as it happens: its status, its headers, and its body while it arrives. */

import { useEffect, useRef, useState } from 'react';
import { callGateway } from '../../../../api/call-gateway.ts';

export interface TryReply {
  readonly isRunning: boolean;
  readonly status?: number;
  readonly headers: readonly (readonly [string, string])[];
  /** From the press to the head; from the press to the end. */
  readonly headMs?: number;
  readonly totalMs?: number;
  readonly sizeBytes: number;
  readonly type: string;
  /** What can be read, as far as it has come. */
  readonly text: string;
  /** What cannot. */
  readonly file?: Blob;
  /** Why there is no reply, or not all of it. */
  readonly error?: unknown;
}

interface TryCall {
  readonly method: string;
  readonly path: string;
  readonly body?: string | FormData;
  token(): Promise<string>;
}

const nothing: TryReply = { isRunning: true, headers: [], sizeBytes: 0, type: '', text: '' };
const readableType = /^(?:text\/|application\/(?:[\w.+-]*json|x-ndjson|xml))/i;
/** A page cannot show more and stay quick. */
const charactersMax = 2_000_000;

export function useTry() {
  const [reply, setReply] = useState<TryReply>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (call: TryCall) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const show = (change: Partial<TryReply>) => {
      if (running.current === abort) setReply((before = nothing) => ({ ...before, ...change }));
    };
    setReply(nothing);
    const startedAtMs = performance.now();
    const sinceMs = () => performance.now() - startedAtMs;
    try {
      const token = await call.token();
      const response = await callGateway({ ...call, token, signal: abort.signal });
      const type = response.headers.get('content-type') ?? '';
      show({ status: response.status, headers: [...response.headers], type, headMs: sinceMs() });
      if (readableType.test(type) || type === '') await readText(response, show);
      else {
        const file = await response.blob();
        show({ file, sizeBytes: file.size });
      }
    } catch (error) {
      if (!abort.signal.aborted) show({ error });
    }
    show({ isRunning: false, totalMs: sinceMs() });
  };
  return { reply, send: (call: TryCall) => void send(call), stop: () => running.current?.abort() };
}

/** Shown once a picture, however small the pieces are. */
async function readText(response: Response, show: (change: Partial<TryReply>) => void): Promise<void> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let sizeBytes = 0;
  let isWaiting = false;
  const tell = () => show({ text, sizeBytes });
  try {
    while (reader !== undefined) {
      const { done, value } = await reader.read();
      if (done) break;
      sizeBytes += value.length;
      if (text.length < charactersMax) text += decoder.decode(value, { stream: true });
      if (isWaiting) continue;
      isWaiting = true;
      requestAnimationFrame(() => {
        isWaiting = false;
        tell();
      });
    }
  } finally {
    tell();
  }
}
