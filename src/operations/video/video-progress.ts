/** What readers of video tasks share: a failure in the client's terms, an unknown state, and numbers that may be missing. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { VideoFacts, VideoProgress } from '../video.ts';

const messageCharactersMax = 500;
type Failed = Extract<VideoProgress, { state: 'failed' }>;

/** The provider did not accept the order, though its reply was no error. */
export function notTaken(reason: string, isRefused: boolean): GatewayError {
  const message = shortened(`The provider did not take the video: ${reason}`);
  return new GatewayError(isRefused ? 'upstream_refused' : 'upstream_failed', message);
}

export function failedVideo(reason: Failed['reason'], said: string): Failed {
  return { state: 'failed', reason, message: shortened(said) };
}

/** Services that report a refusal only by the message of a failure. */
export function reasonOf(said: string): Failed['reason'] {
  return /nsfw|sensitive|safety|moderat|flagged|polic(y|ies)|prohibited|violat|guideline|responsible ai|inappropriate|copyright/i.test(
    said,
  )
    ? 'refused'
    : 'failed';
}

/** An unknown state is no state: the task is polled again until its deadline. */
export function unknownState(state: unknown): SyntaxError {
  return new SyntaxError(`The provider's state ${JSON.stringify(state)?.slice(0, 60)} is unknown.`);
}

/** An id that is part of a URL and of a row; anything else that a reply calls an id is none. */
export function idOf(value: unknown, field: string): string {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || text === '' || text.length > 500) {
    throw new SyntaxError(`The provider's reply has no \`${field}\`.`);
  }
  return text;
}

/** 0 to 100, from a percentage or, with `whole` 1, from a part of one. */
export function percentOf(value: unknown, whole = 100): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number.parseFloat(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  return Math.min(100, Math.max(0, Math.round((number * 100) / whole)));
}

/** A number that is there, some providers write it as text. */
export function positiveOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : undefined;
}

/** `1280x720`, `1280*720`, `1280:720`. */
export function pixelsOf(size: unknown): Pick<VideoFacts, 'width' | 'height'> {
  const [, width, height] = typeof size === 'string' ? (/^(\d{2,5})[x*:](\d{2,5})$/i.exec(size) ?? []) : [];
  return width === undefined || height === undefined ? {} : { width: Number(width), height: Number(height) };
}

function shortened(message: string): string {
  return message.length > messageCharactersMax ? `${message.slice(0, messageCharactersMax)}…` : message;
}
