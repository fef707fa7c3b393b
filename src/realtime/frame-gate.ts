/**
 * The moderation gate of a live conversation: a frame is checked before it is passed on. Audio and the model's
 * replies, which are played as they are made, cannot be checked here and are refused.
 */

import type { Caller } from '../access/caller.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { OpenGate } from '../relay/moderation-gate/gate.ts';
import { notCheckable } from '../relay/moderation-gate/refusals.ts';
import { contentOfTree } from '../relay/moderation-gate/tree-content.ts';

/** Throws where the conversation cannot be held at all: its replies would have to be checked. */
export function requireCheckable(gate: OpenGate | undefined): void {
  if (gate?.checksReplies !== true) return;
  throw new GatewayError(
    'content_refused',
    'Replies must pass moderation, and those of a live conversation cannot be checked.',
  );
}

interface FrameGateGiven {
  readonly gate: OpenGate;
  readonly caller: Caller;
  newRequestId(): string;
  hasLeft(): boolean;
}

/** Items of the conversation itself, which were checked when they were made. */
const known: ReadonlySet<string> = new Set(['item_reference']);

export class FrameGate {
  readonly #given: FrameGateGiven;

  constructor(given: FrameGateGiven) {
    this.#given = given;
  }

  /** The reason for which a frame of audio is not passed on. */
  refuseAudio(): GatewayError {
    return notCheckable('request', 'audio');
  }

  /** Checks the frame when called; absent where it has no content. Rejects with the reason for which it is not passed on. */
  questionOf(frame: Tree): (() => Promise<void>) | undefined {
    const content = contentOfTree(frame, { known });
    const { segments, images, unreadable } = content;
    if (segments.length + images.length === 0 && unreadable === undefined) return undefined;
    const { gate, caller, newRequestId, hasLeft } = this.#given;
    const asker = { format: openaiChat, caller, hasLeft };
    return () => gate.check({ ...asker, requestId: newRequestId() }, 'request', content);
  }
}
