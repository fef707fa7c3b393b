/**
 * Alibaba Model Studio video API (Wan): asynchronous tasks; two generations of models name the same options
 * differently. https://help.aliyun.com/en/model-studio/legacy-video-models/ (read 2026-11-16).
 */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { addressOf } from '../../images/inline-images.ts';
import type { GivenMedium, MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoWire, VideoWriting } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  nearest,
  nearestShape,
  nearestSize,
  type Resolution,
  reportUnsupportedVideo,
  takenExtras,
  wholeWithin,
} from '../video-options.ts';
import { failedVideo, idOf, notTaken, pixelsOf, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'wan-video';
const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4'];
const secondsByDefault = 5;
const noAddress = 'cannot be taken as it came';

/** A model's name says what it is for. */
type Task = 'text' | 'image' | 'frames' | 'references' | 'edit';

const tasks: readonly (readonly [RegExp, Task])[] = [
  [/t2v/, 'text'],
  [/i2v/, 'image'],
  [/kf2v/, 'frames'],
  [/r2v/, 'references'],
  [/edit/, 'edit'],
];

interface Generation {
  readonly models: RegExp;
  readonly resolutions: readonly Resolution[];
  /** The lengths to choose from; none where every video is equally long, a range where every whole number will do. */
  readonly seconds: readonly number[] | { readonly least: number; readonly most: number };
}

/** Those up to here take sizes in pixels and have a field of its own for each image; all later ones have a list of media. */
const olderGenerations: readonly Generation[] = [
  { models: /^wanx?2\.1/, resolutions: ['480p', '720p'], seconds: [] },
  { models: /^wanx?2\.2/, resolutions: ['480p', '1080p'], seconds: [] },
  { models: /^wanx?2\.5/, resolutions: ['480p', '720p', '1080p'], seconds: [5, 10] },
  { models: /^wanx?2\.6/, resolutions: ['720p', '1080p'], seconds: { least: 2, most: 15 } },
];
const newerGeneration: Generation = {
  models: /./,
  resolutions: ['720p', '1080p'],
  seconds: { least: 2, most: 15 },
};

const sizes: Partial<Readonly<Record<Resolution, readonly string[]>>> = {
  '480p': ['832x480', '480x832', '624x624'],
  '720p': ['1280x720', '720x1280', '960x960', '1088x832', '832x1088'],
  '1080p': ['1920x1080', '1080x1920', '1440x1440', '1632x1248', '1248x1632'],
};

const said = [
  ...(['images', 'lastFrame', 'video', 'seconds', 'width', 'height', 'aspectRatio', 'seed'] as const),
  'negativePrompt',
] as const;

export const wanVideo: VideoWire = {
  name,
  takes: { imagesMax: 5, lastFrame: true, video: true, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 15_000,
  secondsByDefault,
  secondsFor: (request, model) => {
    const { seconds } = generationOf(model);
    const isFixed = !('least' in seconds) && seconds.length === 0;
    return isFixed ? secondsByDefault : lengthOf(request, generationOf(model), new LossList());
  },
  writeRequest: (request, writing) => {
    const losses = new LossList();
    const tree = writeTree(request, writing, losses);
    reportUnsupportedVideo(request, said, losses);
    return { value: { body: { kind: 'json', tree }, headers: { 'x-dashscope-async': 'enable' } }, losses: losses.all };
  },
  readTicket: (reply) => {
    const { output, code, message } = replyTree(reply);
    if (typeof code === 'string' && code !== '') {
      const words = textOr(message, code);
      throw notTaken(words, reasonOf(`${code} ${words}`) === 'refused');
    }
    return { id: idOf(isObject(output) ? output['task_id'] : undefined, 'output.task_id') };
  },
  ask: (ticket, places) => ({ method: 'GET', url: taskPlace(ticket, places) }),
  readProgress,
  // It cancels only what still waits, and reports that itself.
  cancel: (ticket, places) => ({ method: 'POST', url: `${taskPlace(ticket, places)}/cancel` }),
};

function olderOf(model: string): Generation | undefined {
  return olderGenerations.find(({ models }) => models.test(model));
}

function generationOf(model: string): Generation {
  return olderOf(model) ?? newerGeneration;
}

function writeTree(request: MakeVideoRequest, { model, extras }: VideoWriting, losses: LossList): Tree {
  const task = taskOf(request, model);
  const older = olderOf(model);
  const generation = generationOf(model);
  const input = {
    ...(request.prompt !== '' && { prompt: request.prompt }),
    ...defined('negative_prompt', request.negativePrompt),
    ...(older === undefined ? writeMedia(request, task, losses) : writeImages(request, task, losses)),
  };
  const parameters = {
    ...(older === undefined || task === 'image' || task === 'frames'
      ? writeShape(request, task, generation, losses)
      : writeSize(request, generation, losses)),
    ...defined('duration', lengthOf(request, generation, losses)),
    ...defined('seed', request.seed),
  };
  // What is no parameter is written in an object of its own.
  const { input: moreInput, parameters: moreParameters, ...bare } = extras;
  const options = { ...bare, ...(isObject(moreParameters) && moreParameters) };
  return {
    model,
    input: { ...takenExtras(isObject(moreInput) ? moreInput : {}, Object.keys(input), losses), ...input },
    parameters: { ...takenExtras(options, ['model', 'duration', ...Object.keys(parameters)], losses), ...parameters },
  };
}

/** Where the name does not decide, the media of the request do. */
function taskOf({ images, lastFrame, video }: MakeVideoRequest, model: string): Task {
  const named = tasks.find(([pattern]) => pattern.test(model))?.[1];
  return named ?? (images.length > 0 || lastFrame !== undefined || video !== undefined ? 'image' : 'text');
}

function writeShape(request: MakeVideoRequest, task: Task, { resolutions }: Generation, losses: LossList): Tree {
  // Where an image begins the video, it gives it its shape.
  const isShaped = task === 'image' || task === 'frames';
  const { ratio, resolution } = nearestShape(request, isShaped ? [] : ratios, resolutions, losses);
  return { ...defined('resolution', resolution?.toUpperCase()), ...defined('ratio', ratio) };
}

function writeSize(request: MakeVideoRequest, { resolutions }: Generation, losses: LossList): Tree {
  const offered = resolutions.toReversed().flatMap((resolution) => sizes[resolution] ?? []);
  return defined('size', nearestSize(request, offered, losses)?.replace('x', '*'));
}

function lengthOf({ seconds }: MakeVideoRequest, generation: Generation, losses: LossList): number | undefined {
  const { seconds: offered } = generation;
  if ('least' in offered) return wholeWithin(seconds, offered.least, offered.most, 'seconds', losses);
  if (offered.length > 0) return nearest(seconds, offered, 'seconds', losses);
  if (seconds !== undefined && seconds !== secondsByDefault) {
    losses.add('seconds', 'every video of this model is equally long');
  }
  return undefined;
}

/** The list of media: each with what it is to the video. */
function writeMedia(request: MakeVideoRequest, task: Task, losses: LossList): Tree {
  const media: Tree[] = [];
  const add = (type: string, field: string, medium: GivenMedium): void => {
    const url = addressOf(medium);
    if (url === undefined) losses.add(field, noAddress);
    else media.push({ type, url });
  };
  const { images, lastFrame, video } = request;
  const guides = task === 'references' || task === 'edit';
  const begins = video === undefined ? 'first_frame' : undefined;
  if (video !== undefined && task !== 'text') add(videoTypes[task], 'video', video);
  if (video !== undefined && task === 'text') losses.add('video', 'the model takes words only');
  images.forEach((image, index) => {
    const type = guides ? 'reference_image' : task !== 'text' && index === 0 ? begins : undefined;
    if (type === undefined) losses.add(`images[${index}]`, 'the model has no place for it');
    else add(type, `images[${index}]`, image);
  });
  if (lastFrame !== undefined) {
    if (task === 'text' || guides) losses.add('last_frame', 'the model has no place for it');
    else add('last_frame', 'last_frame', lastFrame);
  }
  return media.length > 0 ? { media } : {};
}

const videoTypes: Readonly<Record<Exclude<Task, 'text'>, string>> = {
  image: 'first_clip',
  frames: 'first_clip',
  references: 'reference_video',
  edit: 'video',
};

/** Older models have one field for an image that begins, two for the frames of a transition and a list for references. */
function writeImages({ images, lastFrame, video }: MakeVideoRequest, task: Task, losses: LossList): Tree {
  const named = [
    ...(video === undefined ? [] : [['video', video] as const]),
    ...images.map((image, index) => [`images[${index}]`, image] as const),
    ...(lastFrame === undefined ? [] : [['last_frame', lastFrame] as const]),
  ];
  const taken = new Map<string, string>();
  for (const [field, medium] of named) {
    const fits =
      (task === 'references' && field !== 'last_frame') ||
      ((task === 'image' || task === 'frames') && field === 'images[0]') ||
      (task === 'frames' && field === 'last_frame');
    const address = fits ? addressOf(medium) : undefined;
    if (address === undefined) losses.add(field, fits ? noAddress : 'the model has no place for it');
    else taken.set(field, address);
  }
  if (task === 'references') return taken.size > 0 ? { reference_urls: [...taken.values()] } : {};
  return {
    ...defined(task === 'frames' ? 'first_frame_url' : 'img_url', taken.get('images[0]')),
    ...defined('last_frame_url', taken.get('last_frame')),
  };
}

/** Tasks of all kinds are polled at one URL, beside the services that make them. */
function taskPlace({ id = '' }: VideoTicket, { create }: VideoPlaces): string {
  return new URL(`../../../tasks/${pathSegment('id', id)}`, create).href;
}

function readProgress(reply: WireReply): VideoProgress {
  const { output, usage } = replyTree(reply);
  const { task_status: status, video_url: url, code, message } = isObject(output) ? output : {};
  switch (status) {
    case 'PENDING':
      return { state: 'queued' };
    case 'RUNNING':
      return { state: 'in_progress' };
    case 'SUCCEEDED':
      return completed(url, isObject(usage) ? usage : {});
    case 'FAILED': {
      const words = textOr(message, textOr(code, 'The provider gave no reason.'));
      return failedVideo(reasonOf(`${textOr(code, '')} ${words}`), words);
    }
    case 'CANCELED':
      return failedVideo('cancelled', textOr(message, ''));
    default:
      // `UNKNOWN` among them: the service has forgotten the task, or cannot look it up just now.
      throw unknownState(status);
  }
}

function completed(url: unknown, usage: Tree): VideoProgress {
  const billed = positiveOf(usage['duration']);
  const seconds = positiveOf(usage['output_video_duration']) ?? positiveOf(usage['video_duration']) ?? billed;
  const isThere = typeof url === 'string' && url !== '';
  return {
    state: 'completed',
    videos: isThere ? [{ kind: 'url', url, needsKey: false }] : [],
    facts: {
      ...defined('seconds', seconds),
      ...defined('fps', positiveOf(usage['fps'])),
      ...pixelsOf(usage['size']),
    },
    consumption: { videos: 1, ...defined('videoSeconds', billed ?? seconds) },
  };
}
