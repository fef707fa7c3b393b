/** The two moderation wires as their vendors document them: what says «bad» is violent. */

import { moderationCategories } from '../../../src/operations/moderate.ts';
import { providerKey } from './bench.ts';
import { type Answer, bearerIs, demand, jsonOf, type Tree } from './scripted.ts';

export const family: Answer = (seen) => {
  demand(seen.path === '/v1/moderations', 'its path');
  bearerIs(seen, providerKey);
  const { model, input } = jsonOf(seen, ['model', 'input']);
  demand(model === 'omni-moderation-latest', 'its model');
  const ofParts = Array.isArray(input) && typeof input[0] === 'object';
  const inputs = ofParts ? [JSON.stringify(input)] : [input as string | string[]].flat();
  const results = inputs.map((text) => {
    const isBad = text.includes('bad');
    const map = (of: (name: string) => unknown): Tree =>
      Object.fromEntries(moderationCategories.map((name) => [name, of(name)]));
    return {
      flagged: isBad,
      categories: map((name) => isBad && name === 'violence'),
      category_scores: map((name) => (isBad && name === 'violence' ? 0.98 : 0.01)),
      category_applied_input_types: map((name) => (name === 'violence' && ofParts ? ['text', 'image'] : ['text'])),
    };
  });
  return Response.json({ id: 'modr-1', model, results });
};

const ownNames = ['sexual', 'hate_and_discrimination', 'violence_and_threats', 'selfharm', 'pii', 'law'];

export const mistral: Answer = (seen) => {
  demand(seen.path === '/v1/moderations', 'its path');
  bearerIs(seen, providerKey);
  const { model, input } = jsonOf(seen, ['model', 'input']);
  const inputs = [input as string | string[]].flat();
  demand(
    inputs.every((one) => typeof one === 'string'),
    'texts',
  );
  const results = inputs.map((text) => {
    const isBad = text.includes('bad');
    return {
      categories: Object.fromEntries(
        ownNames.map((name) => [name, (isBad && name === 'violence_and_threats') || name === 'law']),
      ),
      category_scores: Object.fromEntries(
        ownNames.map((name) => [name, isBad && name === 'violence_and_threats' ? 0.97 : 0.02]),
      ),
    };
  });
  return Response.json({ id: 'm-1', model, results, usage: { prompt_tokens: 5 * inputs.length, total_tokens: 9 } });
};
