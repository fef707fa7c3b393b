/**
 * The needs that every format reports for a request are those that its codec reads, and turns of one conversation are
 * recognized in every format.
 */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../src/conversation/json-tree.ts';
import type { MediaPart, Message, Part } from '../../../src/conversation/parts.ts';
import { repair } from '../../../src/conversation/repair/repair.ts';
import type { TextRequest } from '../../../src/conversation/text-request.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { formatNames, originOf } from '../../harness/journeys.ts';
import { Random, randomRequest } from '../../harness/random-conversation.ts';
import { sized } from '../../harness/size.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_261_115);
const casesPerFormat = sized(80, 300);
console.log(`needs and affinity: seed ${seed}, ${casesPerFormat} cases in each of ${formatNames.length} formats`);

function bodyOf(format: FormatName, request: TextRequest): Tree {
  const { codec } = formats[format];
  const target = { origin: originOf(format), profile: {}, quirks: {} };
  const body = codec.writeRequest(repair(request, codec.rules, target.origin).value, target).value;
  return JSON.parse(JSON.stringify(body));
}

function mediaIn({ messages }: TextRequest): readonly MediaPart[] {
  const within = (part: Part): readonly MediaPart[] => {
    if (part.type === 'media') return [part];
    return part.type === 'tool-result' ? part.parts.flatMap(within) : [];
  };
  return messages.flatMap((message) => message.parts.flatMap(within));
}

/** Everything that can be read from the neutral form; documents of plain text are files to some formats and text to others. */
function readNeeds(request: TextRequest): { readonly [Name in string]: boolean } {
  const media = mediaIn(request);
  const holds = (kind: string) => media.some((part) => part.media === kind);
  return {
    image: holds('image'),
    audio: holds('audio'),
    video: holds('video'),
    file: media.some((part) => part.media === 'document' && part.source.kind !== 'text'),
    tools: request.tools.length > 0 && request.toolChoice.kind !== 'none',
    structured: request.output.kind !== 'text',
  };
}

/** The conversation up to each point at which a client may send it again: the user or a tool spoke last. */
function turnsOf(request: TextRequest): readonly TextRequest[] {
  const { messages } = request;
  const opening = messages.findIndex(({ role }) => role === 'user');
  // A writer that keeps instructions apart moves those of later turns to the front, which no client does.
  if (messages.some(({ role }, index) => index > opening && role === 'instruction')) return [];
  const isAsked = ({ role }: Message, index: number) => index >= opening && (role === 'user' || role === 'tool');
  return messages.flatMap((message, index) =>
    isAsked(message, index) ? [{ ...request, messages: messages.slice(0, index + 1) }] : [],
  );
}

describe.each(formatNames)('%s', (format) => {
  const { needs, affinityOf, codec } = formats[format];

  test('needs what its codec reads', () => {
    const seen = new Set<string>();
    for (let number = 0; number < casesPerFormat; number += 1) {
      const tree = bodyOf(format, randomRequest(new Random(seed + number), originOf(format)));
      const read = codec.readRequest(tree).value;
      const expected = readNeeds(read);
      const found = needs?.(tree);
      const isText = mediaIn(read).some((part) => part.source.kind === 'text');
      const hosted = (read.hostedTools?.length ?? 0) > 0;
      const loose = { ...(isText && { file: found?.file }), ...(hosted && { tools: found?.tools }) };
      expect({ number, ...found }).toEqual({ number, ...expected, ...loose } as never);
      for (const [name, isNeeded] of Object.entries(expected)) if (isNeeded) seen.add(name);
    }
    const common = ['image', 'structured', 'tools'];
    // One format takes texts only, another takes texts and images.
    const takesFiles = format !== 'openai-completions' && format !== 'cohere-chat';
    for (const name of format === 'openai-completions' ? [] : common) expect(seen).toContain(name);
    expect(seen.has('file')).toBe(takesFiles);
  });

  test('recognizes the turns of a conversation, and separates conversations', () => {
    const prefixes = new Set<string>();
    let conversations = 0;
    let turns = 0;
    for (let number = 0; number < casesPerFormat; number += 1) {
      // Writers set one resolution from all images of the request, which clients do not.
      const made = randomRequest(new Random(seed + number), originOf(format), {
        without: ['media', 'native', 'blank-text'],
      });
      const sent = turnsOf(made).map((turn) => affinityOf?.(bodyOf(format, turn)));
      const opening = sent[0]?.prefix;
      if (opening === undefined) continue;
      for (const turn of sent) expect({ number, prefix: turn?.prefix }).toEqual({ number, prefix: opening });
      conversations += 1;
      turns += sent.length;
      prefixes.add(opening);
    }
    // Its prompts here are too short for an affinity; the format's own tests have longer ones.
    if (format === 'openai-completions') return expect(conversations).toBe(0);
    expect(turns).toBeGreaterThan(conversations * 1.5);
    expect(conversations).toBeGreaterThan(casesPerFormat / 2);
    expect(prefixes.size).toBeGreaterThan(conversations * 0.97);
  });
});
