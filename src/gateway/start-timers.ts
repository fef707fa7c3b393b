/** What a serving Weir looks for again and again, and what it removes once it is old. */

import type { Authenticator } from '../access/authenticate.ts';
import type { TokenWatch } from '../access/token-watch.ts';
import type { LiveConfiguration } from '../configuration/live-configuration.ts';
import type { LiveTables } from '../configuration/live-tables.ts';
import type { Logger } from '../observe/logger.ts';
import type { SecretRing } from '../secrets/key-ring.ts';
import { keyFollower, repeat } from './gateway-pieces.ts';

/** How often token changes of other processes are polled; a revocation takes effect within a second. */
const revisionPollMs = 400;
const forgetEveryMs = 60 * 60 * 1_000;

interface Expiring {
  expire(): Promise<unknown>;
}

interface Tidying {
  tidy(): Promise<unknown>;
}

interface TimerParts {
  readonly authenticator: Pick<Authenticator, 'poll'>;
  readonly refusals: { flush(): unknown };
  readonly tokens: Pick<TokenWatch, 'poll'>;
  readonly live: Pick<LiveConfiguration, 'poll' | 'reload'>;
  readonly tables: Pick<LiveTables, 'poll'>;
  readonly reload: { poll(): Promise<void> };
  /** Present where this process is one of several workers: the supervisor looks for all of them. */
  readonly link: object | undefined;
  readonly people: Tidying & { readonly settings: { poll(): Promise<void> } };
  readonly tasks: Tidying;
  readonly realtime: Tidying;
  readonly replicas: { readonly idempotency: Expiring };
  readonly ownedIds: Expiring;
  readonly keptReplies: Expiring;
  readonly contents: Expiring;
  readonly health: Expiring;
  readonly ring: SecretRing;
  readonly warn: Logger['warn'];
  setSocketOptions(): void;
}

/** Returns what stops them. */
export function startTimers(parts: TimerParts): () => void {
  const { authenticator, refusals, tokens, live, tables, reload, link, people, warn, setSocketOptions } = parts;
  const stopPolling = repeat(revisionPollMs, warn, {
    'Token changes could not be polled.': () => authenticator.poll(),
    'Refused requests could not be counted.': async () => refusals.flush(),
    'Socket options could not be set.': async () => setSocketOptions(),
    'Expired tokens could not be checked.': async () => tokens.poll(),
    'Configuration changes could not be polled.': () => live.poll(),
    // The supervisor of several workers looks for all of them.
    ...(link === undefined && { 'The configuration file could not be polled.': () => reload.poll() }),
    'Price changes could not be polled.': () => tables.poll(),
    'Entries sealed with newer keys could not be read.': keyFollower(parts.ring, () => live.reload()),
    'Setting changes could not be polled.': () => people.settings.poll(),
  });
  const stopForgetting = repeat(forgetEveryMs, warn, {
    'Old sessions could not be removed.': () => people.tidy(),
    'Old task results could not be removed.': () => parts.tasks.tidy(),
    'Old client secrets could not be removed.': () => parts.realtime.tidy(),
    'Old idempotency keys could not be removed.': () => parts.replicas.idempotency.expire(),
    'Old ids could not be removed.': () => parts.ownedIds.expire(),
    'Expired replies could not be removed.': () => parts.keptReplies.expire(),
    'Expired contents could not be removed.': () => parts.contents.expire(),
    'Old sums of attempts could not be removed.': () => parts.health.expire(),
  });
  return () => {
    stopPolling();
    stopForgetting();
  };
}
