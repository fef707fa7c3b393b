/** Sends one request with each token of a host at the same time, and says how it fared and what the provider got. */

import { type Received, type RefusingProvider, startRefusingProvider } from '../refusing/refusing-provider.ts';
import { type Json, objectOf } from '../refusing/rules/refusal.ts';
import { compareBodies } from './compare-bodies.ts';
import { type AgentHost, type Holder, type HolderTokens, holders, limitedHolders, modelFor } from './hosts.ts';
import type { RecordedRequest } from './recorder.ts';
import { faultsOf, type HolderOutcome } from './taken-fields.ts';

export interface HostProvider extends RefusingProvider {
  /** What it got since the last call. */
  taken(): readonly Received[];
}

export function startHostProvider(): HostProvider {
  let received: Received[] = [];
  const provider = startRefusingProvider((one) => received.push(one));
  const taken = (): readonly Received[] => {
    const all = received;
    received = [];
    return all;
  };
  return { ...provider, taken };
}

export interface HostPlace {
  readonly url: string;
  readonly tokens: HolderTokens;
  readonly provider: HostProvider;
}

export interface HolderReply extends HolderOutcome {
  readonly error: string;
  /** The last body that arrived: one before it may have been refused. */
  readonly body: Json | undefined;
}

/** With all tokens at the same time, each at the holder's own provider. `asked` is the model that the request names. */
export async function askHolders(
  place: HostPlace,
  host: AgentHost,
  request: RecordedRequest,
  asked: string,
): Promise<Readonly<Record<Holder, HolderReply>>> {
  const { provider } = place;
  provider.taken();
  const refusedBefore = provider.refused.length;
  const replies = await Promise.all(
    holders.map((holder) => send(place, holder, request, asked, modelFor(host, holder))),
  );
  const received = provider.taken();
  const refused = provider.refused.slice(refusedBefore);
  const entries = holders.map((holder, index): readonly [Holder, HolderReply] => {
    const body = received.findLast((one) => one.holder === holder)?.body;
    const refusals = refused.filter((one) => one.holder === holder).map(({ message }) => message);
    return [holder, { ...(replies[index] ?? unanswered), refusals, body }];
  });
  return Object.fromEntries(entries) as Record<Holder, HolderReply>;
}

const unanswered = { status: 0, losses: [], areCut: false, error: 'no reply' };

/** What is wrong with how the limited tokens fared; empty where all is as documented. */
export async function faultsAt(
  place: HostPlace,
  host: AgentHost,
  request: RecordedRequest,
  asked: string,
): Promise<string[]> {
  const { unlimited, ...limited } = await askHolders(place, host, request, asked);
  return limitedHolders.flatMap((holder) =>
    faultsBetween(host, unlimited, limited[holder]).map((fault) => `${holder}: ${fault}`),
  );
}

/**
 * The same for a later request of a conversation: with one token after the other at the provider that it was sent to, since reasoning
 * returns only there, and with the token of a holder who did not send it, since Weir keeps reasoning for its sender.
 */
export async function faultsInTurn(
  place: HostPlace,
  host: AgentHost,
  request: RecordedRequest,
  other: Holder,
  asked: string,
): Promise<string[]> {
  const alone = async (holder: Holder): Promise<HolderReply> => {
    place.provider.taken();
    const refusedBefore = place.provider.refused.length;
    const reply = await send(place, holder, request, asked, asked);
    const refusals = place.provider.refused.slice(refusedBefore).map(({ message }) => message);
    return { ...reply, refusals, body: place.provider.taken().at(-1)?.body };
  };
  const unlimited = await alone('unlimited');
  return faultsBetween(host, unlimited, await alone(other));
}

function faultsBetween(host: AgentHost, unlimited: HolderReply, limited: HolderReply): string[] {
  const faults = faultsOf(host, unlimited, limited, compareBodies(unlimited.body, limited.body));
  return limited.error === '' ? faults : faults.map((fault) => `${fault} (${limited.error})`);
}

async function send(
  { url, tokens }: HostPlace,
  holder: Holder,
  request: RecordedRequest,
  asked: string,
  model: string,
) {
  const { path, body } = request;
  const response = await fetch(url + path.replace(`/${asked}:`, `/${model}:`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[holder]}` },
    body: JSON.stringify('model' in objectOf(body) ? { ...objectOf(body), model } : body),
  });
  const text = await response.text();
  const names = (response.headers.get('x-weir-losses') ?? '').split(', ');
  return {
    status: response.status,
    losses: names.filter((name) => name !== '' && !name.endsWith('...')),
    areCut: names.some((name) => name.endsWith('...')),
    error: response.status === 200 ? '' : text.slice(0, 300),
  };
}
