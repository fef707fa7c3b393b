/** The most that a video order can use, whichever of its candidates makes it. */

import type { Consumption } from '../../operations/consumption.ts';
import { kindAsked } from '../../operations/video/video-kind.ts';
import { videoMost } from '../../operations/video/video-order.ts';
import type { MakeVideoRequest } from '../../operations/video.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { OrderParts } from './order-call.ts';

/** Tokens that a video is sold by, where it is: its pixels divided by this. */
const pixelsPerToken = 1_024;
const largest = { width: 1_920, height: 1_080, fps: 30 };

/** The most expensive that any candidate can make of it. */
export function mostOf(
  parts: Pick<OrderParts, 'hostOf'>,
  request: MakeVideoRequest,
  targets: readonly Target[],
): Consumption {
  const lengths = targets.map((target) => {
    const usual = parts.hostOf(target)?.wire.secondsByDefault ?? 0;
    return secondsOf(parts, request, target) ?? usual;
  });
  const most = videoMost({ count: request.count, seconds: Math.max(0, ...lengths) }, 0);
  const { width = largest.width, height = largest.height, fps = largest.fps } = request;
  const total = Math.ceil((width * height * fps * most.videoSeconds) / pixelsPerToken);
  return { ...most, ...kindAsked(request), tokens: { input: { total: 0 }, output: { total } } };
}

/** The length that this target is asked for; undefined where the choice is left to it. */
export function secondsOf(
  { hostOf }: Pick<OrderParts, 'hostOf'>,
  request: MakeVideoRequest,
  target: Target,
): number | undefined {
  return hostOf(target)?.wire.secondsFor?.(request, target.model) ?? request.seconds;
}
