/** The oracles of OpenAI's operations accept what the reference shows and nothing that differs in one place; the published schemas agree. */

import { describe, expect, test } from 'bun:test';
import { publishedFault } from '../../harness/published-schemas.ts';
import { testShared } from '../../harness/recordings.ts';
import { operationSchemas } from '../../oracles/operations/named.ts';
import { schemaFault } from '../../oracles/oracle.ts';
import { mutantsOf } from './mutants.ts';
import { operationSamples } from './operation-samples.ts';

/** Open by the reference: parameters of a tool, metadata of a caller; and Weir passes further moderation categories. */
const open = /(^|\.)(parameters|metadata|categories|category_scores)(\.|$)/;

const names = Object.keys(operationSchemas) as (keyof typeof operationSchemas)[];

describe.each(names)('%s', (name) => {
  const samples = operationSamples[name];

  test('accepts what the reference shows', () => {
    expect(samples.map((sample) => schemaFault(operationSchemas[name], sample))).toEqual(samples.map(() => undefined));
  });

  test('rejects what differs in one place', () => {
    const accepted = samples.flatMap((sample) =>
      mutantsOf(sample, open)
        .filter(({ value }) => schemaFault(operationSchemas[name], value) === undefined)
        .map(({ path, change }) => `${change} at ${path} of ${JSON.stringify(sample).slice(0, 60)}`),
    );
    expect(accepted).toEqual([]);
  });

  testShared('the published schema accepts the same', 'schemas/openai.schema.json', () => {
    expect(samples.map((sample) => publishedFault(name, sample))).toEqual(samples.map(() => undefined));
  });
});

test('every type of event of a live conversation has a sample', () => {
  const known = operationSchemas.RealtimeServerEvent.options.map(({ shape }) => shape.type.value);
  const shown = operationSamples.RealtimeServerEvent.map((event) => (event as { readonly type: string }).type);
  expect(shown.toSorted()).toEqual(known.toSorted());
});
