/** Reads a request's body into memory within a limit of bytes and time. */

import { GatewayError } from '../conversation/gateway-error.ts';
import { BodyPieces } from './body-pieces.ts';
import type { Deadlines, Watched } from './deadlines.ts';
import type { Slices } from './json/in-slices.ts';
import { JoinedBytes } from './json/joined-bytes.ts';
import { smallBytesMax } from './json/read-in-slices.ts';
import type { HttpRequest } from './request.ts';

type Body = Uint8Array<ArrayBuffer>;

interface BodyLimits {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly deadlines: Deadlines;
  /** Called for every piece of a large body; an exception from it ends the reading. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Puts the pieces of a large body together. */
  readonly slices?: Slices | undefined;
}

export function readBody(request: HttpRequest, limits: BodyLimits): Promise<Body> {
  const announced = request.headers.get('content-length');
  if (announced !== null && Number(announced) > limits.bytesMax) return Promise.reject(tooLarge(limits.bytesMax));
  const whole = announced !== null && limits.onBytes === undefined;
  const reading = (whole ? request.bytes() : readChunks(request, limits)) as Promise<Body>;
  // A small body mostly came together with its head and is there already.
  return Bun.peek.status(reading) === 'fulfilled' ? reading : withinTime(reading, limits);
}

/** The connection's own idle limit ends a silent sender; this one ends a sender of one byte at a time. */
function withinTime(reading: Promise<Body>, limits: BodyLimits): Promise<Body> {
  return new Promise((resolve, reject) => {
    let startedAtMs: number | undefined;
    const watched: Watched = {
      tick(nowMs) {
        startedAtMs ??= nowMs;
        if (nowMs - startedAtMs < limits.timeoutMs) return;
        limits.deadlines.delete(watched);
        reject(tooSlow(limits.timeoutMs));
      },
    };
    limits.deadlines.add(watched);
    reading.then(
      (bytes) => {
        limits.deadlines.delete(watched);
        resolve(bytes);
      },
      (cause: unknown) => {
        limits.deadlines.delete(watched);
        reject(cause instanceof GatewayError ? cause : brokenOff(cause));
      },
    );
  });
}

/** Checks the media type only: charset and boundary are left to the parser. */
export function requireJson(request: HttpRequest): void {
  const type = request.headers.get('content-type');
  // Absent counts as JSON: plain HTTP callers often omit it, and the parser decides anyway.
  if (type === null || type === '' || type === 'application/json') return;
  const plain = type.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (plain === 'application/json' || plain.endsWith('+json')) return;
  throw new GatewayError('content_type_unsupported', `Send the body as application/json, not ${plain.slice(0, 100)}.`);
}

async function readChunks(request: HttpRequest, { bytesMax, onBytes, slices }: BodyLimits): Promise<Body> {
  if (request.body === null) return new Uint8Array(0);
  const pieces = new BodyPieces();
  for await (const piece of request.body) {
    if (pieces.bytes + piece.length > bytesMax) throw tooLarge(bytesMax);
    onBytes?.(piece.length);
    pieces.add(piece);
  }
  if (slices === undefined || pieces.bytes <= smallBytesMax) return pieces.takeWhole();
  const joined = new JoinedBytes(pieces.takeAll());
  await slices.run(joined);
  return joined.bytes;
}

function tooLarge(bytesMax: number): GatewayError {
  // The connection stays open: the server discards the rest, and a sender that only reads at the end sees the error.
  return new GatewayError('body_too_large', `The body is larger than ${bytesMax} bytes.`);
}

function tooSlow(timeoutMs: number): GatewayError {
  return new GatewayError('body_timeout', `The body did not arrive within ${timeoutMs / 1000} s.`, {
    headers: { connection: 'close' },
  });
}

function brokenOff(cause: unknown): GatewayError {
  return new GatewayError('json_malformed', 'The body broke off before its end.', { cause });
}
