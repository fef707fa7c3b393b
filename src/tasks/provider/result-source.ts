/** Fetches a finished video: from the provider's own host with its key where it wants one, from any other host through the egress guard. */

import type { MadeVideo } from '../../operations/video.ts';
import type { Authorizer } from '../../providers/sign/authorize.ts';
import { isSibling } from '../../relay/operations/poll-result.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { Egress } from '../../upstream/egress/fetch-from-caller.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { VideoHost } from './ask-provider.ts';

export interface SourceParts {
  readonly authorizer: Authorizer;
  readonly egress: Pick<Egress, 'open'>;
}

/** A video that could not be fetched; the message is for the task's owner. */
export class UnfetchableError extends Error {
  override readonly name = 'UnfetchableError';
}

const redirectsMax = 3;

/** The head of the video's reply: 200, or for a range 206 or 416. Rejects with an `UnfetchableError` for any other. */
export async function openVideo(
  parts: SourceParts,
  host: Pick<VideoHost, 'provider' | 'places'>,
  key: ProviderKey,
  video: Extract<MadeVideo, { kind: 'url' }>,
  signal: AbortSignal,
  range?: string,
): Promise<UpstreamReply> {
  const asked = range === undefined ? {} : { range };
  const reply = await first(parts, host, key, video, asked, signal);
  if (reply.status === 200 || (range !== undefined && (reply.status === 206 || reply.status === 416))) return reply;
  reply.cancel();
  throw new UnfetchableError(`the video's address answered with status ${reply.status}`);
}

async function first(
  { authorizer, egress }: SourceParts,
  { provider, places }: Pick<VideoHost, 'provider' | 'places'>,
  key: ProviderKey,
  { url, needsKey }: Extract<MadeVideo, { kind: 'url' }>,
  asked: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<UpstreamReply> {
  const isHome = needsKey ? isSibling(url, places.base) : URL.parse(url)?.origin === URL.parse(places.base)?.origin;
  if (needsKey && !isHome) throw new UnfetchableError('the video lies on another host than the provider');
  if (!isHome) return egress.open({ url, method: 'GET', headers: asked, redirectsMax, signal });
  // The operator chose this host, so it may be a private one.
  const credential = needsKey ? await authorizer.headersFor(provider, key, { method: 'GET', url }) : {};
  const headers = { ...credential, ...asked, 'user-agent': 'weir' };
  const reply = await provider.transport({ url, method: 'GET', headers, signal });
  const location = reply.status >= 300 && reply.status < 400 ? reply.header('location') : undefined;
  if (location === undefined) return reply;
  reply.cancel();
  // Without the key: the operator did not choose this host.
  const next = URL.parse(location, url)?.href ?? '';
  return egress.open({ url: next, method: 'GET', headers: asked, redirectsMax, signal });
}

/** What a file's first bytes say it is; nothing where it is no video. */
export function videoTypeOf(head: Uint8Array): string | undefined {
  const text = Buffer.from(head.subarray(0, 12)).toString('latin1');
  if (text.slice(4, 8) === 'ftyp') return text.slice(8, 10) === 'qt' ? 'video/quicktime' : 'video/mp4';
  return text.startsWith('\x1a\x45\xdf\xa3') ? 'video/webm' : undefined;
}

const extensions: Readonly<Record<string, string>> = {
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
};

export function extensionOf(mediaType: string): string {
  return extensions[mediaType] ?? 'bin';
}

/** The pieces of a reply's body; `onPiece` is called for each, so that a stall can be noticed. */
export async function* piecesOf(reply: UpstreamReply, onPiece: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (let piece = await reply.read(); piece !== undefined; piece = await reply.read()) {
      onPiece();
      yield piece;
    }
  } finally {
    reply.cancel();
  }
}
