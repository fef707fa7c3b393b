/** Channels as administrators make, change, test and delete them. A URL and a secret go in and never come out. */

import { randomBytes } from 'node:crypto';
import type { Audit } from '../admin/accounts/audit.ts';
import type { Actor } from '../admin/accounts/sessions.ts';
import {
  type ChannelTestView,
  type ChannelView,
  channelChangesSchema,
  type IssuedChannelView,
  isWebhookSecret,
  newChannelSchema,
} from '../admin/contracts/alert-contract.ts';
import { checked } from '../admin/tokens/token-terms.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Sealing } from '../secrets/sealing.ts';
import type { ChannelRecord, DeliveryRecord } from '../store/alerts/alert-records.ts';
import { type AlertStore, alertBounds } from '../store/alerts/alert-store.ts';
import { readCallerUrl, UrlRefusal } from '../upstream/egress/caller-url.ts';
import { type ChannelSecrets, openSecrets, sealSecrets } from './channels/kept-channels.ts';
import { testMessage } from './channels/message.ts';
import type { Send } from './channels/send.ts';

interface ChannelAdminParts {
  readonly store: Pick<AlertStore, 'channels' | 'lastDeliveries'>;
  readonly sealing: Sealing;
  readonly send: Send;
  readonly audit: Audit;
  /** Values that no log line may repeat. */
  hide(secrets: readonly string[]): void;
  readonly pageUrl: string | undefined;
  nowMs(): number;
  newId(prefix: string): string;
}

export interface ChannelAdmin {
  list(): Promise<readonly ChannelView[]>;
  create(actor: Actor, input: unknown): Promise<IssuedChannelView>;
  change(actor: Actor, id: string, input: unknown): Promise<IssuedChannelView>;
  remove(actor: Actor, id: string): Promise<void>;
  test(actor: Actor, id: string): Promise<ChannelTestView>;
}

export function createChannelAdmin(parts: ChannelAdminParts): ChannelAdmin {
  const { store, sealing, audit, nowMs } = parts;

  async function find(id: string): Promise<ChannelRecord> {
    const found = (await store.channels.list()).find((channel) => channel.id === id);
    if (found === undefined) throw new GatewayError('not_found', 'There is no such channel. It may have been deleted.');
    return found;
  }

  async function keep(channel: ChannelRecord, secrets: ChannelSecrets): Promise<ChannelRecord> {
    const { url, secret } = secrets;
    parts.hide([url, secret].filter((value) => value !== undefined));
    const host = url === undefined ? {} : { host: hostOf(url) };
    const sealed = url === undefined ? {} : { sealed: sealSecrets(sealing, channel.kind, channel.id, { url, secret }) };
    const kept: ChannelRecord = { ...channel, ...sealed, settings: { ...channel.settings, ...host } };
    await store.channels.put(kept);
    return kept;
  }

  return {
    async list() {
      const last = new Map((await store.lastDeliveries()).map((delivery) => [delivery.channelId, delivery]));
      return (await store.channels.list()).map((channel) => channelView(channel, last.get(channel.id)));
    },
    async create(actor, input) {
      const { kind, name, url, secret, to } = checked(newChannelSchema, input);
      if ((await store.channels.list()).length >= alertBounds.channelsMax) throw tooMany();
      const made = kind === 'webhook' && secret === undefined ? newSecret() : undefined;
      const atMs = nowMs();
      const record: ChannelRecord = {
        ...{ id: parts.newId('ch_'), kind, name, settings: to === undefined ? {} : { to }, disabled: false },
        ...{ createdAtMs: atMs, updatedAtMs: atMs },
      };
      const channel = await keep(record, { url, secret: secret ?? made });
      await audit.write(actor, { action: 'alert-channel-create', subject: name, detail: { kind } });
      return { channel: channelView(channel), ...(made !== undefined && { secret: made }) };
    },
    async change(actor, id, input) {
      const { url, secret, to, newSecret: wantsSecret, ...rest } = checked(channelChangesSchema, input);
      const before = await find(id);
      requireFits(before, { url, secret, to, wantsSecret });
      const known = (await openSecrets(sealing, before)) ?? {};
      const made = wantsSecret === true ? newSecret() : undefined;
      const record: ChannelRecord = {
        ...before,
        ...(rest.name !== undefined && { name: rest.name }),
        ...(rest.disabled !== undefined && { disabled: rest.disabled }),
        ...(to !== undefined && { settings: { to } }),
        updatedAtMs: nowMs(),
      };
      const kept = secret === null ? undefined : (secret ?? made ?? known.secret);
      const channel = await keep(record, { url: url ?? known.url, secret: kept });
      const changed = Object.entries({ ...rest, url, secret: secret ?? made, to }).filter(
        ([, value]) => value !== undefined,
      );
      const detail = { changed: changed.map(([field]) => field) };
      await audit.write(actor, { action: 'alert-channel-change', subject: channel.name, detail });
      return { channel: channelView(channel), ...(made !== undefined && { secret: made }) };
    },
    async remove(actor, id) {
      const { name } = await find(id);
      await store.channels.remove(id, nowMs());
      await audit.write(actor, { action: 'alert-channel-delete', subject: name });
    },
    async test(actor, id) {
      const channel = await find(id);
      const message = testMessage(parts.newId('msg_'), nowMs(), parts.pageUrl);
      const { ok, status, answer } = await parts.send(channel, message);
      await audit.write(actor, { action: 'alert-channel-test', subject: channel.name, detail: { ok } });
      return { ok, answer, ...(status !== undefined && { status }) };
    },
  };
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const tooMany = (): GatewayError =>
  new GatewayError('field_invalid', `There are ${alertBounds.channelsMax} channels already. Delete one first.`);

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `${param}: ${rule}`, { param });
}

interface Given {
  readonly url: string | undefined;
  readonly secret: string | null | undefined;
  readonly to: readonly string[] | undefined;
  readonly wantsSecret: true | undefined;
}

/** Changes are read without the channel's kind. */
function requireFits({ kind }: ChannelRecord, { url, secret, to, wantsSecret }: Given): void {
  if (kind === 'mail' && url !== undefined) throw invalid('url', 'does not apply to mail');
  if (kind !== 'mail' && to !== undefined) throw invalid('to', 'applies to mail only');
  if (wantsSecret === true && kind !== 'webhook') throw invalid('newSecret', 'applies to webhook only');
  if (secret === undefined) return;
  if (kind !== 'webhook' && kind !== 'feishu') throw invalid('secret', 'applies to webhook and feishu only');
  if (kind === 'webhook' && (secret === null || !isWebhookSecret(secret)))
    throw invalid('secret', 'must be whsec_ and 24 to 64 bytes in base64');
}

function hostOf(url: string): string {
  try {
    return readCallerUrl(url, undefined).host;
  } catch (cause) {
    if (cause instanceof UrlRefusal) throw invalid('url', cause.message);
    throw cause;
  }
}

function channelView({ id, kind, name, settings, ...channel }: ChannelRecord, last?: DeliveryRecord): ChannelView {
  const { host, to } = settings;
  return {
    ...{ id, kind, name, disabled: channel.disabled },
    ...(host !== undefined && { host }),
    ...(to !== undefined && { to }),
    createdAt: new Date(channel.createdAtMs).toISOString(),
    updatedAt: new Date(channel.updatedAtMs).toISOString(),
    ...(last !== undefined && {
      last: {
        state: last.state,
        at: new Date(last.endedAtMs ?? last.createdAtMs).toISOString(),
        ...(last.lastError !== undefined && { error: last.lastError }),
      },
    }),
  };
}
