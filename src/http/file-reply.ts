/** Serves a kept result, whole or one range of it, uncached by others than the caller. */

import type { RequestHeaders } from './request-headers.ts';

interface ByteRange {
  readonly start: number;
  /** The last byte, inclusive as in HTTP. */
  readonly end: number;
}

/** A result in any storage. */
export interface ServedResult {
  readonly mediaType: string;
  readonly bytes: number;
  /** The file name under which a browser saves it. */
  readonly filename?: string;
  /** Undefined if it is gone. A range lies within the result. */
  open(
    range: ByteRange | undefined,
  ): Promise<{ readonly body: Blob | ReadableStream<Uint8Array<ArrayBuffer>> } | undefined>;
}

/** Nothing in a result may run or load anything. */
const heldPolicy = "default-src 'none'; sandbox";
/**
 * A browser that opens a video makes a page around it, which loads the same URL again: from its own origin, not from a
 * sandbox.
 */
const playedPolicy = "default-src 'none'; media-src 'self'; style-src 'unsafe-inline'";

/** Undefined if the result is gone. The caller keeps the connection open as long as the sending takes. */
export async function resultReply(result: ServedResult, headers: RequestHeaders): Promise<Response | undefined> {
  const { mediaType, bytes, filename } = result;
  const range = rangeOf(headers, bytes);
  if (range === 'outside') return outside(bytes);
  const opened = await result.open(range);
  return opened === undefined ? undefined : piece(opened.body, range, bytes, mediaType, filename);
}

function piece(
  body: Blob | ReadableStream<Uint8Array<ArrayBuffer>>,
  range: ByteRange | undefined,
  bytes: number,
  mediaType: string,
  filename: string | undefined,
): Response {
  const shared = mediaHeaders(mediaType, filename);
  if (range === undefined) return new Response(body, { headers: { ...shared, 'content-length': `${bytes}` } });
  const length = range.end - range.start + 1;
  return new Response(body, {
    status: 206,
    headers: {
      ...shared,
      'content-length': `${length}`,
      'content-range': `bytes ${range.start}-${range.end}/${bytes}`,
    },
  });
}

/** Nothing in a result may run in a browser, and no shared cache may keep it. */
export function mediaHeaders(mediaType: string, filename?: string): Record<string, string> {
  return {
    'content-type': mediaType,
    'content-disposition':
      filename === undefined ? 'inline' : `inline; filename="${filename.replace(/[^\w.-]/g, '_')}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': mediaType.startsWith('video/') ? playedPolicy : heldPolicy,
  };
}

function outside(bytes: number): Response {
  return new Response(null, {
    status: 416,
    headers: { 'content-range': `bytes */${bytes}`, 'accept-ranges': 'bytes', 'cache-control': 'private, no-store' },
  });
}

/** Weir sends no ETag or date that a client could compare, so a range with `If-Range` is ignored. */
function rangeOf(headers: RequestHeaders, bytes: number): ByteRange | 'outside' | undefined {
  const asked = headers.get('range');
  return asked === null || headers.has('if-range') ? undefined : readRange(asked, bytes);
}

/** One range; several, or other units, are answered with the whole file, as HTTP allows. */
export function readRange(text: string, bytes: number): ByteRange | 'outside' | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text.trim()) ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  if (first === '') {
    const count = Math.min(Number(last), bytes);
    return count === 0 ? 'outside' : { start: bytes - count, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes) return 'outside';
  return start > end ? undefined : { start, end };
}
