/** One live conversation of the page with the gateway: a short-lived credential, the socket it opens, and every event on the wire panel. */

import type { PlaygroundToken, WireExchange, WireLog } from '../../playground-contract.ts';
import { callForJson, type Fields, jsonRequest, textOf } from '../call.ts';
import { readEvent } from './live-events.ts';

export interface LiveSettings {
  readonly model: string;
  readonly instructions: string;
  readonly voice: string;
  readonly replies: 'audio' | 'text';
}

export interface LiveLink {
  send(event: Fields): void;
  close(): void;
}

interface LiveListener {
  onOpen(): void;
  onEvent(event: Fields & { readonly type: string }): void;
  /** 1000 is a farewell. */
  onClose(code: number): void;
}

interface LiveOptions {
  readonly token: PlaygroundToken;
  readonly wire: WireLog;
  readonly signal: AbortSignal;
}

export const soundRateHz = 24_000;
const farewell = 1_000;
const switchingProtocols = 101;
const secretSeconds = 60;

/** Fails where the credential is refused; what becomes of the socket is told to the listener. */
export async function openLive(
  settings: LiveSettings,
  listener: LiveListener,
  options: LiveOptions,
): Promise<LiveLink> {
  const { model } = settings;
  const answer = await callForJson(
    jsonRequest('/v1/realtime/client_secrets', {
      expires_after: { anchor: 'created_at', seconds: secretSeconds },
      session: sessionOf(settings),
    }),
    { ...options, model },
  );
  options.signal.throwIfAborted();
  const path = `/v1/realtime?model=${encodeURIComponent(model)}`;
  const exchange = options.wire.begin({ method: 'GET', path }, { model });
  const address = new URL(path, location.href.replace(/^http/, 'ws'));
  // A browser cannot send headers with a socket; this is the form that the library of this format uses.
  const socket = new WebSocket(address, ['realtime', `openai-insecure-api-key.${textOf(answer['value'])}`]);
  options.signal.addEventListener('abort', () => socket.close(farewell), { once: true });
  connect(socket, exchange, listener);
  return {
    send(event) {
      if (socket.readyState !== WebSocket.OPEN) return;
      exchange.event(`→ ${toldShort(event)}`);
      socket.send(JSON.stringify(event));
    },
    close: () => socket.close(farewell),
  };
}

function connect(socket: WebSocket, exchange: WireExchange, listener: LiveListener): void {
  socket.onopen = () => {
    exchange.head(switchingProtocols, new Headers({ upgrade: 'websocket' }));
    listener.onOpen();
  };
  socket.onmessage = ({ data }) => {
    const event = readEvent(data);
    if (event === undefined) return;
    exchange.event(`← ${toldShort(event)}`);
    if (event.type.endsWith('.delta')) exchange.output();
    listener.onEvent(event);
  };
  socket.onclose = ({ code }) => {
    exchange.end(code === farewell ? undefined : `${code}`);
    listener.onClose(code);
  };
}

function sessionOf({ model, instructions, voice, replies }: LiveSettings): Fields {
  return {
    type: 'realtime',
    model,
    output_modalities: [replies],
    ...(instructions.trim() !== '' && { instructions }),
    audio: {
      input: { format: { type: 'audio/pcm', rate: soundRateHz }, turn_detection: { type: 'server_vad' } },
      output: { format: { type: 'audio/pcm', rate: soundRateHz }, ...(voice.trim() !== '' && { voice }) },
    },
  };
}

const soundShown = 24;

/** Sound fills pages with letters; its size says as much. */
function toldShort(event: Fields): string {
  const told: Record<string, unknown> = { ...event };
  for (const name of ['audio', 'delta']) {
    const value = told[name];
    if (typeof value === 'string' && value.length > 200 && !value.includes(' ')) {
      told[name] = `${value.slice(0, soundShown)}… ${value.length} characters`;
    }
  }
  return JSON.stringify(told);
}
