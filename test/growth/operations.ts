/** Rows of operations: bodies of every client's wire, made long at every place, checked, read and written for every provider. */

import type { FormFile, OperationName, WireBody } from '../../src/operations/wire.ts';
import { clientWires, providerWires } from '../../src/operations/wires.ts';
import { stepsOf, watch } from './count-steps.ts';
import { grown, placesIn, type Tree, variantsOf } from './grow.ts';
import type { Row } from './row.ts';

/** With all fields of the wire that hold more than a number. */
const samples: Readonly<Record<OperationName, Tree>> = {
  embed: { model: 'm', input: ['a', [1, 2]], user: 'u', encoding_format: 'float', metadata: { a: 'b' } },
  rerank: { model: 'm', query: 'q', documents: ['a', { text: 'b', title: 't' }], rank_fields: ['title'] },
  moderate: {
    model: 'm',
    input: [
      { type: 'text', text: 'a' },
      { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
    ],
  },
  'make-image': { model: 'm', prompt: 'a boat', user: 'u', size: '1024x1024', style: 'vivid' },
  'edit-image': { model: 'm', prompt: 'a boat', images: [{ image_url: 'https://a.example/b.png' }], user: 'u' },
  speak: { model: 'm', input: 'Hello.', voice: 'alloy', instructions: 'softly' },
  transcribe: { model: 'm', prompt: 'p', language: 'en' },
  translate: { model: 'm', prompt: 'p' },
};

const file: FormFile = {
  field: 'file',
  filename: 'a.wav',
  mediaType: 'audio/wav',
  bytes: 4,
  async *open() {
    yield new Uint8Array(4);
  },
};

export function* operationRows(): Generator<Row> {
  for (const [operation, sample] of Object.entries(samples) as [OperationName, Tree][])
    for (const place of placesIn([sample]))
      for (const variant of variantsOf(place))
        yield {
          name: `operation: ${operation} ${place.name} ${variant}`,
          inputOf: (count) => grown(sample, place, count, variant),
          run: (input, stages) => runOperation(operation, bodyOf(operation, watch(input as Tree)), stages),
        };
}

/** A form has texts; what is an object in JSON is none of its fields. */
function bodyOf(operation: OperationName, tree: Tree): WireBody {
  if (operation !== 'transcribe' && operation !== 'translate') return { kind: 'json', tree };
  const texts = Object.entries(tree).map(([name, value]) => ({ name, value: String(value) }));
  return { kind: 'form', fields: [...texts, { name: 'file', value: file }] };
}

function runOperation(operation: OperationName, body: WireBody, stages: Record<string, number>): void {
  const wire = clientWires[operation];
  let request: unknown;
  stages['check'] = stepsOf(() => attempt(() => wire.check(body, 1_000)));
  stages['read'] = stepsOf(() => attempt(() => (request = wire.readRequest(body).value)));
  if (request === undefined) return;
  for (const provider of providerWires[operation])
    stages[`${provider.name}: write`] = stepsOf(() =>
      attempt(() => (provider.writeRequest as (given: unknown, model: string) => unknown)(request, 'm')),
    );
}

function attempt(work: () => unknown): void {
  try {
    work();
  } catch {
    // An error of the input.
  }
}
