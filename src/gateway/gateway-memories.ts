/** What a serving Weir remembers of requests and replies beyond their end: replies, contents, and the owners of ids. */

import type { Logger } from '../observe/logger.ts';
import { RequestContents } from '../relay/contents/request-contents.ts';
import { KeptReplies } from '../relay/memory/kept-replies.ts';
import { OwnedIds } from '../relay/memory/owned-ids.ts';
import type { Config } from '../settings/config.ts';
import type { Store } from '../store/store.ts';
import type { WallClock } from './clock/wall-clock.ts';
import type { Secrets } from './gateway-pieces.ts';

const dayMs = 24 * 60 * 60 * 1_000;

interface Memories {
  readonly ownedIds: OwnedIds;
  readonly keptReplies: KeptReplies;
  readonly contents: RequestContents;
}

export function memoriesOf(
  config: Config,
  store: Store,
  secrets: Secrets,
  { warn }: Logger,
  { wallMs }: Pick<WallClock, 'wallMs'>,
): Memories {
  const ownedIds = new OwnedIds({ table: store.ownedIds, settings: config.ids, wallMs, warn });
  const keptReplies = new KeptReplies({
    table: store.keptReplies,
    ownedIds,
    sealing: secrets.keptReplies,
    get storesContent() {
      return config.contentStorage.responses;
    },
    get lifetimeMs() {
      return config.contentStorage.responseDays * dayMs;
    },
    ceilings: () => config.contentStorage,
    wallMs,
    warn,
  });
  const contents = new RequestContents({
    table: store.contents,
    sealing: secrets.requestContents,
    settings: config.contentStorage,
    wallMs,
    warn,
  });
  return { ownedIds, keptReplies, contents };
}
