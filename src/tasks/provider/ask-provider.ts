/** Asks a provider how far a task is. Whatever goes wrong is an answer too, with the name of what it means for the task. */

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

/** A provider, the way to speak with it, and where. */
export interface Home {
  readonly provider: Provider;
  readonly wire: VideoWire;
  readonly places: VideoPlaces;
  /** It does not fetch what lies behind an address, though its wire has a place for one. */
  readonly fetchesNothing: boolean;
}

export interface AskParts {
  readonly authorizer: Authorizer;
  wallMs(): number;
}

export type Answer = { readonly kind: 'progress'; readonly progress: VideoProgress; readonly key: ProviderKey } | Fault;

export interface Fault {
  readonly kind: 'fault';
  readonly name: TaskErrorName;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  /** What came with a status that says no, where the wire may know its words. */
  readonly reply?: WireReply;
}

export function fault(name: TaskErrorName, message: string, retryAfterMs?: number): Fault {
  return { kind: 'fault', name, message, retryAfterMs };
}

export const askTimeoutMs = 20_000;
const replyBytesMax = 64 * 1_024 * 1_024;
/** A provider that says "ask again at once" more often than this has lost its way. */
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
  home: Home,
  signal: AbortSignal,
): Promise<Answer> {
  const key = keyFor(home.provider, task);
  if (key === undefined) return fault('key-refused', `The provider ${home.provider.name} has no key.`);
  let ticket = given;
  try {
    for (let questions = 0; questions < questionsMax; questions++) {
      const reply = await put(parts, home, key, home.wire.ask(ticket, home.places), signal);
      if (isFault(reply)) return saidNo(reply, home, ticket, key) ?? withoutReply(reply);
      const progress = scrubbed(home.wire.readProgress(reply, ticket, home.places), home.provider);
      const goesOn = progress.state === 'queued' || progress.state === 'in_progress';
      if (!goesOn || progress.askNow !== true) return { kind: 'progress', progress: withTicket(progress, ticket), key };
      ticket = progress.ticket ?? ticket;
    }
    return fault('unreadable', 'The provider says again and again that it can be asked at once.');
  } catch (cause) {
    return faultOf(cause, home.provider);
  }
}

/** Some providers tell the end of a task by a status: then the wire knows what was said. */
function saidNo(
  { reply }: Fault,
  { wire, places, provider }: Home,
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

function withoutReply({ name, message, retryAfterMs }: Fault): Fault {
  return fault(name, message, retryAfterMs);
}

/** True where the provider took note of it. */
export async function cancelAtProvider(
  parts: AskParts,
  task: Pick<Task, 'keyId' | 'faults' | 'ticket'>,
  home: Home,
  signal: AbortSignal,
): Promise<boolean> {
  const key = keyFor(home.provider, task);
  if (key === undefined || task.ticket === undefined || home.wire.cancel === undefined) return false;
  try {
    return !isFault(await put(parts, home, key, home.wire.cancel(task.ticket, home.places), signal));
  } catch {
    return false;
  }
}

function isFault(reply: WireReply | Fault): reply is Fault {
  return 'kind' in reply;
}

/** What was learnt on the way stays learnt, though the last answer did not repeat it. */
function withTicket(progress: VideoProgress, ticket: VideoTicket): VideoProgress {
  if (progress.state !== 'queued' && progress.state !== 'in_progress') return progress;
  return { ...progress, ticket: progress.ticket ?? ticket };
}

async function put(
  { authorizer, wallMs }: AskParts,
  { provider, places }: Home,
  key: ProviderKey,
  question: VideoQuestion,
  signal: AbortSignal,
): Promise<WireReply | Fault> {
  const { url, method } = question;
  // Our key goes with the question, so it goes nowhere but to the provider's own hosts.
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
  const said = faultOfStatus(reply, provider.name, wallMs());
  if (said.name !== 'unreadable') {
    reply.cancel();
    return said;
  }
  return {
    ...said,
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
  const said = `The provider ${provider} answered with status ${status}.`;
  if (status === 401 || status === 403) return fault('key-refused', said, retryAfterMs);
  if (status === 404 || status === 410) return fault('lost', said, retryAfterMs);
  if (status === 429 || status >= 500) return fault('unreachable', said, retryAfterMs);
  return fault('unreadable', said, retryAfterMs);
}

function faultOf(cause: unknown, provider: Provider): Fault {
  const said = cause instanceof Error ? scrubberOf(provider)(cause.message).slice(0, messageCharactersMax) : '';
  if (cause instanceof SyntaxError) return fault('unreadable', `The provider's answer could not be read: ${said}`);
  if (cause instanceof GatewayError) return fault('unreadable', said);
  return fault('unreachable', `The provider ${provider.name} could not be asked.`);
}

/** Its words reach the caller, so no key may be among them. */
function scrubbed(progress: VideoProgress, provider: Provider): VideoProgress {
  if (progress.state !== 'failed') return progress;
  return { ...progress, message: scrubberOf(provider)(progress.message).slice(0, messageCharactersMax) };
}
