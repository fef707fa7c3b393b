/** Channels with their secrets opened. A URL of a chat service is a credential itself, so it is sealed as a whole. */

import type { Sealing } from '../../secrets/sealing.ts';
import type { ChannelKind, ChannelRecord } from '../../store/alerts/alert-records.ts';

export interface ChannelSecrets {
  readonly url?: string | undefined;
  readonly secret?: string | undefined;
}

/** What the sealed text of a channel is bound to. */
export const channelPlace = (kind: string, id: string): readonly string[] => ['alert channel', kind, id];

export function sealSecrets(sealing: Sealing, kind: ChannelKind, id: string, secrets: ChannelSecrets): string {
  return sealing.seal(channelPlace(kind, id), JSON.stringify(secrets));
}

/** Undefined where no key of this Weir opens them. */
export async function openSecrets(sealing: Sealing, channel: ChannelRecord): Promise<ChannelSecrets | undefined> {
  if (channel.sealed === undefined) return {};
  const text = await sealing.open(channelPlace(channel.kind, channel.id), channel.sealed);
  return text === undefined ? undefined : (JSON.parse(text) as ChannelSecrets);
}
