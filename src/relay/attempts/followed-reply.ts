/** A reply that its provider finishes in the background: its reservation is kept until its usage is known, by whatever process asks for it. */

import type { Usage } from '../../conversation/usage.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Target } from '../../routing/catalogue.ts';
import type { Lane } from '../lanes/lane.ts';

export interface FollowedReply {
  /** Opens attempts together with what follows them. */
  readonly ledger: Ledger;
  /** Which lane is tried next. */
  chose(target: Target, lane: Lane): void;
  /** The provider has it under this id: from now on its cost is no longer this request's matter. */
  accepted(replyId: string): Promise<void>;
  /** The usage came with the reply itself; it need not be asked for. Never rejects. */
  reported(usage: Usage): Promise<void>;
  /** No provider accepted it. Never rejects. */
  abandon(): Promise<void>;
}
