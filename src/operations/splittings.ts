/** The operations that may be done in several requests. */

import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from './consumption.ts';
import { joinReplies, splitByCount } from './images/picture-count.ts';
import type { Splittings } from './types.ts';

export const splittings: Splittings = {
  embed: {
    inputsOf: ({ inputs }) => inputs.length,
    split(request, inputsMax) {
      const count = Math.ceil(request.inputs.length / inputsMax);
      return Array.from({ length: count }, (_, index) => ({
        ...request,
        inputs: request.inputs.slice(index * inputsMax, (index + 1) * inputsMax),
      }));
    },
    join: (replies) => ({
      model: replies[0]?.model ?? '',
      vectors: replies.flatMap(({ vectors }) => vectors),
      consumption: sumOf(replies.map(({ consumption }) => consumption)),
    }),
  },
  // Events of several requests cannot be one stream.
  'make-image': {
    inputsOf: ({ count, stream }) => (stream ? 1 : count),
    split: (request, inputsMax) => splitByCount(request, inputsMax),
    join: joinReplies,
  },
  'edit-image': {
    inputsOf: ({ count, stream }) => (stream ? 1 : count),
    split: (request, inputsMax) => splitByCount(request, inputsMax),
    join: joinReplies,
  },
};

function sumOf(all: readonly Consumption[]): Consumption {
  const tokens = all.flatMap((one) => one.tokens ?? []);
  return tokens.length === 0 ? {} : { tokens: tokens.reduce(addUsage) };
}

/** Absent stays absent: an unknown count does not become known by adding to it. */
export function addUsage(first: Usage, second: Usage): Usage {
  const add = <Counts extends Readonly<Record<string, number | undefined>>>(a: Counts, b: Counts): Counts => {
    const sum: Record<string, number | undefined> = { ...a };
    for (const name of Object.keys(b)) {
      const more = b[name];
      if (more !== undefined) sum[name] = (sum[name] ?? 0) + more;
    }
    return sum as Counts;
  };
  return { input: add(first.input, second.input), output: add(first.output, second.output) };
}
