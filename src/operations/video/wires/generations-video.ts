/** Weir's own video API towards a provider: the sandbox, or another Weir behind this one. */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import type { Converted } from '../../../conversation/parts.ts';
import { addressOf } from '../../images/inline-images.ts';
import type { GivenMedium, MadeVideo, MakeVideoRequest, VideoFacts, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoQuestion, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply, WrittenRequest } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { takenExtras } from '../video-options.ts';
import { failedVideo, notTaken, percentOf, positiveOf, unknownState } from '../video-progress.ts';

/** The sandbox's ids hold the whole request, so that any process can answer for them. */
const idCharactersMax = 8_192;
const secondsByDefault = 4;

/** Two ends of a task whose number distinguishes them from any other failure. */
const refusedCode = 1002;
const cancelledCode = 1003;

/** Extras cannot set a field that the request itself sets. */
const ownFields = [
  'model',
  'prompt',
  'image',
  'images',
  'last_frame',
  'video',
  'duration',
  'seconds',
  'width',
  'height',
  'size',
  'aspect_ratio',
  'fps',
  'seed',
  'n',
  'negative_prompt',
  'callback_url',
] as const;

export const generationsVideo: VideoWire = {
  name: 'video-generations',
  takes: { imagesMax: 16, lastFrame: true, video: true, kinds: ['url'] },
  // A task has room for one URL.
  countMax: 1,
  askEveryMs: 1_000,
  secondsByDefault,
  secondsFor: durationOf,
  writeRequest,
  readTicket,
  ask: (ticket, places) => ({ method: 'GET', url: placeOf(ticket, places) }),
  readProgress,
  cancel: (ticket, places): VideoQuestion => ({ method: 'DELETE', url: placeOf(ticket, places) }),
};

function writeRequest(request: MakeVideoRequest, writing: VideoWriting): Converted<WrittenRequest> {
  const losses = new LossList();
  const address = (medium: GivenMedium | undefined, field: string): string | undefined => {
    const written = medium && addressOf(medium);
    if (medium !== undefined && written === undefined) losses.add(field, 'is neither in memory nor at a URL');
    return written;
  };
  const images = request.images.flatMap((image, index) => address(image, `images[${index}]`) ?? []);
  const tree: Tree = {
    ...takenExtras(writing.extras, ownFields, losses),
    model: writing.model,
    prompt: request.prompt,
    ...(images.length === 1 && { image: images[0] }),
    ...(images.length > 1 && { images }),
    ...defined('last_frame', address(request.lastFrame, 'last_frame')),
    ...defined('video', address(request.video, 'video')),
    ...defined('duration', durationOf(request)),
    ...defined('width', request.width),
    ...defined('height', request.height),
    ...defined('aspect_ratio', request.aspectRatio),
    ...defined('fps', request.fps),
    ...defined('seed', request.seed),
    ...(request.count > 1 && { n: request.count }),
    ...defined('negative_prompt', request.negativePrompt),
    ...defined('callback_url', writing.hookUrl),
  };
  return { value: { body: { kind: 'json', tree } }, losses: losses.all };
}

/** Money was reserved for a length, so the length is written; a video that is edited keeps its own. */
function durationOf({ seconds, video }: MakeVideoRequest): number | undefined {
  return seconds ?? (video === undefined ? secondsByDefault : undefined);
}

function readTicket(reply: WireReply): VideoTicket {
  const { task_id: id, status, error } = replyTree(reply);
  if (status === 'failed' || (id === undefined && isObject(error))) {
    const { code, message } = failureOf(error);
    throw notTaken(message, code === refusedCode);
  }
  if (typeof id !== 'string' || id === '' || id.length > idCharactersMax) {
    throw new SyntaxError("The provider's reply has no `task_id`.");
  }
  return { id };
}

/** A query of the declared URL stays behind the path. */
function placeOf({ id = '' }: VideoTicket, { create }: VideoPlaces, below = ''): string {
  const [path = '', query] = create.split('?', 2);
  return `${path}/${encodeURIComponent(id)}${below}${query === undefined ? '' : `?${query}`}`;
}

function readProgress(reply: WireReply, ticket: VideoTicket, places: VideoPlaces): VideoProgress {
  const tree = replyTree(reply);
  const { status } = tree;
  switch (status) {
    case 'queued':
    case 'in_progress':
      return { state: status, ...defined('percent', percentOf(tree['progress'])) };
    case 'completed': {
      const facts = factsOf(tree['metadata']);
      const consumption = { videos: 1, ...defined('videoSeconds', facts.seconds) };
      return { state: 'completed', videos: [videoOf(tree, ticket, places)], facts, consumption };
    }
    case 'failed': {
      const { code, message } = failureOf(tree['error']);
      const reason = code === refusedCode ? 'refused' : code === cancelledCode ? 'cancelled' : 'failed';
      return failedVideo(reason, message);
    }
    default:
      throw unknownState(status);
  }
}

const dataAddress = /^data:(video\/[a-z0-9.+-]{1,40})(?:;[a-z-]+=[^;,]{1,40})*;base64,/i;

/** A URL on another host is public; the key is sent to the provider's own host alone. */
function videoOf({ url }: Tree, ticket: VideoTicket, places: VideoPlaces): MadeVideo {
  const said = typeof url === 'string' ? url : '';
  const [head, mediaType] = dataAddress.exec(said.slice(0, 200)) ?? [];
  if (head !== undefined && mediaType !== undefined) {
    return { kind: 'base64', data: said.slice(head.length), mediaType: mediaType.toLowerCase() };
  }
  const elsewhere = URL.parse(said);
  if (elsewhere !== null && /^https?:$/.test(elsewhere.protocol) && elsewhere.host !== URL.parse(places.create)?.host) {
    return { kind: 'url', url: said, needsKey: false };
  }
  return { kind: 'url', url: placeOf(ticket, places, '/content'), needsKey: true };
}

function factsOf(metadata: unknown): VideoFacts {
  if (!isObject(metadata)) return {};
  const { seed } = metadata;
  return {
    ...defined('seconds', positiveOf(metadata['duration'])),
    ...defined('fps', positiveOf(metadata['fps'])),
    ...defined('width', positiveOf(metadata['width'])),
    ...defined('height', positiveOf(metadata['height'])),
    ...defined('seed', typeof seed === 'number' && Number.isSafeInteger(seed) ? seed : undefined),
  };
}

function failureOf(error: unknown): { readonly code: unknown; readonly message: string } {
  const { code, message } = isObject(error) ? error : {};
  const said = typeof message === 'string' && message !== '' ? message : 'The provider gave no reason.';
  return { code, message: said };
}
