/**
 * The three kinds of hosts that limited tokens are tried on: a vendor's own API, a service that passes requests on, and a server
 * of the operator's own. At each there is one provider for each holder of a token, so that what arrives tells who sent it and
 * what one holder's request taught is not known to another's.
 */

import { createToken } from '../harness/token.ts';
import type { RunningWeir } from '../harness/weir.ts';
import { providerKey, type RefusingProvider } from '../refusing/refusing-provider.ts';

export interface AgentHost {
  /** The preset. */
  readonly kind: string;
  readonly group: 'vendor' | 'router' | 'self-hosted';
  readonly model: string;
  /** Are the programs run on it where no host is named? */
  readonly usual: boolean;
  /** Does its preset price searches, or is nothing billed there? */
  readonly pricesSearches: boolean;
}

export const hosts: readonly AgentHost[] = [
  { kind: 'openai', group: 'vendor', model: 'gpt-5.6-sol', usual: true, pricesSearches: true },
  { kind: 'anthropic', group: 'vendor', model: 'claude-sonnet-4-5', usual: true, pricesSearches: true },
  { kind: 'gemini', group: 'vendor', model: 'gemini-2.5-pro', usual: true, pricesSearches: true },
  { kind: 'deepseek', group: 'vendor', model: 'deepseek-chat', usual: false, pricesSearches: false },
  { kind: 'openrouter', group: 'router', model: 'openai/gpt-5.6-sol', usual: true, pricesSearches: false },
  { kind: 'litellm', group: 'router', model: 'claude-sonnet-4-5', usual: false, pricesSearches: false },
  { kind: 'vercel', group: 'router', model: 'google/gemini-2.5-pro', usual: false, pricesSearches: false },
  { kind: 'openai-chat', group: 'self-hosted', model: 'qwen3.8-27b', usual: true, pricesSearches: false },
  { kind: 'vllm', group: 'self-hosted', model: 'qwen3.8-27b', usual: false, pricesSearches: true },
];

/** Two have a budget and a list of models: with one alone, what one caller's state does to another would not be seen. */
export const limitedHolders = ['first', 'second'] as const;
export const holders = ['unlimited', ...limitedHolders] as const;
export type Holder = (typeof holders)[number];

const hostName = ({ kind }: AgentHost, holder: Holder): string => `${kind}-${holder}`;

/** The name by which a holder asks for the host's model. */
export const modelFor = (host: AgentHost, holder: Holder): string => `${hostName(host, holder)}/${host.model}`;

/** `weir.yaml` for these hosts, with a price for each model, since a budget needs one. */
export function hostsYaml(chosen: readonly AgentHost[], provider: RefusingProvider): object {
  const entries = chosen.flatMap((host) =>
    holders.map((holder) => {
      const { kind, model } = host;
      const entry = { kind, base_url: provider.baseOf(kind, holder), key: providerKey, models: [model] };
      return [hostName(host, holder), entry] as const;
    }),
  );
  const price = { input: 1, output: 2, context_tokens: 400_000 };
  const prices = Object.fromEntries(chosen.map(({ model }) => [model, price]));
  const egress = { mcp_hosts: ['example.com'] };
  return { providers: Object.fromEntries(entries), prices, egress, clocks: { patience_ms: 0 } };
}

export type HolderTokens = Readonly<Record<Holder, string>>;

export async function holderTokens(weir: RunningWeir, chosen: readonly AgentHost[]): Promise<HolderTokens> {
  const models = chosen.flatMap((host) => limitedHolders.map((holder) => modelFor(host, holder))).join(',');
  const limits = ['--budget-usd', '100000', '--budget-period', 'total', '--models', models];
  const [first, second] = [await createToken(weir, ...limits), await createToken(weir, ...limits)];
  return { unlimited: weir.token, first: first.token, second: second.token };
}
