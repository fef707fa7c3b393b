/** Rows of schemas: forms whose work would multiply, in many tools of a request and in the sandbox. */

import type { JsonSchema, TextRequest } from '../../src/conversation/text-request.ts';
import { planCalls } from '../../src/sandbox/chat/choose-tool.ts';
import { fillSchema } from '../../src/sandbox/schema/fill.ts';
import { readHints } from '../../src/sandbox/schema/hints.ts';
import { requestOf } from './conversations.ts';
import { stepsOf, watch } from './count-steps.ts';
import type { Row } from './row.ts';
import { stagesOfRequest } from './stages.ts';

const many = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, at) => make(at));
const named = <Each>(count: number, make: (index: number) => Each): Readonly<Record<string, Each>> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));
const refs = (count: number, $ref = '#/$defs/a'): readonly JsonSchema[] => many(count, () => ({ $ref }));

const forms: Readonly<Record<string, (count: number) => JsonSchema>> = {
  'properties that refer to the next two': (count) =>
    doubling(count, (a, b) => ({ properties: { a, b }, required: ['a', 'b'] })),
  'combinations of the next two': (count) => doubling(count, (a, b) => ({ allOf: [a, b] })),
  'alternatives of the next two': (count) => doubling(count, (a, b) => ({ anyOf: [a, b] })),
  'combinations of itself': (count) => ({ allOf: refs(count, '#') }),
  'references to a long text': (count) => ({
    anyOf: refs(count),
    $defs: { a: { description: 'x'.repeat(count * 64) } },
  }),
  'references to a recursive long text': (count) => ({ anyOf: refs(count, '#'), description: 'x'.repeat(count * 64) }),
  'references to many properties': (count) => ({
    anyOf: refs(count),
    $defs: { a: { properties: named(count, () => true) } },
  }),
  'references to a long enumeration': (count) => ({ anyOf: refs(count), $defs: { a: { enum: many(count, String) } } }),
  'references beside requirements': (count) => ({
    $ref: '#/$defs/p0',
    $defs: named(count, (index) => ({ $ref: `#/$defs/p${index + 1}`, required: many(count, String) })),
  }),
  'long pointers': (count) => ({ anyOf: many(count, (index) => ({ $ref: `#/${'a/'.repeat(count)}${index}` })) }),
  'an enumeration': (count) => ({ enum: many(count * 8, (index) => index) }),
  'an enumeration of objects': (count) => ({ enum: many(count * 8, (index) => ({ index })) }),
  'combinations of enumerations': (count) => ({ allOf: many(count, () => ({ enum: many(count, String) })) }),
  'combinations of properties': (count) => ({
    allOf: many(count, (index) => ({ properties: { [`p${index}`]: {} }, required: [`p${index}`] })),
  }),
  'patterns of names': (count) => ({
    type: 'object',
    required: many(count, (index) => `p${index}`),
    patternProperties: Object.fromEntries(many(count, (index) => [`^p${index}x*$`, {}])),
  }),
  'lists of long texts': (count) => ({
    type: 'object',
    required: many(count, (index) => `p${index}`),
    properties: named(count, () => ({ type: 'array', minItems: 1_000, items: { type: 'string', minLength: 1_000 } })),
  }),
  'unique items': (count) => ({ type: 'array', minItems: count, uniqueItems: true, items: { multipleOf: 0.37 } }),
  'nested items': (count) => many(Math.min(60, count), String).reduce<JsonSchema>((items) => ({ items }), {}),
};

/** The last one refers to nothing. */
function doubling(count: number, of: (one: JsonSchema, other: JsonSchema) => JsonSchema): JsonSchema {
  const next = (index: number): JsonSchema => ({ $ref: `#/$defs/p${index + 1}` });
  return { $ref: '#/$defs/p0', $defs: named(count, (index) => of(next(index), next(index))) };
}

const question = 'Look for "that" in Paris on 2026-11-19, 3 times';

export function* schemaRows(): Generator<Row> {
  for (const [name, form] of Object.entries(forms)) {
    yield {
      name: `schema: ${name}`,
      inputOf: form,
      run(input, stages) {
        const schema = watch(input as JsonSchema);
        for (const generous of [true, false])
          stages[`fill ${generous ? 'generously' : 'sparingly'}`] = stepsOf(() =>
            fillSchema(schema, { hints: readHints(question), generous }),
          );
        stagesOfRequest(requestOf([], { tools: [], output: { kind: 'json-schema', schema, name: 'it' } }), stages);
      },
    };
    // As many tools, each with references twenty deep: none is above a bound for itself.
    yield {
      name: `schema: many tools of ${name}`,
      inputOf: (count) => requestOf([], { tools: many(count, (at) => ({ name: `t${at}`, parameters: form(20) })) }),
      run(input, stages) {
        const request = watch(input as TextRequest);
        stagesOfRequest(request, stages);
        stages['plan calls'] = stepsOf(() => planCalls(request, question));
      },
    };
  }
}
