/** What each provider's moderation wire is sent, how its verdicts become ours, and the way from the client and back. */

import { describe, expect, test } from 'bun:test';
import { expectValid } from '../../../test/harness/schema.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';
import type { Tree } from '../../conversation/json-tree.ts';
import { type ModeratedPart, type ModerateRequest, moderationCategories } from '../moderate.ts';
import { mistralModerations } from './mistral-moderations.ts';
import { openaiModerations } from './openai-moderations.ts';
import { openaiModerationsClient } from './openai-moderations-client.ts';
import { moderateProviderWires } from './provider-wires.ts';
import { perCategory } from './verdicts.ts';

const making = { nowMs: 0, newId: (prefix: string) => `${prefix}1` };
const json = (tree: unknown) => ({ contentType: 'application/json', tree, bytes: new Uint8Array() });
const text = (value: string): ModeratedPart => ({ type: 'text', text: value });
const image: ModeratedPart = { type: 'image', url: 'https://h/i' };
const two: ModerateRequest = { inputs: [[text('a')], [text('b'), text('c')]] };

function written(wire: (typeof moderateProviderWires)[number], request: ModerateRequest) {
  const { value, losses } = wire.writeRequest(request, 'up');
  return { tree: value.body.kind === 'json' ? value.body.tree : undefined, lost: losses.map(({ what }) => what) };
}

function refusal(wire: (typeof moderateProviderWires)[number], request: ModerateRequest): unknown {
  try {
    wire.writeRequest(request, 'up');
  } catch (error) {
    return error instanceof GatewayError && [error.code, error.status, error.param];
  }
  return undefined;
}

describe('requests', () => {
  const odd = { format: 'openai-moderations', fields: { odd: 1 } };

  test('texts are a list, parts with an image are one input', () => {
    expect(written(openaiModerations, { ...two, extras: odd })).toEqual({
      tree: { model: 'up', input: ['a', 'b\nc'], odd: 1 },
      lost: [],
    });
    const mixed = written(openaiModerations, { inputs: [[text('a'), image]] }).tree;
    expect(mixed?.input).toEqual([
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'https://h/i' } },
    ]);
    expectValid('CreateModerationRequest', mixed);
    expectValid('CreateModerationRequest', written(openaiModerations, two).tree);
    expect(written(mistralModerations, { ...two, extras: odd })).toEqual({
      tree: { model: 'up', input: ['a', 'b\nc'] },
      lost: ['odd'],
    });
  });

  test('an image is refused where it would pass unseen', () => {
    const unsupported = ['operation_unsupported', 400, 'input'];
    expect(refusal(mistralModerations, { inputs: [[text('a'), image]] })).toEqual(unsupported);
    expect(refusal(openaiModerations, { inputs: [[text('a')], [image]] })).toEqual(unsupported);
    expect(refusal(openaiModerations, { inputs: [[image]] })).toBeUndefined();
  });
});

const verdictsOf = (flagged: boolean) => ({
  flagged,
  categories: perCategory((category) => flagged && category === 'hate'),
  category_scores: perCategory((category) => (category === 'hate' ? 0.75 : 0.01)),
  category_applied_input_types: perCategory(() => ['text']),
});

const native = {
  sexual: false,
  hate_and_discrimination: false,
  violence_and_threats: true,
  dangerous: false,
  criminal: true,
  selfharm: false,
  health: true,
  pii: false,
  jailbreaking: true,
};
const nativeScores = { violence_and_threats: 0.9, dangerous: 0.2, criminal: 0.6, health: 0.99, pii: 7 };

describe('replies', () => {
  test('the shared wire', () => {
    const tree = { id: 'modr-1', model: 'up-1', results: [verdictsOf(true), verdictsOf(false)] };
    const { value, losses } = openaiModerations.readReply(json(tree), two, making);
    expect(value.results.map(({ flagged, categories, scores }) => [flagged, categories.hate, scores.hate])).toEqual([
      [true, true, 0.75],
      [false, false, 0.75],
    ]);
    expect(value).toMatchObject({ id: 'modr-1', model: 'up-1', consumption: {} });
    expect(value.results[0]?.appliedTo?.hate).toEqual(['text']);
    expect([value.results[0]?.native, losses]).toEqual([undefined, []]);
  });

  test('an older or smaller judge lacks categories and has its own', () => {
    const tree = { results: [{ categories: { hate: true, spam: true }, category_scores: { hate: 2, spam: 0.5 } }] };
    const { value } = openaiModerations.readReply(json(tree), { model: 'm', inputs: [[text('a')]] }, making);
    const [result] = value.results;
    expect([value.id, value.model]).toEqual(['modr-1', 'm']);
    expect([result?.flagged, result?.scores.hate, result?.scores.violence]).toEqual([true, 1, 0]);
    expect(Object.keys(result?.categories ?? {})).toEqual([...moderationCategories]);
    expect(result?.native).toEqual({ categories: { spam: true }, category_scores: { spam: 0.5 } });
  });

  test('categories with a counterpart are read as it, and all are kept', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 0, total_tokens: 96 };
    const tree = { id: 'b', model: 'up-1', usage, results: [{ categories: native, category_scores: nativeScores }] };
    const { value } = mistralModerations.readReply(json(tree), { inputs: [[text('a')]] }, making);
    const [result] = value.results;
    const raised = moderationCategories.filter((category) => result?.categories[category]);
    expect(raised).toEqual(['illicit', 'violence']);
    expect([result?.scores.violence, result?.scores.illicit, result?.scores.hate]).toEqual([0.9, 0.6, 0]);
    expect(result?.native).toEqual({ categories: native, category_scores: nativeScores });
    expect(value.consumption).toEqual({ tokens: { input: { total: 7 }, output: {} } });
    expect(mistralModerations.measure(tree)).toEqual(value.consumption);
  });

  test('the older name for what is dangerous or criminal', () => {
    const categories = { dangerous_and_criminal_content: true };
    const tree = { results: [{ categories, category_scores: { dangerous_and_criminal_content: 0.8 } }] };
    const [result] = mistralModerations.readReply(json(tree), { inputs: [[text('a')]] }, making).value.results;
    expect([result?.flagged, result?.categories.illicit, result?.scores.illicit]).toEqual([true, true, 0.8]);
  });

  test('advice and personal data alone flag nothing', () => {
    const tree = { results: [{ categories: { health: true, law: true, pii: true }, category_scores: {} }] };
    const [result] = mistralModerations.readReply(json(tree), { inputs: [[text('a')]] }, making).value.results;
    expect(result?.flagged).toBe(false);
  });

  test('results that do not fit the inputs are no reply', () => {
    for (const wire of moderateProviderWires) {
      for (const tree of [undefined, null, [], {}, { results: [] }, { results: [{}, {}] }, { results: [null, null] }]) {
        expect(() => wire.readReply(json(tree), two, making)).toThrow(SyntaxError);
        expect(wire.measure(tree)).toEqual({});
      }
    }
  });
});

describe('from the client and back', () => {
  for (const wire of moderateProviderWires) {
    test(wire.name, () => {
      const tree = { input: ['fine', 'bad', 'fine'] };
      openaiModerationsClient.check({ kind: 'json', tree }, 40);
      const { value } = openaiModerationsClient.readRequest({ kind: 'json', tree }, 'm');
      const sent = wire.writeRequest(value, 'up').value.body;
      const input = (sent.kind === 'json' ? sent.tree['input'] : []) as string[];
      const results = input.map((one) => {
        const flagged = one === 'bad';
        return wire === openaiModerations
          ? verdictsOf(flagged)
          : { categories: { hate_and_discrimination: flagged }, category_scores: { hate_and_discrimination: 0.75 } };
      });
      const reply = wire.readReply(json({ id: 'x', model: 'up', results }), value, making).value;
      const shown = JSON.parse(String(openaiModerationsClient.writeReply(reply, value, making).body));
      expectValid('CreateModerationResponse', shown);
      expect(shown.results.map((one: Tree) => one['flagged'])).toEqual([false, true, false]);
      expect(shown.results[1].categories.hate).toBe(true);
      expect(openaiModerationsClient.suits?.(shown, value)).toBe(true);
      const again = openaiModerations.readReply(json(shown), value, making).value;
      expect(again.results.map(({ scores }) => scores)).toEqual(reply.results.map(({ scores }) => scores));
    });
  }
});
