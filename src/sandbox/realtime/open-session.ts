/** Opens a realtime session at a URL. */

import {
  type SocketListener,
  SocketRefusedError,
  type SocketRequest,
  type UpstreamSocket,
} from '../../upstream/socket-transport.ts';
import { findModel } from '../models.ts';
import type { SandboxOptions } from '../options.ts';
import { speaker } from '../speech/speak.ts';
import type { Pace, Voice } from './answer.ts';
import { LiveSocket, type SocketWriter } from './live-socket.ts';
import { betaNames, currentNames } from './protocol/beta-events.ts';
import { sentenceVoice } from './sentence-voice.ts';
import { Session } from './session.ts';

const protocol = 'realtime';
const betaProtocol = 'openai-beta.realtime-v1';
const betaFeature = 'realtime=v1';
/** Fast enough for playback without gaps, slow enough to be interrupted. */
const timesRealTime = 4;
const schemes: ReadonlySet<string> = new Set(['ws:', 'wss:', 'sandbox:']);

export type SessionOptions = SandboxOptions & { readonly voice?: Voice };

export function openSession(request: SocketRequest, listener: SocketListener, options: SessionOptions): UpstreamSocket {
  if (request.signal.aborted) throw request.signal.reason;
  const { model, transcribes } = readUrl(request.url);
  return new LiveSocket({
    protocol: request.protocols.includes(protocol) ? protocol : '',
    listener,
    messageBytesMax: request.messageBytesMax,
    open: (writer) =>
      new Session({
        model,
        kind: transcribes ? 'transcription' : 'realtime',
        names: asksForBeta(request) ? betaNames() : currentNames,
        voice: options.voice ?? sandboxVoice,
        pace: paceOf(writer, options),
        newId: (prefix) => prefix + options.newId(),
        write: (text) => writer.write(text),
        fail: (error) => writer.fail(error),
      }),
  });
}

function readUrl(given: string): { readonly model: string; readonly transcribes: boolean } {
  const url = URL.parse(given);
  if (url === null || !schemes.has(url.protocol) || !/\/realtime\/?$/.test(url.pathname)) {
    throw refusal(404, { message: 'The sandbox has no such path.', code: 'not_found', param: null });
  }
  const model = url.searchParams.get('model') ?? '';
  if (findModel(model)?.operations?.includes('converse-live') !== true) {
    const message = `The sandbox has no model '${model.slice(0, 100)}' for live conversations.`;
    throw refusal(404, { message, code: 'model_not_found', param: 'model' });
  }
  return { model, transcribes: url.searchParams.get('intent') === 'transcription' };
}

function refusal(status: number, error: Readonly<Record<string, unknown>>): SocketRefusedError {
  return new SocketRefusedError(status, JSON.stringify({ error: { type: 'invalid_request_error', ...error } }), null);
}

function asksForBeta({ headers, protocols }: SocketRequest): boolean {
  const features = (headers['openai-beta'] ?? '').split(',').map((feature) => feature.trim());
  return features.includes(betaFeature) || protocols.includes(betaProtocol);
}

function paceOf(writer: SocketWriter, options: SessionOptions): Pace {
  return {
    wordMs: options.paceMs,
    timesRealTime: options.speechTimesRealTime ?? timesRealTime,
    async wait(ms, signal) {
      if (ms > 0) await options.wait(ms, signal);
      await writer.flushed(signal);
    },
  };
}

/** Shares the thread of `sandbox-speak`. */
const sandboxVoice = sentenceVoice(speaker);
