/** Sends one message to one channel, through the egress rules, and says what the receiver answered. */

import type { Sealing } from '../../secrets/sealing.ts';
import type { ChannelRecord } from '../../store/alerts/alert-records.ts';
import type { Egress } from '../../upstream/egress/fetch-from-caller.ts';
import { discordBody } from './discord-body.ts';
import { feishuBody, feishuRefusal } from './feishu-body.ts';
import { type ChannelSecrets, openSecrets } from './kept-channels.ts';
import { cut, type Message } from './message.ts';
import type { SendMail } from './send-mail.ts';
import { slackBody } from './slack-body.ts';
import { teamsBody } from './teams-body.ts';
import { webhookBody, webhookHeaders } from './webhook-body.ts';

interface SendParts {
  readonly egress: Pick<Egress, 'open'>;
  readonly sealing: Sealing;
  readonly mail: SendMail;
  nowMs(): number;
}

/** What came of it, in the receiver's words as far as there are any; without secrets. */
export interface Sent {
  readonly ok: boolean;
  /** Absent for mail, and where nothing answered. */
  readonly status?: number | undefined;
  readonly answer: string;
  /** The least wait before a retry, where the receiver names one. */
  readonly retryAfterMs?: number | undefined;
}

export type Send = (channel: ChannelRecord, message: Message, signal?: AbortSignal) => Promise<Sent>;

const timeoutMs = 10_000;
const answerBytesMax = 65_536;
const answerLengthMax = 500;
const retryAfterMsMax = 3_600_000;

interface Post {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why a reply with a status of success is a refusal. */
  refusalIn?(reply: string): string | undefined;
}

const json = { 'content-type': 'application/json' } as const;

function postOf(channel: ChannelRecord, { secret }: ChannelSecrets, message: Message, nowMs: number): Post | undefined {
  switch (channel.kind) {
    case 'webhook': {
      const body = webhookBody(message);
      return { body, headers: webhookHeaders(secret ?? '', message.id, body, nowMs) };
    }
    case 'slack':
      return { body: slackBody(message), headers: json };
    case 'discord':
      return { body: discordBody(message), headers: json };
    case 'teams':
      return { body: teamsBody(message), headers: json };
    case 'feishu':
      return { body: feishuBody(message, secret, nowMs), headers: json, refusalIn: feishuRefusal };
    case 'mail':
      return undefined;
  }
}

export function createSend({ egress, sealing, mail, nowMs }: SendParts): Send {
  return async (channel, message, signal) => {
    const secrets = await openSecrets(sealing, channel);
    if (secrets === undefined)
      return failed('Its URL cannot be read: it was sealed with a key that is gone. Set it again.');
    const post = postOf(channel, secrets, message, nowMs());
    try {
      if (post === undefined)
        return { ok: true, answer: cut(await mail(channel.settings.to ?? [], message), answerLengthMax) };
      const deadline = AbortSignal.timeout(timeoutMs);
      const reply = await egress.open({
        url: secrets.url ?? '',
        method: 'POST',
        headers: post.headers,
        body: post.body,
        redirectsMax: 0,
        signal: signal === undefined ? deadline : AbortSignal.any([deadline, signal]),
      });
      const text = hidden(new TextDecoder().decode(await reply.whole(answerBytesMax)), secrets);
      const refusal = isSuccess(reply.status) ? post.refusalIn?.(text) : `status ${reply.status}`;
      return {
        ok: refusal === undefined,
        status: reply.status,
        answer: cut(
          refusal === undefined || isSuccess(reply.status) ? (refusal ?? text) : `${refusal} ${text}`,
          answerLengthMax,
        ),
        retryAfterMs: retryAfterOf(reply.header('retry-after')),
      };
    } catch (cause) {
      return failed(hidden(reasonOf(cause), secrets));
    }
  };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const failed = (answer: string): Sent => ({ ok: false, answer: cut(answer, answerLengthMax) });

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause.name === 'TimeoutError') return `No answer within ${timeoutMs / 1_000} s.`;
  return cause.name === 'UrlRefusal' ? `The URL ${cause.message}.` : cause.message;
}

function retryAfterOf(text: string | undefined): number | undefined {
  const seconds = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1_000, retryAfterMsMax) : undefined;
}

/** A receiver may repeat what it was sent. */
function hidden(text: string, { url, secret }: ChannelSecrets): string {
  return [url, secret].reduce<string>(
    (shown, value) => (value === undefined || value.length < 8 ? shown : shown.replaceAll(value, '[hidden]')),
    text,
  );
}
