/** Rows of bodies: samples of every format, made long at every place that they have. */

import { formats } from '../../src/formats/all.ts';
import type { FormatName } from '../../src/formats/format.ts';
import { Random, randomRequest } from '../harness/random-conversation.ts';
import { sampled, sized } from '../harness/size.ts';
import { grown, placesIn, type Tree, variantsOf } from './grow.ts';
import type { Row } from './row.ts';
import { formatNames, originOf, stagesOfBody } from './stages.ts';

const seeds = sized(10, 24);

export function* bodyRows(): Generator<Row> {
  let index = 0;
  for (const name of formatNames) {
    const samples = samplesOf(name);
    for (const place of placesIn(samples))
      for (const variant of variantsOf(place)) {
        // Each place occurs, and each target with some of them.
        const targets = sampled(formatNames, index++);
        yield {
          name: `${name} ${place.name} ${variant}`,
          inputOf: (count) => grown(place.sample, place, count, variant),
          run: (input, stages) => stagesOfBody(name, input as Tree, targets, stages),
        };
      }
  }
}

function samplesOf(name: FormatName): unknown[] {
  const origin = originOf(name);
  return Array.from({ length: seeds }, (_, seed) => {
    const request = randomRequest(new Random(seed + 1), origin);
    const target = { origin, profile: {}, quirks: {}, outputTokensMax: 1_000 };
    return JSON.parse(JSON.stringify(formats[name].codec.writeRequest(request, target).value));
  });
}
