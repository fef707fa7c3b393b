/** The way of one video request to one provider. Refuses what the provider's wire has no place for before anything is spent. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { ProviderFault } from '../../formats/format.ts';
import type { GivenImage } from '../../operations/images.ts';
import type { GivenMedium, MakeVideoRequest } from '../../operations/video.ts';
import type { VideoWriting } from '../../operations/video-wire.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import { contentTypeOf, type Sent, sentBody } from '../../relay/operations/operation-lane.ts';
import type { StreamedBody } from '../../upstream/transport.ts';
import type { Home } from '../provider/ask-provider.ts';

export class VideoLane implements Lane {
  /** Callers order in their own words, which no provider has. */
  readonly kind = 'translate';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly contentType: string | undefined;
  readonly passesHeaders = false;
  readonly losses: readonly Loss[];
  readonly home: Home;
  readonly hears: string;
  readonly #sent: Sent;
  readonly #readFault: (body: string) => ProviderFault | undefined;

  /** `hears` names the words in which the caller ordered. */
  constructor(
    hears: string,
    home: Home,
    request: MakeVideoRequest,
    writing: VideoWriting,
    requestLosses: readonly Loss[],
    readFault: (body: string) => ProviderFault | undefined,
  ) {
    this.hears = hears;
    this.home = home;
    this.#readFault = readFault;
    const { value, losses } = home.wire.writeRequest(request, writing);
    this.url = home.places.create + (value.suffix ?? '');
    this.headers = value.headers;
    this.losses = [...requestLosses, ...losses];
    this.#sent = sentBody(value);
    this.contentType = contentTypeOf(this.#sent);
  }

  get speaks(): string {
    return this.home.wire.name;
  }

  body(): Uint8Array<ArrayBuffer> | StreamedBody {
    return this.#sent;
  }

  readFault(body: string): ProviderFault | undefined {
    return this.#readFault(body);
  }
}

/** Throws `operation_unsupported` where this provider cannot be told what the request says; another one may. */
export function checkTaking({ provider, wire }: Home, request: MakeVideoRequest): void {
  const { takes, countMax } = wire;
  const refuse = (what: string, param: string): never => {
    throw new GatewayError('operation_unsupported', `The provider ${provider.name} ${what} for this model.`, { param });
  };
  if (request.images.length > takes.imagesMax) {
    refuse(takes.imagesMax === 0 ? 'takes no pictures' : `takes ${takes.imagesMax} pictures at most`, 'images');
  }
  if (request.lastFrame !== undefined && !takes.lastFrame) refuse('takes no last frame', 'last_frame');
  if (request.video !== undefined && !takes.video) refuse('takes no video', 'video');
  if (request.count > countMax) refuse(`makes ${countMax} video${countMax === 1 ? '' : 's'} at a time`, 'n');
}

/** Pictures and videos that this wire wants in memory. */
export function unreadyMedia({ wire, fetchesNothing }: Home, request: MakeVideoRequest): readonly GivenMedium[] {
  const kinds = wire.takes.kinds.filter((kind) => kind !== 'url' || !fetchesNothing);
  return mediaOf(request).filter(({ kind }) => kind !== 'bytes' && !kinds.includes(kind));
}

export function withMedia(request: MakeVideoRequest, became: ReadonlyMap<GivenImage, GivenImage>): MakeVideoRequest {
  const now = (medium: GivenMedium): GivenMedium => {
    const found = became.get(medium);
    return found === undefined || found.kind === 'file-id' ? medium : found;
  };
  return {
    ...request,
    images: request.images.map(now),
    ...(request.lastFrame !== undefined && { lastFrame: now(request.lastFrame) }),
    ...(request.video !== undefined && { video: now(request.video) }),
  };
}

function mediaOf({ images, lastFrame, video }: MakeVideoRequest): readonly GivenMedium[] {
  return [...images, ...(lastFrame === undefined ? [] : [lastFrame]), ...(video === undefined ? [] : [video])];
}
