/** Polls a provider for the progress of a task. A failure is an answer too, named by what it means for the task. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { VideoProgress, VideoTicket } from '../../operations/video.ts';
import type { VideoPlaces, VideoQuestion, VideoWire } from '../../operations/video-wire.ts';
import type { WireReply } from '../../operations/wire.ts';
import type { Provider } from '../../providers/assemble.ts';
import type { Authorizer } from '../../providers/sign/authorize.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import { isSibling } from '../../relay/operations/poll-result.ts';
import type { ProviderKey } from '../../settings/config.ts';
import { readRetryAfter } from '../../upstream/faults/verdict.ts';
import type { UpstreamReply } from '../../upstream/transport.ts';
import type { TaskErrorName } from '../following/task-errors.ts';
import type { Task } from '../task.ts';

/** A provider that makes videos, its wire and its URLs. */
export interface VideoHost {
  readonly provider: Provider;
  readonly wire: VideoWire;
  readonly places: VideoPlaces;
  /** It does not fetch URLs, though its wire has a field for one. */
  readonly fetchesNothing: boolean;
}

export interface AskParts {
  readonly authorizer: Authorizer;
  wallMs(): number;
}

export interface Progress {
  readonly kind: 'progress';
  readonly progress: VideoProgress;
}

export type Answer = (Progress & { readonly key: ProviderKey }) | Fault;

export interface Fault {
  readonly kind: 'fault';
  readonly name: TaskErrorName;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  /** The body of an error status, where the wire may understand it. */
  readonly reply?: WireReply;
}

export function fault(name: TaskErrorName, message: string, retryAfterMs?: number): Fault {
  return { kind: 'fault', name, message, retryAfterMs };
}

export const askTimeoutMs = 20_000;
const replyBytesMax = 64 * 1_024 * 1_024;
/** More immediate follow-up polls than this are a provider's fault. */
const questionsMax = 4;
const messageCharactersMax = 500;

/** The key that the task was made with; another one where that is gone or was refused: it may belong to the same account. */
export function keyFor(provider: Provider, { keyId, faults }: Pick<Task, 'keyId' | 'faults'>): ProviderKey | undefined {
  const { keys } = provider;
  const own = Math.max(
    0,
    keys.findIndex(({ id }) => id === keyId),
  );
  return keys[(own + faults) % Math.max(1, keys.length)];
}

export async function askProvider(
  parts: AskParts,
  task: Pick<Task, 'keyId' | 'faults'>,
  given: VideoTicket,
  host: VideoHost,
  signal: AbortSignal,
): Promise<Answer> {
  const key = keyFor(host.provider, task);
  if (key === undefined) return fault('key-refused', `The provider ${host.provider.name} has no key.`);
  let ticket = given;
  try {
    for (let questions = 0; questions < questionsMax; questions++) {
      const reply = await put(parts, host, key, host.wire.ask(ticket, host.places), signal);
      if (isFault(reply)) return progressIn(reply, host, ticket, key) ?? withoutReply(reply);
      const progress = scrubbed(host.wire.readProgress(reply, ticket, host.places), host.provider);
      const unfinished = progress.state === 'queued' || progress.state === 'in_progress';
      if (!unfinished || progress.askNow !== true)
        return { kind: 'progress', progress: withTicket(progress, ticket), key };
      ticket = progress.ticket ?? ticket;
    }
    return fault('unreadable', 'The provider asks for immediate polls without end.');
  } catch (cause) {
    return faultOf(cause, host.provider);
  }
}

/** Some providers report the end of a task by an error status: then the wire reads the body. */
function progressIn(
  { reply }: Fault,
  { wire, places, provider }: VideoHost,
  ticket: VideoTicket,
  key: ProviderKey,
): Answer | undefined {
  if (reply === undefined) return undefined;
  try {
    const progress = wire.readProgress(reply, ticket, places);
    return progress.state === 'failed' ? { kind: 'progress', progress: scrubbed(progress, provider), key } : undefined;
  } catch {
    return undefined;
  }
}

export function withoutReply({ name, message, retryAfterMs }: Fault): Fault {
  return fault(name, message, retryAfterMs);
}

/** True where the provider accepted it. */
export async function cancelAtProvider(
  parts: AskParts,
  task: Pick<Task, 'keyId' | 'faults' | 'ticket'>,
  host: VideoHost,
  signal: AbortSignal,
): Promise<boolean> {
  const key = keyFor(host.provider, task);
  if (key === undefined || task.ticket === undefined || host.wire.cancel === undefined) return false;
  try {
    return !isFault(await put(parts, host, key, host.wire.cancel(task.ticket, host.places), signal));
  } catch {
    return false;
  }
}

export function isFault(reply: WireReply | Fault): reply is Fault {
  return 'kind' in reply;
}

/** Keeps the ticket of an earlier poll where the last answer did not repeat it. */
function withTicket(progress: VideoProgress, ticket: VideoTicket): VideoProgress {
  if (progress.state !== 'queued' && progress.state !== 'in_progress') return progress;
  return { ...progress, ticket: progress.ticket ?? ticket };
}

export async function put(
  { authorizer, wallMs }: AskParts,
  { provider, places }: Pick<VideoHost, 'provider' | 'places'>,
  key: ProviderKey,
  question: VideoQuestion,
  signal: AbortSignal,
): Promise<WireReply | Fault> {
  const { url, method } = question;
  // The poll carries our key, so it is sent to the provider's own hosts only.
  if (!isSibling(url, places.base)) return fault('unreadable', 'The provider points to another host for its answer.');
  const body = question.body === undefined ? undefined : JSON.stringify(question.body);
  const authorized = await authorizer.headersFor(provider, key, { method, url, body });
  const headers = {
    ...authorized,
    ...(body !== undefined && { 'content-type': 'application/json' }),
    'user-agent': 'weir',
    ...question.headers,
  };
  const reply = await provider.transport({ url, method, headers, signal, ...(body !== undefined && { body }) });
  if (reply.status >= 200 && reply.status < 300) return readWhole(reply, url);
  const refusal = faultOfStatus(reply, provider.name, wallMs());
  if (refusal.name !== 'unreadable') {
    reply.cancel();
    return refusal;
  }
  return {
    ...refusal,
    ...(await readWhole(reply, url).then(
      (whole) => ({ reply: whole }),
      () => ({}),
    )),
  };
}

async function readWhole(reply: UpstreamReply, address: string): Promise<WireReply> {
  const contentType = reply.header('content-type') ?? '';
  const bytes = await reply.whole(replyBytesMax);
  if (bytes.length === 0) return { contentType, tree: undefined, bytes, address };
  return { contentType, tree: JSON.parse(Buffer.from(bytes).toString('utf8')), bytes, address };
}

function faultOfStatus(reply: UpstreamReply, provider: string, nowMs: number): Fault {
  const { status } = reply;
  const retryAfterMs = readRetryAfter(reply.header('retry-after') ?? null, nowMs);
  const message = `The provider ${provider} answered with status ${status}.`;
  if (status === 401 || status === 403) return fault('key-refused', message, retryAfterMs);
  if (status === 404 || status === 410) return fault('lost', message, retryAfterMs);
  if (status === 429 || status >= 500) return fault('unreachable', message, retryAfterMs);
  return fault('unreadable', message, retryAfterMs);
}

export function faultOf(cause: unknown, provider: Provider): Fault {
  const message = cause instanceof Error ? scrubberOf(provider)(cause.message).slice(0, messageCharactersMax) : '';
  if (cause instanceof SyntaxError) return fault('unreadable', `The provider's answer could not be read: ${message}`);
  if (cause instanceof GatewayError) return fault('unreadable', message);
  return fault('unreachable', `The provider ${provider.name} could not be asked.`);
}

/** Its message reaches the caller, so no key may be in it. */
function scrubbed(progress: VideoProgress, provider: Provider): VideoProgress {
  if (progress.state !== 'failed') return progress;
  return { ...progress, message: scrubberOf(provider)(progress.message).slice(0, messageCharactersMax) };
}
