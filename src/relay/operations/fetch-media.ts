/** Fetches images: the caller's before anything is spent, the provider's results once they are paid for. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { Deadlines } from '../../http/deadlines.ts';
import { unreadyImages, withImages } from '../../operations/images/given-images.ts';
import { needsFetching } from '../../operations/images/images-reply.ts';
import type { EditImageRequest, GivenImage, ImageReply, MadeImage, MakeImageRequest } from '../../operations/images.ts';
import type { FormFile } from '../../operations/wire.ts';
import type { Egress } from '../../upstream/egress/fetch-from-caller.ts';
import type { CancelSignal } from '../../upstream/transport.ts';
import type { Call } from '../admission/call.ts';
import { clientLeft } from '../attempts/abort-reasons.ts';

export const mediaTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;
export const imageBytesMax = 20 * 1_024 * 1_024;
/** Together in memory until the provider has them. */
export const imagesBytesMax = 64 * 1_024 * 1_024;
const fetchTimeoutMs = 20_000;

export interface MediaParts {
  readonly egress: Pick<Egress, 'fetchFromCaller'>;
  readonly deadlines: Pick<Deadlines, 'add' | 'delete'>;
}

type Bytes = Extract<GivenImage, { kind: 'bytes' }>;

/** The images and videos of one request, prepared for wires that cannot take them as they came. */
export interface RequestMedia {
  /** The request with bytes where this wire wants bytes; nothing where it can be written as it is. Rejects with what names the field. */
  readyFor(request: EditImageRequest, wire: string, fetchesNothing: boolean): Promise<EditImageRequest> | undefined;
  /** These and all earlier ones as bytes in memory. */
  take(unready: readonly GivenImage[], types: readonly string[]): Promise<ReadonlyMap<GivenImage, GivenImage>>;
}

/** What was fetched for one candidate is reused for the next. */
export class GivenMedia implements RequestMedia {
  readonly #parts: MediaParts;
  readonly #call: Pick<Call, 'hasLeft'>;
  readonly #ready = new Map<GivenImage, Bytes>();
  #bytes = 0;

  constructor(parts: MediaParts, call: Pick<Call, 'hasLeft'>) {
    this.#parts = parts;
    this.#call = call;
  }

  readyFor(request: EditImageRequest, wire: string, fetchesNothing: boolean): Promise<EditImageRequest> | undefined {
    const unready = unreadyFor(request, wire, fetchesNothing);
    return unready.length === 0 ? undefined : this.#takeAll(request, unready);
  }

  /** One after the other, so that all of them together stay within their bound. */
  async #takeAll(request: EditImageRequest, unready: readonly GivenImage[]): Promise<EditImageRequest> {
    return withImages(request, await this.take(unready, mediaTypes));
  }

  async take(unready: readonly GivenImage[], types: readonly string[]): Promise<ReadonlyMap<GivenImage, GivenImage>> {
    const leaving = new AbortController();
    const { deadlines } = this.#parts;
    const watched = {
      tick: (): void => {
        if (this.#call.hasLeft()) leaving.abort(clientLeft().error);
      },
    };
    deadlines.add(watched);
    try {
      for (const image of unready) if (!this.#ready.has(image)) await this.#take(image, types, leaving.signal);
    } finally {
      deadlines.delete(watched);
    }
    return this.#ready;
  }

  async #take(image: GivenImage, types: readonly string[], signal: AbortSignal): Promise<void> {
    const bytesMax = Math.min(imageBytesMax, imagesBytesMax - this.#bytes);
    const taken = await this.#read(image, bytesMax, types, signal);
    if (taken === undefined) return;
    this.#bytes += taken.bytes.length;
    this.#ready.set(image, taken);
  }

  async #read(
    image: GivenImage,
    bytesMax: number,
    types: readonly string[],
    signal: AbortSignal,
  ): Promise<Bytes | undefined> {
    if (image.kind === 'file') return readUpload(image.file, bytesMax);
    if (image.kind !== 'url') return undefined;
    const param = image.field ?? 'image';
    const limits = { bytesMax, timeoutMs: fetchTimeoutMs, mediaTypes: types, param, signal };
    const { bytes, mediaType } = await this.#parts.egress.fetchFromCaller(image.url, limits);
    return { kind: 'bytes', bytes, mediaType };
  }
}

/** The images that this wire cannot take as they came. */
export function unreadyFor(request: EditImageRequest, wire: string, fetchesNothing: boolean): readonly GivenImage[] {
  return fetchesNothing ? unfetched(request) : unreadyImages(request, wire);
}

function unfetched({ images, mask }: EditImageRequest): readonly GivenImage[] {
  return (mask === undefined ? images : [...images, mask]).filter(({ kind }) => kind === 'url');
}

async function readUpload(file: FormFile, bytesMax: number): Promise<Bytes> {
  if (file.bytes > bytesMax) throw tooLarge(file.field, bytesMax);
  const bytes = new Uint8Array(file.bytes);
  let at = 0;
  for await (const piece of file.open()) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const { mediaType, filename } = file;
  return { kind: 'bytes', bytes, mediaType, ...(filename !== undefined && { filename }) };
}

function tooLarge(param: string, bytesMax: number): GatewayError {
  const message = `The image \`${param}\` is larger than the ${bytesMax} bytes that this model's provider can be given.`;
  return new GatewayError('field_invalid', message, { param });
}

interface Inlined {
  readonly reply: ImageReply;
  readonly losses: readonly Loss[];
}

/**
 * The reply with the images themselves where the caller wants them and the provider gave only URLs. Never rejects: what
 * cannot be fetched is paid for all the same, so its URL stays and is reported as a loss.
 */
export async function inlineImages(
  egress: MediaParts['egress'],
  reply: ImageReply,
  request: MakeImageRequest,
  abandoned: CancelSignal,
): Promise<Inlined> {
  const wanted = new Set(needsFetching(reply, request));
  if (wanted.size === 0) return { reply, losses: [] };
  const leaving = new AbortController();
  const listener = { handleEvent: (): void => leaving.abort(abandoned.reason) };
  if (abandoned.aborted) listener.handleEvent();
  else abandoned.addEventListener('abort', listener);
  try {
    const losses: Loss[] = [];
    const images: MadeImage[] = [];
    for (const [index, image] of reply.images.entries()) {
      const fetched = await fetchMade(egress, image, leaving.signal);
      if (fetched === undefined) losses.push({ what: `data[${index}].b64_json`, why: 'could not be fetched' });
      images.push(fetched ?? image);
    }
    return { reply: { ...reply, images }, losses };
  } finally {
    abandoned.removeEventListener('abort', listener);
  }
}

/** Undefined where the image could not be fetched. */
async function fetchMade(
  egress: MediaParts['egress'],
  image: MadeImage,
  signal: AbortSignal,
): Promise<MadeImage | undefined> {
  const { source } = image;
  if (source.kind !== 'url') return image;
  const limits = { bytesMax: imageBytesMax, timeoutMs: fetchTimeoutMs, mediaTypes, signal };
  try {
    const { bytes, mediaType } = await egress.fetchFromCaller(source.url, limits);
    return { ...image, source: { kind: 'base64', data: Buffer.from(bytes).toString('base64'), mediaType } };
  } catch {
    return undefined;
  }
}
