/** Luma Dream Machine video API (`ray-2`): submit a generation, then poll it. https://docs.lumalabs.ai/docs/video-generation (read 2026-11-16). */

import { defined, isObject, type Tree } from '../../../conversation/json-tree.ts';
import { LossList } from '../../../conversation/loss-list.ts';
import { pathSegment } from '../../audio/address-parts.ts';
import { unsupported } from '../../field-checks.ts';
import type { GivenMedium, MadeVideo, MakeVideoRequest, VideoProgress } from '../../video.ts';
import type { VideoWire } from '../../video-wire.ts';
import type { WireReply } from '../../wire.ts';
import { replyTree, textOr } from '../../wire-replies.ts';
import {
  nearest,
  nearestShape,
  type Resolution,
  reportFurtherImages,
  reportUnsupportedVideo,
  takenExtras,
} from '../video-options.ts';
import { failedVideo, idOf, positiveOf, reasonOf, unknownState } from '../video-progress.ts';

const name = 'dream-machine-video';
const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '21:9', '9:21'];
/** The provider's names of resolutions. */
const resolutionNames: Partial<Readonly<Record<Resolution, string>>> = {
  '540p': '540p',
  '720p': '720p',
  '1080p': '1080p',
  '2160p': '4k',
};
const resolutions = Object.keys(resolutionNames) as Resolution[];
const secondsByDefault = 5;
const lengths = [5, 9];
const written = ['model', 'prompt', 'aspect_ratio', 'resolution', 'duration', 'keyframes', 'callback_url'];

export const dreamMachineVideo: VideoWire = {
  name,
  takes: { imagesMax: 1, lastFrame: true, video: false, kinds: ['url'] },
  countMax: 1,
  askEveryMs: 5_000,
  secondsByDefault,
  secondsFor: (request) => lengthOf(request, new LossList()),
  writeRequest: (request, { model, extras, hookUrl }) => {
    const losses = new LossList();
    reportUnsupportedVideo(request, ['images', 'lastFrame', 'seconds', 'width', 'height', 'aspectRatio'], losses);
    reportFurtherImages(request, 1, losses);
    const { ratio, resolution } = nearestShape(request, ratios, resolutions, losses);
    const keyframes = {
      ...defined('frame0', frameOf(request.images[0], 'image')),
      ...defined('frame1', frameOf(request.lastFrame, 'last_frame')),
    };
    const tree = {
      ...takenExtras(extras, [...written, 'generation_type'], losses),
      model,
      prompt: request.prompt,
      ...defined('aspect_ratio', ratio),
      ...defined('resolution', resolution && resolutionNames[resolution]),
      // Always written: it is what was reserved.
      duration: `${lengthOf(request, losses)}s`,
      ...(Object.keys(keyframes).length > 0 && { keyframes }),
      ...defined('callback_url', hookUrl),
    };
    return { value: { body: { kind: 'json', tree } }, losses: losses.all };
  },
  readTicket: (reply) => ({ id: idOf(replyTree(reply)['id'], 'id') }),
  ask: ({ id = '' }, { base }) => ({ method: 'GET', url: `${base}/generations/${pathSegment('id', id)}` }),
  readProgress,
};

function lengthOf({ seconds }: MakeVideoRequest, losses: LossList): number {
  return nearest(seconds, lengths, 'seconds', losses) ?? secondsByDefault;
}

/** It fetches images itself, so they must have a URL. */
function frameOf(medium: GivenMedium | undefined, field: string): Tree | undefined {
  if (medium === undefined) return undefined;
  if (medium.kind !== 'url') throw unsupported(field, 'This model takes images by URL only.');
  return { type: 'image', url: medium.url };
}

function readProgress(reply: WireReply): VideoProgress {
  const { state, assets, request, failure_reason: reason } = replyTree(reply);
  switch (state) {
    case 'queued':
      return { state: 'queued' };
    case 'dreaming':
      return { state: 'in_progress' };
    case 'completed':
      return completed(isObject(assets) ? assets['video'] : undefined, isObject(request) ? request : {});
    case 'failed': {
      const words = textOr(reason, 'The provider gave no reason.');
      return failedVideo(reasonOf(words), words);
    }
    default:
      throw unknownState(state);
  }
}

/** The reply repeats the order: its length and its resolution are what is billed. */
function completed(url: unknown, { duration, resolution }: Tree): VideoProgress {
  const videos: readonly MadeVideo[] =
    typeof url === 'string' && url !== '' ? [{ kind: 'url', url, needsKey: false }] : [];
  const seconds = positiveOf(typeof duration === 'string' ? duration.replace(/s$/, '') : duration);
  return {
    state: 'completed',
    videos,
    facts: defined('seconds', seconds),
    consumption: {
      videos: videos.length,
      ...(videos.length > 0 && defined('videoSeconds', seconds)),
      ...defined('videoKind', typeof resolution === 'string' && resolution !== '' ? resolution : undefined),
    },
  };
}
