/**
 * Random requests for models of random profiles: nothing that a profile calls refused is written in any format, and whatever
 * of the request is not written is reported.
 */

import { describe, expect, test } from 'bun:test';
import { rulesFor } from '../../../src/conversation/fit/rules-for.ts';
import { fitToModel } from '../../../src/conversation/fit-model.ts';
import type { ModelProfile } from '../../../src/conversation/model-profile.ts';
import type { Message, Part, TextPart } from '../../../src/conversation/parts.ts';
import { repair } from '../../../src/conversation/repair/repair.ts';
import type { TextRequest, Thinking } from '../../../src/conversation/text-request.ts';
import { formats } from '../../../src/formats/all.ts';
import type { FormatName } from '../../../src/formats/format.ts';
import { type Difference, requestDifferences } from '../../harness/differences.ts';
import { disordered } from '../../harness/disordered.ts';
import { unexplained } from '../../harness/explained.ts';
import { formatNames, onTheWire, originOf } from '../../harness/journeys.ts';
import { normalizedRequest } from '../../harness/normalize-for-format.ts';
import { brokenRules, randomProfile } from '../../harness/profiles.ts';
import { Random, randomRequest } from '../../harness/random-conversation.ts';
import { sized } from '../../harness/size.ts';

const seed = Number(process.env['WEIR_TEST_SEED'] ?? 20_261_115);
const casesPerFormat = sized(60, 600);
const stranger = { format: 'openai-chat', provider: 'stranger', model: 'other' };
console.log(`profiles: seed ${seed}, ${casesPerFormat} cases in each of ${formatNames.length} formats`);

/** The path of a translated request: fitted, repaired, written, and read as its provider reads it. */
function sent(name: FormatName, number: number) {
  const random = new Random(seed + number);
  const asked = randomRequest(random, originOf(name), { without: ['media-in-results'] });
  const said = random.chance() ? asked : disordered(asked, random, stranger);
  const user = random.chance(0.3) ? { user: random.pick(['u', 'a@b.example', 'x'.repeat(150)]) } : {};
  const request = { ...said, ...user };
  const profile = randomProfile(random, name);
  const { codec } = formats[name];
  const origin = originOf(name);
  const fitted = fitToModel(request, profile, codec.rules);
  const repaired = repair(fitted.value, rulesFor(codec.rules, profile), origin);
  const written = codec.writeRequest({ ...repaired.value, model: origin.model }, { origin, profile, quirks: {} });
  const body = onTheWire(written.value);
  const read = codec.readRequest(body, { model: origin.model, stream: request.stream });
  const losses = [...fitted.losses, ...repaired.losses, ...written.losses, ...read.losses];
  return { profile, request, repaired: repaired.value, body, read: read.value, losses };
}

describe.each(formatNames)('%s', (name) => {
  let made: ReturnType<typeof sent>[] | undefined;
  const all = () => {
    made ??= Array.from({ length: casesPerFormat }, (_, number) => sent(name, number));
    return made;
  };

  test('nothing that the model refuses is written', () => {
    for (const [number, { profile, body, read }] of all().entries()) {
      const broken = brokenRules(name, profile, body, read);
      if (broken.length > 0) {
        expect({ seed: seed + number, profile, broken }).toEqual({ seed: seed + number, profile, broken: [] });
      }
    }
    expect(casesPerFormat).toBeGreaterThan(0);
  });

  test('what is left out is reported', () => {
    for (const [number, { profile, request, repaired, read, losses }] of all().entries()) {
      // Turns are compared after their repair, which has suites of its own; options as they were requested.
      const requested = { ...request, messages: repaired.messages.map((turn) => asSaid(name, profile, turn)) };
      const differences = requestDifferences(normalizedRequest(name, requested), normalizedRequest(name, read));
      const silent = unexplained(differences, losses, [name], 'request').filter(
        (difference) => !isConversion(difference, request, profile),
      );
      if (silent.length > 0) {
        expect({ seed: seed + number, profile, silent }).toEqual({ seed: seed + number, profile, silent: [] });
      }
    }
    expect(casesPerFormat).toBeGreaterThan(0);
  });
});

/** One string of texts, for chat servers that are not known to take lists, and one kind of instruction. */
function asSaid(name: FormatName, { textLists, developerRole }: ModelProfile, message: Message): Message {
  const isDistinct = developerRole === 'taken' || message.authority === undefined;
  const said: Message = isDistinct ? message : { ...message, authority: 'system' };
  if (name !== 'openai-chat' || textLists === 'taken') return said;
  const parts = message.parts.map((part) =>
    part.type === 'tool-result' ? { ...part, parts: oneText(part.parts, '\n\n') } : part,
  );
  const isSaid = ({ type }: Part) => type !== 'tool-call' && type !== 'thinking' && type !== 'tool-result';
  const words = oneText(parts.filter(isSaid), message.role === 'assistant' ? '' : '\n\n');
  return { ...said, parts: [...parts.filter((part) => !isSaid(part)), ...words] };
}

/** Where only the texts of the parts remain; unsupported parts come after them, so that their loss is seen. */
function oneText<Kind extends Part>(parts: readonly Kind[], between: string): readonly (Kind | TextPart)[] {
  const texts: string[] = [];
  const lost: Kind[] = [];
  for (const part of parts) {
    if (part.type === 'text') texts.push(part.text);
    else if (part.type === 'media' && part.source.kind === 'text') texts.push(part.source.text);
    else if (part.type === 'media' && part.media === 'document' && part.source.kind === 'url') lost.push(part);
    else return parts;
  }
  if (texts.length < 2) return parts;
  const mark = parts.find((part) => part.type === 'text' && part.cacheMark !== undefined);
  return [{ type: 'text', text: texts.join(between), ...(mark !== undefined && { cacheMark: {} }) }, ...lost];
}

/** An equivalent form, which is no loss. */
function isConversion({ kind, expected, got }: Difference, request: TextRequest, profile: ModelProfile): boolean {
  const { toolChoice } = request;
  switch (kind) {
    case 'user':
      return typeof got === 'string' && /^[0-9a-f]{1,64}$/.test(got);
    case 'toolChoice':
      // Declaring only the allowed tools, or none, is equivalent.
      return toolChoice.kind === 'allowed' || toolChoice.kind === 'none';
    case 'tool names':
      if (toolChoice.kind === 'tool') return sameNames(got, [toolChoice.name]);
      return toolChoice.kind === 'none' || (toolChoice.kind === 'allowed' && sameNames(got, toolChoice.names));
    case 'parallelToolCalls':
      return toolChoice.kind === 'none';
    case 'maxOutputTokens':
      // Where the format insists on a limit.
      return expected === undefined && got === profile.outputTokensMax;
    case 'temperature':
    case 'topP':
      return expected === 1 && got === undefined;
    case 'verbosity':
      return expected === 'medium' && got === undefined;
    case 'thinking amount':
      return isSameThinking((expected ?? {}) as Thinking, profile);
    default:
      return false;
  }
}

function sameNames(got: unknown, names: readonly string[]): boolean {
  return Array.isArray(got) && got.every((name) => names.includes(name as string));
}

/** Thinking without an amount has many spellings, and it need not be turned off in a model that never thinks. */
function isSameThinking({ mode, effort, budgetTokens }: Thinking, { thinking, refuses }: ModelProfile): boolean {
  if (mode === 'off') return thinking?.kind === 'never' || refuses?.includes('thinking') === true;
  return effort === undefined && budgetTokens === undefined;
}
