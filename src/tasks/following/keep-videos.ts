/** Fetches the videos of a finished task once and keeps them, all or none. */

import type { MadeVideo } from '../../operations/video.ts';
import type { ProviderKey } from '../../settings/config.ts';
import type { VideoHost } from '../provider/ask-provider.ts';
import {
  extensionOf,
  openVideo,
  piecesOf,
  type SourceParts,
  UnfetchableError,
  videoTypeOf,
} from '../provider/result-source.ts';
import type { Task, TaskResult } from '../task.ts';

/** Where results lie: a folder, or a bucket. */
export interface ResultKeeper {
  /** All or nothing; rejects where the source breaks or is larger than `bytesMax`. */
  write(
    name: string,
    mediaType: string,
    pieces: AsyncIterable<Uint8Array>,
    bytesMax: number,
    tokenId: string,
  ): Promise<{ readonly bytes: number }>;
  remove(name: string): Promise<void>;
}

export interface KeepParts extends SourceParts {
  readonly keeper: ResultKeeper;
  readonly resultBytesMax: number;
}

/** A download may take long, but not stand still. */
const idleTimeoutMs = 60_000;
const headBytes = 12;

export async function keepVideos(
  parts: KeepParts,
  task: Pick<Task, 'id' | 'tokenId'>,
  host: VideoHost,
  key: ProviderKey,
  videos: readonly MadeVideo[],
  signal: AbortSignal,
): Promise<readonly TaskResult[]> {
  if (host.provider.results === 'proxy' && videos.every(({ kind }) => kind === 'url')) {
    return videos.flatMap((video) => (video.kind === 'url' ? [leftThere(video)] : []));
  }
  const kept: TaskResult[] = [];
  for (const [index, video] of videos.entries()) {
    kept.push(await keepOne(parts, { ...task, index }, host, key, video, signal));
  }
  return kept;
}

function leftThere({ url, needsKey }: Extract<MadeVideo, { kind: 'url' }>): TaskResult {
  return { kind: 'at-provider', url, needsKey, mediaType: 'video/mp4' };
}

type Which = Pick<Task, 'id' | 'tokenId'> & { readonly index: number };

async function keepOne(
  parts: KeepParts,
  which: Which,
  host: VideoHost,
  key: ProviderKey,
  video: MadeVideo,
  signal: AbortSignal,
): Promise<TaskResult> {
  if (video.kind === 'base64') return write(parts, which, once(Buffer.from(video.data, 'base64')));
  const silence = new AbortController();
  const stop = (): void => silence.abort(new UnfetchableError('the video stopped arriving'));
  let timer = setTimeout(stop, idleTimeoutMs);
  const restartTimer = (): void => {
    clearTimeout(timer);
    timer = setTimeout(stop, idleTimeoutMs);
  };
  try {
    const reply = await openVideo(parts, host, key, video, AbortSignal.any([signal, silence.signal]));
    return await write(parts, which, piecesOf(reply, restartTimer));
  } finally {
    clearTimeout(timer);
  }
}

async function write(
  parts: KeepParts,
  { id, index, tokenId }: Which,
  source: AsyncIterable<Uint8Array>,
): Promise<TaskResult> {
  const { mediaType, pieces } = await looked(source);
  const name = `${id}-${index}.${extensionOf(mediaType)}`;
  const { bytes } = await parts.keeper.write(name, mediaType, pieces, parts.resultBytesMax, tokenId);
  return { kind: 'kept', name, mediaType, bytes };
}

/** Reads as far as it takes to know what the file is: an error page with status 200 is no video. */
async function looked(
  source: AsyncIterable<Uint8Array>,
): Promise<{ readonly mediaType: string; readonly pieces: AsyncIterable<Uint8Array> }> {
  const rest = source[Symbol.asyncIterator]();
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < headBytes) {
    const next = await rest.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
  }
  const mediaType = videoTypeOf(head);
  if (mediaType !== undefined) return { mediaType, pieces: joined(head, rest) };
  await rest.return?.();
  throw new UnfetchableError(head.length === 0 ? 'the video is empty' : 'what came is no video');
}

async function* joined(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
