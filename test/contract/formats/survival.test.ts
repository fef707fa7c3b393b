/**
 * Everything that a request or a reply can hold survives every pair of formats, or its loss is reported:
 * nothing is dropped silently.
 */

import { describe, expect, test } from 'bun:test';
import type { Loss } from '../../../src/conversation/parts.ts';
import { withMediaAfterResults } from '../../../src/conversation/repair/result-media.ts';
import type { TextRequest } from '../../../src/conversation/text-request.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { checkEvents } from '../../harness/check-events.ts';
import { type Difference, replyDifferences, requestDifferences } from '../../harness/differences.ts';
import { type Passage, unexplained } from '../../harness/explained.ts';
import { fold } from '../../harness/fold-events.ts';
import { asClientSays, asProviderReads, formatNames, replyThrough, streamThrough } from '../../harness/journeys.ts';
import { normalizedReply, normalizedRequest } from '../../harness/normalize-for-format.ts';
import { isFullSize, sampled } from '../../harness/size.ts';
import { unfold } from '../../harness/unfold.ts';
import { replyItems } from './surviving-replies.ts';
import { requestItems } from './surviving-requests.ts';

interface Outcome {
  readonly differences: readonly Difference[];
  readonly losses: readonly Loss[];
}

type Journey = (client: FormatName, provider: FormatName) => Outcome;

/** `·` survives, `L` is reported as lost, `!` is lost silently, a space was not tried. */
class Table {
  readonly silent: string[] = [];
  #items = 0;
  readonly #rows: string[] = [];
  readonly #lossesByPair = new Map<string, number>();
  readonly #passage: Passage;

  constructor(passage: Passage) {
    this.#passage = passage;
  }

  add(item: string, journey: Journey): void {
    this.#items += 1;
    const groups = formatNames.map((client, at) => {
      // In the usual size an item goes from each client to each provider once, and to its own.
      const [other] = isFullSize ? [] : sampled(formatNames, at + this.#items);
      const isTried = (provider: FormatName) => isFullSize || provider === client || provider === other;
      return formatNames
        .map((provider) => (isTried(provider) ? this.#mark(item, client, provider, journey) : ' '))
        .join('');
    });
    if (groups.some((group) => /[^· ]/.test(group))) this.#rows.push(`${item.padEnd(58)} ${groups.join(' ')}`);
  }

  #mark(item: string, client: FormatName, provider: FormatName, journey: Journey): string {
    const { differences, losses } = journey(client, provider);
    const both = [client, provider];
    const open = unexplained(differences, losses, both, this.#passage);
    if (open.length > 0) {
      const [{ kind, expected, got } = { kind: '', expected: '', got: '' }] = open;
      this.silent.push(
        `${item}, ${client} client on ${provider}: ${kind}: ${JSON.stringify(expected)} became ${JSON.stringify(got)}`,
      );
      return '!';
    }
    const lost = unexplained(differences, [], both, this.#passage).length > 0;
    const pair = `${client}→${provider}`;
    if (lost) this.#lossesByPair.set(pair, (this.#lossesByPair.get(pair) ?? 0) + 1);
    return lost ? 'L' : '·';
  }

  print(title: string, items: number): void {
    const pairs = [...this.#lossesByPair].map(([pair, count]) => `${pair} ${count}`);
    const names = formatNames.map((name) => name.replace(/^.*-/, '')).join(', ');
    console.log(
      `${title}: ${items} items × ${isFullSize ? formatNames.length : 2} × ${formatNames.length} pairs; silent losses: ${this.silent.length}`,
    );
    console.log(`  groups are clients, letters are providers (${names}); · survives, L is reported, ! is silent`);
    for (const row of this.#rows) console.log(`  ${row}`);
    console.log(`  losses by client→provider: ${pairs.join(', ')}`);
  }
}

const inBothFormats =
  <Value>(normalize: (name: FormatName, value: Value) => Value) =>
  (client: FormatName, provider: FormatName, value: Value): Value =>
    normalize(client, normalize(provider, value));

/** Where results are texts, what they held beside them follows in the user's turn. */
function withMovedMedia(name: FormatName, request: TextRequest): TextRequest {
  if (formats[name].codec.rules.resultsAreText !== true) return request;
  return { ...request, messages: withMediaAfterResults(request.messages) };
}

describe('what must survive', () => {
  test('requests, from every client to every provider', () => {
    const table = new Table('request');
    const normalized = inBothFormats((name: FormatName, request: TextRequest) =>
      normalizedRequest(name, withMovedMedia(name, request)),
    );
    for (const [item, make] of requestItems) {
      table.add(item, (client, provider) => {
        const request = typeof make === 'function' ? make(provider, client) : make;
        const said = asClientSays(client, request, provider);
        const read = asProviderReads(provider, said.value);
        return {
          differences: requestDifferences(
            normalized(client, provider, request),
            normalized(client, provider, read.value),
          ),
          losses: [...said.losses, ...read.losses],
        };
      });
    }
    table.print('requests', requestItems.length);
    expect(table.silent).toEqual([]);
  });

  test('whole replies, from every provider to every client', () => {
    const table = new Table('reply');
    const normalized = inBothFormats((name: FormatName, reply: Parameters<typeof normalizedReply>[1]) =>
      normalizedReply(name, reply, 'reply'),
    );
    for (const [item, make] of replyItems) {
      table.add(item, (client, provider) => {
        const reply = typeof make === 'function' ? make(provider) : make;
        const given = replyThrough(provider, reply);
        const got = replyThrough(client, given.value);
        return {
          differences: replyDifferences(normalized(client, provider, reply), normalized(client, provider, got.value)),
          losses: [...given.losses, ...got.losses],
        };
      });
    }
    table.print('whole replies', replyItems.length);
    expect(table.silent).toEqual([]);
  });

  test('streamed replies, from every provider to every client', () => {
    const table = new Table('stream');
    const broken: string[] = [];
    const normalized = inBothFormats((name: FormatName, reply: Parameters<typeof normalizedReply>[1]) =>
      normalizedReply(name, reply, 'stream'),
    );
    for (const [item, make] of replyItems) {
      table.add(item, (client, provider) => {
        const reply = typeof make === 'function' ? make(provider) : make;
        const given = streamThrough(provider, unfold(reply));
        const got = streamThrough(client, given.value);
        for (const wrong of [...checkEvents(given.value), ...checkEvents(got.value)]) broken.push(`${item}: ${wrong}`);
        return {
          differences: replyDifferences(
            normalized(client, provider, reply),
            normalized(client, provider, fold(got.value)),
          ),
          losses: [...given.losses, ...got.losses],
        };
      });
    }
    table.print('streamed replies', replyItems.length);
    expect(broken).toEqual([]);
    expect(table.silent).toEqual([]);
  });
});
