/**
 * Kling video API: text to video and image to video at paths of their own, where their tasks are polled too.
 * https://app.klingai.com/global/dev/document-api/apiReference/commonInfo (read 2026-11-15).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { base64Of } from '../../images/inline-images.ts';
import type { GivenMedium, MadeVideo, MakeVideoRequest, VideoProgress } from '../../video.ts';
import type { VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  nearest,
  nearestShape,
  type Resolution,
  reportUnsupportedVideo,
  takenExtras,
  wholeWithin,
} from '../video-options.ts';
import { failedVideo, idOf, notTaken, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'kling-video';
const fromWords = 'text2video';
const fromImage = 'image2video';
const ratios = ['16:9', '9:16', '1:1'];
const written = [
  'model_name',
  'model',
  'prompt',
  'image',
  'image_tail',
  'duration',
  'callback_url',
  'external_task_id',
];

/** The provider's names of resolutions. */
const modes: Partial<Readonly<Record<Resolution, string>>> = { '720p': 'std', '1080p': 'pro' };
const resolutions = Object.keys(modes) as Resolution[];

interface Lengths {
  readonly models: RegExp;
  readonly most: number;
}

/** Models since the third generation take every whole number from three on, the ones before five or ten. */
const freeLengths: readonly Lengths[] = [
  { models: /-v3|-o3|omni/, most: 15 },
  { models: /-v[4-9]/, most: 30 },
];
const secondsLeast = 3;
const fixedLengths = [5, 10];

/** Refusals have a number of their own; a task reports them by its message. */
const refusalCodes: readonly unknown[] = [1300, 1301];
const refusalWords = /risk control|security|not pass/i;

export const klingVideo: VideoWire = {
  name,
  takes: { imagesMax: 1, lastFrame: true, video: false, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 10_000,
  secondsByDefault: 5,
  secondsFor: (request, model) => lengthOf(request, model, new LossList()),
  writeRequest: (request, writing) => {
    const losses = new LossList();
    const kind = request.images.length > 0 || request.lastFrame !== undefined ? fromImage : fromWords;
    const said = ['images', 'lastFrame', 'seconds', 'width', 'height', 'aspectRatio', 'negativePrompt'] as const;
    reportUnsupportedVideo(request, said, losses);
    const tree = writeTree(request, writing, kind, losses);
    return { value: { body: { kind: 'json', tree }, suffix: `/videos/${kind}` }, losses: losses.all };
  },
  readTicket: (reply) => {
    const { code, message, data } = replyTree(reply);
    if (typeof code === 'number' && code !== 0)
      throw notTaken(textOr(message, `code ${code}`), isRefused(code, message));
    const id = idOf(isObject(data) ? data['task_id'] : undefined, 'data.task_id');
    // The reply does not say which of the two URLs knows the task.
    return { id, kind: new RegExp(`/${fromImage}\\b`).test(reply.address ?? '') ? fromImage : fromWords };
  },
  ask: ({ id = '', kind }, { base }) => {
    const place = kind === fromImage ? fromImage : fromWords;
    return { method: 'GET', url: `${base}/videos/${place}/${pathSegment('id', id)}` };
  },
  readProgress,
};

function writeTree(
  request: MakeVideoRequest,
  { model, extras, hookUrl }: VideoWriting,
  kind: string,
  losses: LossList,
): Tree {
  // An image gives the video its shape.
  const shape = nearestShape(request, kind === fromWords ? ratios : [], resolutions, losses);
  const seconds = lengthOf(request, model, losses);
  const own = {
    model_name: model,
    ...(request.prompt !== '' && { prompt: request.prompt }),
    ...writeImages(request, losses),
    ...defined('negative_prompt', request.negativePrompt),
    ...defined('mode', shape.resolution && modes[shape.resolution]),
    ...defined('aspect_ratio', shape.ratio),
    ...defined('duration', seconds === undefined ? undefined : String(seconds)),
    ...defined('callback_url', hookUrl),
  };
  return { ...takenExtras(extras, [...written, ...Object.keys(own)], losses), ...own };
}

function lengthOf({ seconds }: MakeVideoRequest, model: string, losses: LossList): number | undefined {
  const free = freeLengths.find(({ models }) => models.test(model));
  return free === undefined
    ? nearest(seconds, fixedLengths, 'seconds', losses)
    : wholeWithin(seconds, secondsLeast, free.most, 'seconds', losses);
}

function writeImages({ images, lastFrame }: MakeVideoRequest, losses: LossList): Tree {
  images.slice(1).forEach((_, index) => {
    losses.add(`images[${index + 1}]`, 'one image begins the video');
  });
  const image = (field: string, medium: GivenMedium | undefined): string | undefined => {
    if (medium?.kind === 'url') return medium.url;
    if (medium?.kind === 'bytes') return base64Of(medium);
    if (medium !== undefined) losses.add(field, 'cannot be taken as it came');
    return undefined;
  };
  return {
    ...defined('image', image('images[0]', images[0])),
    ...defined('image_tail', image('last_frame', lastFrame)),
  };
}

function isRefused(code: unknown, message: unknown): boolean {
  const words = textOr(message, '');
  return refusalCodes.includes(code) || refusalWords.test(words) || reasonOf(words) === 'refused';
}

function readProgress(reply: WireReply): VideoProgress {
  const { code, message, data } = replyTree(reply);
  // About the poll, not about the task.
  if (typeof code === 'number' && code !== 0)
    throw new SyntaxError(`The provider answered with code ${code}: ${message}`);
  const { task_status: status, task_status_msg: said, task_result: result } = isObject(data) ? data : {};
  switch (status) {
    case 'submitted':
      return { state: 'queued' };
    case 'processing':
      return { state: 'in_progress' };
    case 'succeed':
      return completed(isObject(result) ? result['videos'] : undefined);
    case 'failed': {
      const words = textOr(said, 'The provider gave no reason.');
      return failedVideo(isRefused(undefined, words) ? 'refused' : 'failed', words);
    }
    default:
      throw unknownState(status);
  }
}

function completed(list: unknown): VideoProgress {
  const made = Array.isArray(list) ? list.filter(isObject) : [];
  const videos = made.flatMap(({ url }): MadeVideo[] =>
    typeof url === 'string' && url !== '' ? [{ kind: 'url', url, needsKey: false }] : [],
  );
  const seconds = positiveOf(made[0]?.['duration']);
  // A file is some frames longer than what was ordered and is paid for.
  const paid = seconds === undefined ? undefined : Math.round(seconds) * videos.length;
  return {
    state: 'completed',
    videos,
    facts: defined('seconds', seconds),
    consumption: { videos: videos.length, ...defined('videoSeconds', paid) },
  };
}
