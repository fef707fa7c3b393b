/**
 * fal video models: submit to the queue, poll the status, then fetch the response.
 * https://fal.ai/docs/documentation/model-apis/inference/queue (read 2026-11-16).
 */

import { countOf, defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { query } from '../../audio/address-parts.ts';
import type { MadeVideo, MakeVideoRequest, VideoFacts, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoQuestion, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree } from '../../wire-replies.ts';
import { type MediaFields, writeMedia } from '../media-fields.ts';
import { nearestShape, type Resolution, reportUnsupportedVideo, takenExtras, wholeWithin } from '../video-options.ts';
import { failedVideo, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'fal-video';
const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'];
const resolutions: readonly Resolution[] = ['480p', '720p', '1080p'];
const secondsMost = 60;
/** How long and how many, under the names of some model or other. */
const written = ['prompt', 'duration', 'seconds', 'num_frames', 'num_videos'];
const said = [
  ...(['images', 'lastFrame', 'video', 'seconds', 'width', 'height', 'aspectRatio', 'seed'] as const),
  'negativePrompt',
] as const;

const video = 'video_url';
const mediaFields: readonly MediaFields[] = [
  { models: /\/elements$/, references: 'input_image_urls' },
  { models: /vidu.*reference-to-video/, references: 'reference_image_urls' },
  { models: /reference-to-video/, references: 'image_urls', video },
  { models: /first-last-frame/, first: 'first_frame_url', last: 'last_frame_url' },
  { models: /kling.*\/(v[3-9]|o\d)\b/, first: 'start_image_url', last: 'end_image_url', video },
  { models: /kling/, first: 'image_url', last: 'tail_image_url', video },
  { models: /./, first: 'image_url', last: 'end_image_url', video },
];

/** Most models have the number of seconds as text, and the others differ by vendor. */
const lengths: readonly (readonly [RegExp, (seconds: number) => string | number])[] = [
  [/veo|luma/, (seconds) => `${seconds}s`],
  [/sora|ltx/, (seconds) => seconds],
];

export const falVideo: VideoWire = {
  name,
  takes: { imagesMax: 7, lastFrame: true, video: true, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 5_000,
  // Models choose between four and ten.
  secondsByDefault: 10,
  secondsFor: (request) => lengthOf(request, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, said, losses);
    const tree = writeTree(request, writing, losses);
    const { hookUrl } = writing;
    const suffix = hookUrl === undefined ? {} : { suffix: query({ fal_webhook: hookUrl }) };
    return { value: { body: { kind: 'json', tree }, ...suffix }, losses: losses.all };
  },
  readTicket: (reply) => {
    const { status_url: status, response_url: response, cancel_url: cancel } = replyTree(reply);
    return {
      status: pathOf(status, 'status_url'),
      response: pathOf(response, 'response_url'),
      ...(cancel !== undefined && { cancel: pathOf(cancel, 'cancel_url') }),
    };
  },
  ask: (ticket, places) => question('GET', (isDone(ticket) ? ticket['response'] : ticket['status']) ?? '', places),
  readProgress: (reply, ticket) => (isDone(ticket) ? readResult(reply) : readState(reply, ticket)),
  cancel: (ticket, places) => question('PUT', ticket['cancel'] ?? cancelBeside(ticket), places),
};

function lengthOf({ seconds }: MakeVideoRequest, losses: LossList): number | undefined {
  return wholeWithin(seconds, 1, secondsMost, 'seconds', losses);
}

function writeTree(request: MakeVideoRequest, { model, extras }: VideoWriting, losses: LossList): Tree {
  const { ratio, resolution } = nearestShape(request, ratios, resolutions, losses);
  const seconds = lengthOf(request, losses);
  const length = lengths.find(([models]) => models.test(model))?.[1] ?? String;
  const own = {
    prompt: request.prompt,
    ...writeMedia(request, model, mediaFields, losses),
    ...defined('duration', seconds === undefined ? undefined : length(seconds)),
    ...defined('aspect_ratio', ratio),
    ...defined('resolution', resolution),
    ...defined('seed', request.seed),
    ...defined('negative_prompt', request.negativePrompt),
  };
  return { ...takenExtras(extras, [...written, ...Object.keys(own)], losses), ...own };
}

/** Only the path is stored: the host is known, and the key is sent to no other. */
function pathOf(address: unknown, field: string): string {
  const place = typeof address === 'string' ? URL.parse(address) : null;
  if (place === null) throw new SyntaxError(`The provider's reply has no \`${field}\`.`);
  return place.pathname + place.search;
}

function cancelBeside({ status = '' }: VideoTicket): string {
  return status.replace(/\/status(\?.*)?$/, '/cancel');
}

function question(method: VideoQuestion['method'], path: string, { base }: VideoPlaces): VideoQuestion {
  return { method, url: base + path };
}

function isDone(ticket: VideoTicket): boolean {
  return ticket['done'] === 'yes';
}

function readState(reply: WireReply, ticket: VideoTicket): VideoProgress {
  const tree = replyTree(reply);
  const { status } = tree;
  switch (status) {
    case 'IN_QUEUE':
      return { state: 'queued' };
    case 'IN_PROGRESS':
      return { state: 'in_progress' };
    case 'COMPLETED': {
      const failure = failureOf(tree);
      if (failure !== undefined) return failedVideo(reasonOf(failure), failure);
      return { state: 'in_progress', ticket: { ...ticket, done: 'yes' }, askNow: true };
    }
    case 'FAILED':
    case 'ERROR': {
      const words = failureOf(tree) ?? 'The provider gave no reason.';
      return failedVideo(reasonOf(words), words);
    }
    case 'CANCELED':
    case 'CANCELLED':
      return failedVideo('cancelled', failureOf(tree) ?? '');
    default:
      throw unknownState(status);
  }
}

/** A failed run is completed too; it reports the failure in one of two fields, the second of which may be a list. */
function failureOf({ error, detail }: Tree): string | undefined {
  const words = [error, detail].flat().flatMap((one) => {
    const text = isObject(one) ? (one['msg'] ?? one['message']) : one;
    return typeof text === 'string' && text !== '' ? [text] : [];
  });
  return words.length > 0 ? words.join(' ') : undefined;
}

function readResult(reply: WireReply): VideoProgress {
  const tree = replyTree(reply);
  const made = filesOf(tree);
  const failure = made.length === 0 ? failureOf(tree) : undefined;
  if (failure !== undefined) {
    // Its state was updated before its result.
    if (/still in progress/i.test(failure)) return { state: 'in_progress' };
    return failedVideo(reasonOf(failure), failure);
  }
  const facts = factsOf(made[0] ?? {}, tree);
  // A file is some frames longer than what was ordered and is paid for.
  const paid = facts.seconds === undefined ? undefined : Math.round(facts.seconds) * made.length;
  return {
    state: 'completed',
    videos: made.map(({ url }): MadeVideo => ({ kind: 'url', url, needsKey: false })),
    facts,
    consumption: { videos: made.length, ...defined('videoSeconds', paid) },
  };
}

/** Most models answer with one, a few with a list. */
function filesOf(tree: Tree): (Tree & { readonly url: string })[] {
  const list: unknown[] = Array.isArray(tree['videos']) ? tree['videos'] : [tree['video']];
  return list.filter(isObject).flatMap((file) => {
    const { url } = file;
    return typeof url === 'string' && url !== '' ? [{ ...file, url }] : [];
  });
}

function factsOf({ duration, fps, width, height }: Tree, { seed }: Tree): VideoFacts {
  return {
    ...defined('seconds', positiveOf(duration)),
    ...defined('fps', positiveOf(fps)),
    ...defined('width', positiveOf(width)),
    ...defined('height', positiveOf(height)),
    ...defined('seed', countOf(seed)),
  };
}
