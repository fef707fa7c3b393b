/** Finds a kept reply for the token it belongs to: in Weir's own store, or at the provider that keeps it. */

import type { Caller } from '../../access/caller.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Format } from '../../formats/format.ts';
import type { Reply } from '../../http/reply.ts';
import { addressOf } from '../../providers/address.ts';
import { scrubberOf } from '../../providers/sign/provider-scrubber.ts';
import { Cancellation } from '../../upstream/cancellation.ts';
import { AttemptFailure, verdictOfStatus, verdictOfThrow } from '../../upstream/faults/verdict.ts';
import { storeUnavailable } from '../admission/ledger-errors.ts';
import type { RelayParts } from '../relay-parts.ts';
import type { Keeper, KeptContent } from './kept-replies.ts';

export interface ReplyQuestion {
  readonly format: Format;
  readonly caller: Caller;
  readonly id: string;
  /** What follows the id in the path, and the query, where a provider is to be asked. */
  readonly tail: string;
  readonly query: string;
}

/** The reply's content, or what its provider answered. */
type ReplyAnswer = KeptContent | Reply;

export interface ReplyLookUp {
  /** Throws `not_found` where the token has none, even if another token does. */
  find(question: ReplyQuestion): Promise<ReplyAnswer>;
  /** Stops one that runs in the background; of any other its provider says that it cannot be stopped. */
  cancel(question: ReplyQuestion): Promise<Reply>;
  /** Undefined where it was removed from Weir's own store. */
  remove(question: ReplyQuestion): Promise<Reply | undefined>;
}

type LookUpParts = Pick<
  RelayParts,
  'keptReplies' | 'catalogue' | 'keys' | 'limits' | 'authorizer' | 'nowMs' | 'wallMs'
>;

const providerTimeoutMs = 30_000;

export function createReplyLookUp(parts: LookUpParts): ReplyLookUp {
  async function known({ caller, id }: ReplyQuestion) {
    const found = await parts.keptReplies.find(caller.tokenId, id).catch(replyUnavailable);
    if (found === undefined) throw unknown(id);
    return found;
  }

  return {
    async find(question) {
      const found = await known(question);
      if (found.kind === 'content') return found.content;
      if (found.kind === 'at-provider') return askKeeper(parts, found.keeper, 'GET', question);
      throw new GatewayError('not_found', `The reply ${shown(question.id)} was too large to be kept.`);
    },
    async cancel(question) {
      const found = await known(question);
      if (found.kind === 'at-provider') return askKeeper(parts, found.keeper, 'POST', question);
      // What is kept here has ended.
      throw new GatewayError('operation_unsupported', 'Only a response that runs in the background can be canceled.');
    },
    async remove(question) {
      const found = await known(question);
      const answer =
        found.kind === 'at-provider' ? await askKeeper(parts, found.keeper, 'DELETE', question) : undefined;
      await parts.keptReplies.remove(question.caller.tokenId, question.id).catch(replyUnavailable);
      return answer;
    },
  };
}

async function askKeeper(
  parts: LookUpParts,
  keeper: Keeper,
  method: 'GET' | 'DELETE' | 'POST',
  { format, id, tail, query }: ReplyQuestion,
): Promise<Reply> {
  const provider = parts.catalogue.providers.find(({ name }) => name === keeper.provider);
  if (provider?.addresses[format.name] === undefined) throw unknown(id);
  const key = parts.keys.pick({ provider }, new Set(), parts.nowMs, keeper.keyId);
  if (key === undefined) {
    throw new GatewayError('provider_unavailable', `No key of ${provider.name} is available right now.`);
  }
  const url = placeOf(addressOf(provider, format.name, '', false), id, tail, query);
  const signal = new Cancellation();
  const timer = setTimeout(() => {
    const error = new GatewayError('upstream_timeout', `The provider ${provider.name} did not answer in time.`);
    signal.abort(new AttemptFailure({ kind: 'uncertain', error, retryAfterMs: undefined }));
  }, providerTimeoutMs);
  try {
    const given = await parts.authorizer.headersFor(provider, key, { method, url });
    const headers = { ...given, 'user-agent': 'weir' };
    const reply = await provider.transport({ url, method, headers, signal });
    const bytes = await reply.whole(parts.limits.replyBytesMax);
    if (reply.status === 200) return new Response(bytes, { headers: { 'content-type': 'application/json' } });
    const retryAfter = reply.header('retry-after') ?? null;
    const fault = format.readFault(new TextDecoder().decode(bytes));
    const answer = { status: reply.status, fault, retryAfter, provider: provider.name, scrub: scrubberOf(provider) };
    throw new AttemptFailure(verdictOfStatus({ ...answer, nowMs: parts.wallMs() }));
  } catch (thrown) {
    throw verdictOfThrow(signal.aborted ? signal.reason : thrown, provider.name).error;
  } finally {
    clearTimeout(timer);
  }
}

/** Some addresses end in a query of their own. */
function placeOf(address: string, id: string, tail: string, query: string): string {
  const url = new URL(address);
  url.pathname = `${url.pathname}/${encodeURIComponent(id)}${tail}`;
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.append(name, value);
  return url.href;
}

function unknown(id: string): GatewayError {
  return new GatewayError('not_found', `This token has no reply ${shown(id)}.`);
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 100));
}

const replyUnavailable = storeUnavailable('it cannot look for the reply');
