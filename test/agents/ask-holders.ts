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

/** `asked` is the model that the request names. */
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
    const own = received.filter((one) => one.vendor === host.kind && one.holder === holder);
    const refusals = refused.filter((one) => one.vendor === host.kind && one.holder === holder);
    const { status = 0, losses = [], error = '' } = replies[index] ?? {};
    return [
      holder,
      { status, losses, error, refusals: refusals.map(({ message }) => message), body: own.at(-1)?.body },
    ];
  });
  return Object.fromEntries(entries) as Record<Holder, HolderReply>;
}

/** What is wrong with how the limited tokens fared; empty where all is as documented. */
export async function faultsAt(
  place: HostPlace,
  host: AgentHost,
  request: RecordedRequest,
  asked: string,
): Promise<string[]> {
  const replies = await askHolders(place, host, request, asked);
  const { unlimited } = replies;
  return limitedHolders.flatMap((holder) => {
    const limited = replies[holder];
    const differences = compareBodies(unlimited.body, limited.body);
    const faults = faultsOf(host, unlimited, limited, differences);
    return faults.map((fault) => `${holder}: ${fault}${limited.error === '' ? '' : ` (${limited.error})`}`);
  });
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
  const losses = response.headers.get('x-weir-losses') ?? '';
  return {
    status: response.status,
    losses: losses === '' ? [] : losses.split(', '),
    error: response.status === 200 ? '' : text.slice(0, 300),
  };
}
