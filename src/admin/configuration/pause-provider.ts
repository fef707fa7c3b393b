/**
 * Pauses a provider that is configured elsewhere, and resumes it: in an incident the file need not be changed and no
 * replica restarted. Requests in flight finish.
 */

import { z } from 'zod';
import type { LiveConfiguration } from '../../configuration/live-configuration.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { ConfigurationStore } from '../../store/configuration/configuration-store.ts';
import type { Audit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/sessions.ts';
import { checked } from '../tokens/token-terms.ts';

interface PauseParts {
  readonly live: Pick<LiveConfiguration, 'merged' | 'reload'>;
  readonly store: Pick<ConfigurationStore, 'put' | 'remove'>;
  readonly audit: Audit;
  /** The time of day. */
  wallMs(): number;
}

export const providerPauseSchema = z.strictObject({ paused: z.boolean('must be true or false') });

export async function pauseProvider(parts: PauseParts, actor: Actor, name: string, input: unknown): Promise<void> {
  const { paused } = checked(providerPauseSchema, input);
  const { live, store, audit } = parts;
  const all = live.merged.providers.filter((provider) => provider.name === name);
  const given = all.find(({ origin }) => origin !== 'console');
  if (given === undefined && all.length === 0) {
    throw new GatewayError('not_found', `Provider ${name.slice(0, 100)} not found.`, { param: 'name' });
  }
  if (given === undefined) {
    const message = 'name: is the console’s own provider: drain or disable it instead';
    throw new GatewayError('field_invalid', message, { param: 'name' });
  }
  if (paused === (given.pausedAtMs !== undefined)) return;
  const place = { section: 'pauses', name } as const;
  if (paused) await store.put({ ...place, entry: '{}', atMs: parts.wallMs(), by: actor.account.id });
  else await store.remove(place.section, name);
  const action = paused ? 'provider-pause' : 'provider-resume';
  await audit.write(actor, { action, subject: `provider:${name}` });
  await live.reload();
}
