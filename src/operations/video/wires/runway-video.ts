/**
 * Runway video API: one path for each kind of input, and one list of tasks to poll. https://docs.dev.runwayml.com/api/
 * (read 2026-11-16).
 */

import { defined, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import type { MakeVideoRequest, VideoProgress, VideoTicket } from '../../video.ts';
import type { VideoPlaces, VideoWire } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  mediumAddress,
  nearest,
  nearestShape,
  nearestSize,
  reportFurtherImages,
  reportUnsupportedVideo,
  takenExtras,
} from '../video-options.ts';
import { failedVideo, idOf, percentOf, reasonOf, unknownState } from '../video-progress.ts';
import { type RunwayChoices, runwayChoices, unknownRunwayModel } from './runway-choices.ts';

const name = 'runway-video';
const secondsByDefault = 8;
const written = [
  ...['model', 'promptText', 'promptImage', 'videoUri', 'promptVideo', 'references'],
  ...['ratio', 'targetAspectRatio', 'duration', 'seed', 'negativePrompt'],
];

/** What a video takes when it is made from another one, whose length it keeps. */
const expandedRatios = ['16:9', '4:3', '3:2', '1:1', '2:3', '3:4', '9:16', '21:9'];

export const runwayVideo: VideoWire = {
  name,
  takes: { imagesMax: 9, lastFrame: true, video: true, kinds: ['url'] },
  countMax: 1,
  // The service asks for no more polls of one task than this.
  askEveryMs: 5_000,
  secondsByDefault,
  secondsFor: (request, model) => {
    const choices = choicesFor(model);
    // The length of a video that is only changed is its own: the longest that there can be is what it may cost.
    if (request.video !== undefined && !choices.references) return Math.max(...choices.seconds);
    return lengthOf(request, choices, new LossList());
  },
  writeRequest: (request, writing) => {
    const losses = new LossList();
    const choices = choicesFor(writing.model);
    const isEdit = request.video !== undefined;
    const isFromImage = request.images.length > 0 || (request.lastFrame !== undefined && choices.lastFrame);
    const tree = {
      ...takenExtras(writing.extras, written, losses),
      model: writing.model,
      ...(request.prompt !== '' && { promptText: request.prompt }),
      ...(isEdit ? writeEdit(request, choices, losses) : writeNew(request, choices, isFromImage, losses)),
    };
    const suffix = isEdit ? '/video_to_video' : isFromImage ? '/image_to_video' : '/text_to_video';
    return { value: { body: { kind: 'json', tree }, suffix }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: (ticket, places) => ({ method: 'GET', url: placeOf(ticket, places) }),
  readProgress,
  cancel: (ticket, places) => ({ method: 'DELETE', url: placeOf(ticket, places) }),
};

function choicesFor(model: string): RunwayChoices {
  return runwayChoices.find(({ models }) => models.test(model)) ?? unknownRunwayModel;
}

/** The length is always written: models differ in their default, and it is reserved by then. */
function lengthOf(request: MakeVideoRequest, choices: RunwayChoices, losses: LossList): number | undefined {
  return nearest(request.seconds ?? secondsByDefault, choices.seconds, 'seconds', losses);
}

function writeNew(request: MakeVideoRequest, choices: RunwayChoices, isFromImage: boolean, losses: LossList): Tree {
  const { seed, negativePrompt } = request;
  const sizes = isFromImage ? choices.fromImage : choices.fromText;
  const takesNegative = choices.negativePrompt && isFromImage;
  reportUnsupportedVideo(
    request,
    [
      ...(['images', 'seconds', 'width', 'height', 'aspectRatio'] as const),
      ...(choices.lastFrame ? (['lastFrame'] as const) : []),
      ...(choices.seed ? (['seed'] as const) : []),
      ...(takesNegative ? (['negativePrompt'] as const) : []),
    ],
    losses,
  );
  return {
    ...(isFromImage && { promptImage: writeImages(request, choices, losses) }),
    ratio: nearestSize(request, sizes, losses) ?? sizes[0],
    duration: lengthOf(request, choices, losses),
    ...(choices.seed && defined('seed', seed)),
    ...(takesNegative && defined('negativePrompt', negativePrompt)),
  };
}

/** A lone image is the first frame; frames at both ends name their position, and images without a position guide. */
function writeImages(request: MakeVideoRequest, choices: RunwayChoices, losses: LossList): unknown {
  const { images, lastFrame } = request;
  if (choices.references && images.length > 1) {
    if (lastFrame !== undefined) losses.add('last_frame', 'cannot be given beside several images');
    losses.add('images[0]', 'guides the video, beside other images, and does not begin it');
    return referencesOf(request, losses);
  }
  reportFurtherImages(request, 1, losses);
  const [image] = images;
  const first = image === undefined ? undefined : mediumAddress(image, 'images[0]', losses);
  const takesLast = lastFrame !== undefined && choices.lastFrame;
  const last = takesLast ? mediumAddress(lastFrame, 'last_frame', losses) : undefined;
  if (last === undefined) return first;
  return [...(first === undefined ? [] : [{ uri: first, position: 'first' }]), { uri: last, position: 'last' }];
}

function referencesOf({ images }: MakeVideoRequest, losses: LossList): readonly Tree[] {
  return images.flatMap((image, index) => {
    const uri = mediumAddress(image, `images[${index}]`, losses);
    return uri === undefined ? [] : [{ uri }];
  });
}

/** The one family takes a video beside other references, the other changes a video and leaves its length as it is. */
function writeEdit(request: MakeVideoRequest, choices: RunwayChoices, losses: LossList): Tree {
  const { video, seed } = request;
  const source = video === undefined ? undefined : mediumAddress(video, 'video', losses);
  if (choices.references) {
    const references = referencesOf(request, losses);
    reportUnsupportedVideo(request, ['images', 'video', 'seconds', 'width', 'height', 'aspectRatio'], losses);
    return {
      ...defined('promptVideo', source),
      ...(references.length > 0 && { references }),
      ...defined('ratio', nearestSize(request, choices.fromImage, losses)),
      duration: lengthOf(request, choices, losses),
    };
  }
  reportUnsupportedVideo(request, ['video', 'seed', 'width', 'height', 'aspectRatio'], losses);
  const { ratio } = nearestShape(request, expandedRatios, [], losses);
  return { ...defined('videoUri', source), ...defined('targetAspectRatio', ratio), ...defined('seed', seed) };
}

function placeOf({ id = '' }: VideoTicket, { base }: VideoPlaces): string {
  return `${base}/tasks/${pathSegment('id', id)}`;
}

function readProgress(reply: WireReply): VideoProgress {
  const { status, progress, failure, failureCode, output } = replyTree(reply);
  switch (status) {
    case 'PENDING':
    case 'THROTTLED':
      return { state: 'queued' };
    case 'RUNNING':
      return { state: 'in_progress', ...defined('percent', percentOf(progress, 1)) };
    case 'CANCELLED':
      return failedVideo('cancelled', 'The task was stopped at the provider.');
    case 'FAILED': {
      const words = textOr(failure, textOr(failureCode, 'The provider gave no reason.'));
      const isUnsafe = textOr(failureCode, '').startsWith('SAFETY');
      return failedVideo(isUnsafe ? 'refused' : reasonOf(words), words);
    }
    case 'SUCCEEDED': {
      const urls = (Array.isArray(output) ? output : []).filter((url) => typeof url === 'string' && url !== '');
      const videos = urls.map((url: string) => ({ kind: 'url' as const, url, needsKey: false }));
      return { state: 'completed', videos, facts: {}, consumption: { videos: videos.length } };
    }
    default:
      throw unknownState(status);
  }
}
