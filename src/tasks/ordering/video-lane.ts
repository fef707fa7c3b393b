/** The lane of a video order to one provider. What the provider's wire has no field for is refused before anything is spent. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Loss } from '../../conversation/parts.ts';
import type { ProviderFault } from '../../formats/format.ts';
import type { GivenImage } from '../../operations/images.ts';
import type { GivenMedium, MakeVideoRequest } from '../../operations/video.ts';
import type { VideoWriting } from '../../operations/video-wire.ts';
import { requireLossless } from '../../relay/admission/strict-mode.ts';
import type { Lane } from '../../relay/lanes/lane.ts';
import { mediaTypes, type RequestMedia } from '../../relay/operations/fetch-media.ts';
import { contentTypeOf, type Sent, sentBody } from '../../relay/operations/operation-lane.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { StreamedBody } from '../../upstream/transport.ts';
import type { VideoHost } from '../provider/ask-provider.ts';
import type { OrderCall, OrderParts } from './order-call.ts';

export class VideoLane implements Lane {
  /** No provider has the wire in which callers order. */
  readonly kind = 'translate';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly contentType: string | undefined;
  readonly passesHeaders = false;
  readonly losses: readonly Loss[];
  readonly host: VideoHost;
  readonly clientFormat: string;
  readonly #sent: Sent;
  readonly #readFault: (body: string) => ProviderFault | undefined;

  /** `clientFormat` names the wire of the caller's request. */
  constructor(
    clientFormat: string,
    host: VideoHost,
    request: MakeVideoRequest,
    writing: VideoWriting,
    requestLosses: readonly Loss[],
    readFault: (body: string) => ProviderFault | undefined,
  ) {
    this.clientFormat = clientFormat;
    this.host = host;
    this.#readFault = readFault;
    const { value, losses } = host.wire.writeRequest(request, writing);
    this.url = host.places.create + (value.suffix ?? '');
    this.headers = value.headers;
    this.losses = [...requestLosses, ...losses];
    this.#sent = sentBody(value);
    this.contentType = contentTypeOf(this.#sent);
  }

  get providerFormat(): string {
    return this.host.wire.name;
  }

  body(): Uint8Array<ArrayBuffer> | StreamedBody {
    return this.#sent;
  }

  readFault(body: string): ProviderFault | undefined {
    return this.#readFault(body);
  }
}

type LaneParts = Pick<OrderParts, 'formats' | 'hostOf' | 'hookUrlFor'>;

const videoTypes = ['video/mp4', 'video/webm', 'video/quicktime'];

/** A promise where media must be fetched or read for this provider. */
export function videoLaneFor(
  parts: LaneParts,
  call: OrderCall,
  target: Target,
  media: RequestMedia,
): VideoLane | Promise<VideoLane> {
  const host = parts.hostOf(target);
  if (host === undefined) throw new Error(`${target.provider.name} declares no wire for videos.`);
  const { value } = call.order;
  checkSupport(host, value);
  const unready = unreadyMedia(host, value);
  if (unready.length === 0) return writtenFor(parts, call, target, host, value);
  const types =
    value.video !== undefined && unready.includes(value.video) ? [...mediaTypes, ...videoTypes] : mediaTypes;
  return media.take(unready, types).then((ready) => writtenFor(parts, call, target, host, withMedia(value, ready)));
}

function writtenFor(
  { formats, hookUrlFor }: LaneParts,
  call: OrderCall,
  { provider, model }: Target,
  host: VideoHost,
  request: MakeVideoRequest,
): VideoLane {
  const hookUrl = hookUrlFor(call.taskId);
  const extras = request.extras[provider.name] ?? request.extras[host.wire.name] ?? {};
  const writing = { model, extras, ...(hookUrl !== undefined && { hookUrl }) };
  const foreign = Object.keys(request.extras)
    .filter((name) => name !== provider.name && name !== host.wire.name)
    .map((name) => ({ what: name, why: `is not meant for ${provider.name}` }));
  const { readFault } = formats[provider.formats[0] ?? 'openai-chat'];
  const losses = [...call.order.losses, ...foreign];
  const lane = new VideoLane(call.request.wire.name, host, request, writing, losses, readFault);
  requireLossless(call, lane.losses, provider.name);
  return lane;
}

/** Throws `operation_unsupported` where this provider's wire does not support the request; another one may. */
function checkSupport({ provider, wire }: VideoHost, request: MakeVideoRequest): void {
  const { takes, countMax } = wire;
  const refuse = (what: string, param: string): never => {
    throw new GatewayError('operation_unsupported', `The provider ${provider.name} ${what} for this model.`, { param });
  };
  if (request.images.length > takes.imagesMax) {
    refuse(takes.imagesMax === 0 ? 'takes no images' : `takes ${takes.imagesMax} images at most`, 'images');
  }
  if (request.lastFrame !== undefined && !takes.lastFrame) refuse('takes no last frame', 'last_frame');
  if (request.video !== undefined && !takes.video) refuse('takes no video', 'video');
  if (request.count > countMax) refuse(`makes ${countMax} video${countMax === 1 ? '' : 's'} at a time`, 'n');
}

/** Images and videos that this wire needs in memory. */
function unreadyMedia({ wire, fetchesNothing }: VideoHost, request: MakeVideoRequest): readonly GivenMedium[] {
  const kinds = wire.takes.kinds.filter((kind) => kind !== 'url' || !fetchesNothing);
  return mediaOf(request).filter(({ kind }) => kind !== 'bytes' && !kinds.includes(kind));
}

function withMedia(request: MakeVideoRequest, became: ReadonlyMap<GivenImage, GivenImage>): MakeVideoRequest {
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
