/** An admitted order for a video, and what ordering needs of the rest of Weir. */

import type { VideoOrder } from '../../operations/video/video-order.ts';
import type { Call } from '../../relay/admission/call.ts';
import type { MediaParts } from '../../relay/operations/fetch-media.ts';
import type { RelayParts } from '../../relay/relay-parts.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { VideoHost } from '../provider/ask-provider.ts';
import type { TaskStore } from '../task-store.ts';
import type { OrderRequest } from './order-request.ts';

export interface OrderParts extends RelayParts {
  readonly egress: MediaParts['egress'];
  readonly store: TaskStore;
  readonly deadlineMs: number;
  readonly openPerTokenMax: number;
  readonly unknownOutcome: 'charge' | 'free';
  readonly askEveryMs: number | undefined;
  hostOf(target: Target): VideoHost | undefined;
  defaultModel(): string | undefined;
  /** Where the provider may report progress; undefined where Weir cannot be reached from outside. */
  hookUrlFor(taskId: string): string | undefined;
}

export interface OrderCall extends Call {
  readonly taskId: string;
  readonly request: OrderRequest;
  readonly order: VideoOrder;
  /** What the prompt counts against the token's tokens per minute. */
  readonly promptTokens: number;
}
