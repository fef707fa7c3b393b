/** Serves a file, whole or one range of it, to nobody but the one who asked. */

export interface ServedFile {
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
}

export function fileReply({ path, mediaType, bytes }: ServedFile, headers: Headers): Response {
  const shared = {
    'content-type': mediaType,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  const asked = headers.get('range');
  const range = asked === null ? undefined : readRange(asked, bytes);
  if (range === 'outside') {
    return new Response(null, { status: 416, headers: { 'content-range': `bytes */${bytes}` } });
  }
  const file = Bun.file(path);
  if (range === undefined) return new Response(file, { headers: shared });
  const { start, end } = range;
  return new Response(file.slice(start, end + 1), {
    status: 206,
    headers: { ...shared, 'content-range': `bytes ${start}-${end}/${bytes}` },
  });
}

/** One range; several, or other units, are answered with the whole file, as is allowed. */
export function readRange(text: string, bytes: number): { start: number; end: number } | 'outside' | undefined {
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
