/**
 * Random bodies for models of random profiles in the format that they came in: nothing that a profile calls refused is left in
 * them, what a profile does not mention keeps its value, and a body that fits is not touched.
 */

import { describe, expect, test } from 'bun:test';
import type { Tree } from '../../../src/conversation/json-tree.ts';
import type { ModelProfile } from '../../../src/conversation/model-profile.ts';
import type { TextRequest } from '../../../src/conversation/text-request.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { onTheWire, originOf } from '../../harness/journeys.ts';
import { brokenRules, randomProfile } from '../../harness/profiles.ts';
import { Random, randomRequest } from '../../harness/random-conversation.ts';
import { sized } from '../../harness/size.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_261_115);
const casesPerFormat = sized(150, 600);
const names = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate'] as const;
console.log(`profiles of one format: seed ${seed}, ${casesPerFormat} cases in each of ${names.length} formats`);

/** What is not known to be refused is sent: unknown means taken here. */
const unlessRefused: ModelProfile = {
  developerRole: 'taken',
  laterInstructions: 'taken',
  textLists: 'taken',
  allowedTools: 'taken',
  userId: {},
};

/** Modes of thinking that a format of this kind does not define are left to its server. */
function speaksOf(name: FormatName, { thinking }: ModelProfile): boolean {
  if (thinking === undefined || thinking.kind === 'never') return true;
  if (name === 'anthropic-messages') return thinking.kind === 'budget' || thinking.kind === 'adaptive';
  if (name === 'gemini-generate') return thinking.kind === 'budget' || thinking.kind === 'effort';
  return true;
}

/**
 * A budget beyond the limit is cut by the servers of one format, and each format has its own place for
 * the choice of tools.
 */
function isServers(name: FormatName, rule: string): boolean {
  return (
    name === 'gemini-generate' &&
    /^budget \d+ of|^says toolChoice|demanded call|allowed tools|^says jsonOutput|^says schemaOutput/.test(rule)
  );
}

function cases(name: FormatName): { number: number; profile: ModelProfile; body: Tree }[] {
  return Array.from({ length: casesPerFormat }, (_, number) => {
    const random = new Random(seed + number);
    const said = randomRequest(random, originOf(name), { without: ['media-in-results'] });
    const user = random.chance(0.3) ? { user: random.pick(['u', 'a@b.example', 'x'.repeat(150)]) } : {};
    const origin = originOf(name);
    const target = { origin, profile: { ...unlessRefused, outputTokensMax: 32_000 }, quirks: {} };
    const { value } = formats[name].codec.writeRequest({ ...said, ...user, model: origin.model }, target);
    return { number, profile: randomProfile(random, name), body: onTheWire(value) };
  }).filter(({ profile }) => speaksOf(name, profile));
}

/** In the messages format an effort alone does not request thinking. */
function withoutEffort(name: FormatName, request: TextRequest): TextRequest {
  const { thinking, ...rest } = request;
  return name === 'anthropic-messages' && thinking?.mode === undefined ? rest : request;
}

function readAs(name: FormatName, body: Tree) {
  return formats[name].codec.readRequest(body, { model: originOf(name).model, stream: false }).value;
}

describe.each(names)('%s', (name) => {
  const all = cases(name);

  test('nothing that the model refuses is left', () => {
    for (const { number, profile, body } of all) {
      const fitted = onTheWire(formats[name].fit?.(body, profile)?.tree ?? body);
      const broken = brokenRules(
        name,
        { ...unlessRefused, ...profile },
        fitted,
        withoutEffort(name, readAs(name, fitted)),
      ).filter((rule) => !isServers(name, rule));
      if (broken.length > 0)
        expect({ seed: seed + number, profile, broken }).toEqual({ seed: seed + number, profile, broken: [] });
    }
    expect(all.length).toBeGreaterThan(casesPerFormat / 4);
  });

  test('a request that fits is not changed, and a fitted request fits', () => {
    let untouched = 0;
    for (const { number, profile, body } of all) {
      const before = JSON.stringify(body);
      const fitting = formats[name].fit?.(body, profile);
      expect(JSON.stringify(body)).toBe(before);
      if (fitting === undefined) untouched += 1;
      const again = fitting && formats[name].fit?.(onTheWire(fitting.tree), profile);
      if (again !== undefined)
        expect({ seed: seed + number, profile, again: [...again.edits] }).toEqual({
          seed: seed + number,
          profile,
          again: [],
        });
    }
    expect(untouched).toBeGreaterThan(0);
    expect(untouched).toBeLessThan(all.length);
  });
});
