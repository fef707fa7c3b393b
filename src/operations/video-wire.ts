/** How a video is ordered from a provider, polled and cancelled. Pure, like every wire. */

import type { Tree } from '../conversation/json-tree.ts';
import type { Converted } from '../conversation/parts.ts';
import type { GivenMedium, MakeVideoRequest, VideoProgress, VideoTicket } from './video.ts';
import type { WireReply, WrittenRequest } from './wire.ts';

/** A provider's URLs: the declared one with the model filled in, and the base URL above it. */
export interface VideoPlaces {
  readonly create: string;
  readonly base: string;
}

export interface VideoWriting {
  /** The model as this provider names it. */
  readonly model: string;
  /** Fields for this provider alone: merged into the body among the provider's own options. */
  readonly extras: Tree;
  /** The callback URL for the provider; absent where Weir cannot be reached from outside. */
  readonly hookUrl?: string;
}

/** A poll of a task. The sender adds the key. */
export interface VideoQuestion {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Whole, below the provider's own host. */
  readonly url: string;
  readonly body?: Tree;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Which media a wire takes; a request with others is refused before anything is spent. */
interface VideoTaking {
  readonly imagesMax: number;
  readonly lastFrame: boolean;
  readonly video: boolean;
  /** As they are, besides bytes in memory: `url` where the provider fetches URLs, `file` where it takes uploads. */
  readonly kinds: readonly GivenMedium['kind'][];
}

export interface VideoWire {
  readonly name: string;
  readonly takes: VideoTaking;
  /** How many videos one request makes at most. */
  readonly countMax: number;
  /** The polling interval where no setting gives one. */
  readonly askEveryMs: number;
  /** The length that it makes when a request names none: the upper bound of its cost needs one. */
  readonly secondsByDefault: number;
  /** The length that it really orders, where that differs from the requested one because the model makes only some. */
  secondsFor?(request: MakeVideoRequest, model: string): number | undefined;
  writeRequest(request: MakeVideoRequest, writing: VideoWriting): Converted<WrittenRequest>;
  /** The provider's reply to the order. Throws a GatewayError where it refused, a SyntaxError where the reply is unknown. */
  readTicket(reply: WireReply): VideoTicket;
  ask(ticket: VideoTicket, places: VideoPlaces): VideoQuestion;
  /** Throws a SyntaxError for a state that it does not know: an unknown state is no state. */
  readProgress(reply: WireReply, ticket: VideoTicket, places: VideoPlaces): VideoProgress;
  /** Absent where the provider cannot be stopped. */
  cancel?(ticket: VideoTicket, places: VideoPlaces): VideoQuestion;
}
