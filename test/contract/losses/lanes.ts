/** The lane that the relay takes from a client of one format to a provider of another, without a server around it. */

import { formats } from '../../../src/formats/all.ts';
import type { Tree } from '../../../src/formats/format.ts';
import { Slices } from '../../../src/http/json/in-slices.ts';
import { chooseLane } from '../../../src/relay/lanes/choose-lane.ts';
import type { ConversationLane } from '../../../src/relay/lanes/lane.ts';
import { Health } from '../../../src/routing/health.ts';

export const formatNames = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
export type WireName = (typeof formatNames)[number];

/** All sixteen. */
export const pairs: readonly (readonly [client: WireName, provider: WireName])[] = formatNames.flatMap((client) =>
  formatNames.map((provider) => [client, provider] as const),
);

/** The twelve of different formats. */
export const translatedPairs = pairs.filter(([client, provider]) => client !== provider);

const model = 'some-model';
let made = 0;

export function laneOf(client: WireName, provider: WireName, tree: Tree, stream = false): ConversationLane {
  const bytes = new TextEncoder().encode(JSON.stringify(tree));
  const parts = {
    slices: new Slices({ nowMs: () => 0, nextTurn: queueMicrotask }),
    formats,
    sealMemo: { hasSealed: () => false, fetch: () => undefined, find: () => undefined, keep: () => undefined },
    routing: { cacheMarks: 'auto' },
    outputTokensOf: () => undefined,
    wallMs: () => 0,
    nowMs: () => 0,
    newId: (prefix: string) => `${prefix}${++made}`,
  };
  const call = {
    format: formats[client],
    body: { tree, bytes, fields: new Map() },
    bytesIn: bytes.length,
    facts: { model, stream },
    named: client === 'gemini-generate' ? { model, stream } : undefined,
    caller: { tokenId: 't' },
    isStrict: () => false,
  };
  const target = {
    provider: {
      name: 'up',
      quirks: {},
      notes: new Map(),
      addresses: { [provider]: { whole: 'http://up', stream: 'http://up' } },
    },
    model,
    formats: [provider],
    profile: {},
    health: new Health(),
  };
  type Given = Parameters<typeof chooseLane>;
  const lane = chooseLane(...([parts, call, target, undefined] as unknown as Given));
  if (lane instanceof Promise) throw new Error('A small request is translated at once.');
  return lane;
}

export const lossNames = (losses: readonly { readonly what: string }[]): readonly string[] =>
  losses.map(({ what }) => what);

/** What reached the client, and what is named. */
export interface Carried {
  readonly text: string;
  readonly losses: readonly string[];
}
