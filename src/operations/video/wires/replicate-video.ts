/**
 * Replicate video models: create a prediction, then poll it.
 * https://replicate.com/docs/reference/http (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import type { MadeVideo, MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import { type MediaFields, writeMedia } from '../media-fields.ts';
import {
  nearestShape,
  quotient,
  type Resolution,
  reportUnsupportedVideo,
  takenExtras,
  wholeWithin,
} from '../video-options.ts';
import { failedVideo, idOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'replicate-video';
const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'];
const resolutions: readonly Resolution[] = ['480p', '720p', '1080p'];
const secondsMost = 60;
/** How long and how many, under the names of some model or other. */
const written = ['prompt', 'duration', 'seconds', 'num_frames', 'num_outputs', 'video_length'];
const said = [
  ...(['images', 'lastFrame', 'video', 'seconds', 'width', 'height', 'aspectRatio', 'seed'] as const),
  'negativePrompt',
] as const;

const references = 'reference_images';
const mediaFields: readonly MediaFields[] = [
  { models: /kling/, first: 'start_image', last: 'end_image', references, video: 'reference_video' },
  { models: /hailuo|\/video-0\d/, first: 'first_frame_image', last: 'last_frame_image' },
  { models: /seedance/, first: 'image', last: 'last_frame_image', references },
  { models: /veo/, first: 'image', last: 'last_frame', references },
  { models: /\/ray/, first: 'start_image', last: 'end_image' },
  { models: /sora/, first: 'input_reference' },
  { models: /./, first: 'image', last: 'last_image', video: 'video' },
];

/** Models that name the length differently, and take a shape only as landscape or portrait. */
const ownWords = /sora/;

export const replicateVideo: VideoWire = {
  name,
  takes: { imagesMax: 9, lastFrame: true, video: true, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 5_000,
  // Models choose between four and ten.
  secondsByDefault: 10,
  secondsFor: (request) => lengthOf(request, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const input = writeInput(request, writing, losses);
    const { suffix, version } = placeFor(writing.model);
    const hook =
      writing.hookUrl === undefined ? {} : { webhook: writing.hookUrl, webhook_events_filter: ['completed'] };
    const tree = { ...defined('version', version), input, ...hook };
    return { value: { body: { kind: 'json', tree }, suffix }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: (ticket, places) => ({ method: 'GET', url: predictionPlace(ticket, places) }),
  readProgress,
  cancel: (ticket, places) => ({ method: 'POST', url: `${predictionPlace(ticket, places)}/cancel` }),
};

/** A model that names its version, or is one, is run by it; the others by their path. */
function placeFor(model: string): { readonly suffix: string; readonly version?: string } {
  const [path = '', version] = model.split(':');
  if (version !== undefined) return { suffix: '/predictions', version };
  if (!path.includes('/')) return { suffix: '/predictions', version: path };
  const named = path.split('/').map((segment) => pathSegment('model', segment));
  return { suffix: `/models/${named.join('/')}/predictions` };
}

function lengthOf({ seconds }: MakeVideoRequest, losses: LossList): number | undefined {
  return wholeWithin(seconds, 1, secondsMost, 'seconds', losses);
}

function writeInput(request: MakeVideoRequest, { model, extras }: VideoWriting, losses: LossList): Tree {
  const { ratio, resolution } = nearestShape(request, ratios, resolutions, losses);
  const isOwn = ownWords.test(model);
  const lies = ratio === undefined ? undefined : quotient(ratio) >= 1 ? 'landscape' : 'portrait';
  const own = {
    prompt: request.prompt,
    ...writeMedia(request, model, mediaFields, losses),
    ...defined(isOwn ? 'seconds' : 'duration', lengthOf(request, losses)),
    ...defined('aspect_ratio', isOwn ? lies : ratio),
    ...defined('resolution', resolution),
    ...defined('seed', request.seed),
    ...defined('negative_prompt', request.negativePrompt),
  };
  return { ...takenExtras(extras, [...written, ...Object.keys(own)], losses), ...own };
}

function predictionPlace({ id = '' }: VideoTicket, { base }: VideoPlaces): string {
  return `${base}/predictions/${pathSegment('id', id)}`;
}

function readProgress(reply: WireReply): VideoProgress {
  const { status, error, output } = replyTree(reply);
  switch (status) {
    case 'queued':
    case 'starting':
      return { state: 'queued' };
    case 'processing':
      return { state: 'in_progress' };
    case 'succeeded':
      return completed(output);
    case 'failed': {
      const words = textOr(error, 'The provider gave no reason.');
      return failedVideo(reasonOf(words), words);
    }
    case 'canceled':
      return failedVideo('cancelled', textOr(error, ''));
    case 'aborted':
      return failedVideo('failed', textOr(error, 'It did not begin in time.'));
    default:
      throw unknownState(status);
  }
}

/** One URL, or a list of them; some models name it. */
function completed(output: unknown): VideoProgress {
  const videos = [output].flat().flatMap((one) => {
    const address = isObject(one) ? (one['video'] ?? one['url']) : one;
    return typeof address === 'string' && address !== '' ? [madeAt(address)] : [];
  });
  return { state: 'completed', videos, facts: {}, consumption: { videos: videos.length } };
}

const inline = /^data:(video\/[a-z0-9.+-]{1,40});base64,/i;

/** Small files come inside the reply. */
function madeAt(address: string): MadeVideo {
  const [head, mediaType] = inline.exec(address.slice(0, 100)) ?? [];
  if (head === undefined || mediaType === undefined) return { kind: 'url', url: address, needsKey: false };
  return { kind: 'base64', data: address.slice(head.length), mediaType: mediaType.toLowerCase() };
}
