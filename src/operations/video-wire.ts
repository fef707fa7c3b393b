/** How a video is ordered from a provider, polled and cancelled. Pure, like every wire. */

import type { Tree } from '../conversation/json-tree.ts';
import type { Converted } from '../conversation/parts.ts';
import type { GivenMedium, MakeVideoRequest, VideoProgress, VideoTicket } from './video.ts';
import type { WireReply, WrittenRequest } from './wire.ts';

/** Where a provider is spoken to: the declared address with the model in its place, and the base address it lies below. */
export interface VideoPlaces {
  readonly create: string;
  readonly base: string;
}

export interface VideoWriting {
  /** The model as this provider names it. */
  readonly model: string;
  /** What the caller says to this provider alone: merged into the body where the provider's own options stand. */
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

/** Which media a wire can be given; what it cannot be told is refused before anything is spent. */
interface VideoTaking {
  readonly imagesMax: number;
  readonly lastFrame: boolean;
  readonly video: boolean;
  /** As they are, besides bytes in memory: `url` where the provider fetches addresses, `file` where it takes uploads. */
  readonly kinds: readonly GivenMedium['kind'][];
}

export interface VideoWire {
  readonly name: string;
  readonly takes: VideoTaking;
  /** How many videos one request makes at most. */
  readonly countMax: number;
  /** The polling interval where no setting gives one. */
  readonly askEveryMs: number;
  /** What it makes when a request says no length: the upper bound of its cost needs one. */
  readonly secondsByDefault: number;
  /** The length that it really orders, where it is another one than asked for because the model makes only some. */
  secondsFor?(request: MakeVideoRequest, model: string): number | undefined;
  writeRequest(request: MakeVideoRequest, writing: VideoWriting): Converted<WrittenRequest>;
  /** What the provider said when it took the work. Throws a GatewayError where it said no, a SyntaxError where it said nothing known. */
  readTicket(reply: WireReply): VideoTicket;
  ask(ticket: VideoTicket, places: VideoPlaces): VideoQuestion;
  /** Throws a SyntaxError for words that it does not know: an unknown state is no state. */
  readProgress(reply: WireReply, ticket: VideoTicket, places: VideoPlaces): VideoProgress;
  /** Absent where the provider cannot be stopped. */
  cancel?(ticket: VideoTicket, places: VideoPlaces): VideoQuestion;
}
