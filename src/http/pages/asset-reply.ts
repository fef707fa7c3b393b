/** Serves a file of the built console: compressed beforehand, kept by browsers for good, since its name changes with its content. */

import type { RequestHeaders } from '../request-headers.ts';
import type { Encoding, PackedFile } from './console-pack.ts';
import { pageHeaders } from './page-headers.ts';

export function assetReply(file: PackedFile, asked: RequestHeaders): Response {
  const encoding = bestEncoding(file, asked.get('accept-encoding') ?? '');
  const etag = encoding === 'identity' ? `"${file.etag}"` : `"${file.etag}-${encoding}"`;
  const headers: Record<string, string> = {
    ...pageHeaders({ contentType: file.type, immutable: true }),
    etag,
    vary: 'accept-encoding',
  };
  if (matches(asked.get('if-none-match'), etag)) return new Response(null, { status: 304, headers });
  if (encoding !== 'identity') headers['content-encoding'] = encoding;
  return new Response(file.bodies[encoding] ?? null, { headers });
}

/** The smallest form that the browser says it can read. */
export function bestEncoding(file: Pick<PackedFile, 'bodies'>, accepted: string): Encoding {
  const readable = new Set(
    accepted
      .toLowerCase()
      .split(',')
      .map((entry) => entry.trim().split(/\s*;\s*/))
      .filter(([, quality]) => quality === undefined || Number(quality.replace(/^q=/, '')) > 0)
      .map(([name]) => name),
  );
  for (const encoding of ['br', 'gzip'] as const) {
    if (readable.has(encoding) && file.bodies[encoding] !== undefined) return encoding;
  }
  return 'identity';
}

function matches(known: string | null, etag: string): boolean {
  if (known === null) return false;
  return known.trim() === '*' || known.split(',').some((one) => one.trim().replace(/^W\//, '') === etag);
}
