/** The operations that may be done in several requests. */

import type { Usage } from '../conversation/usage.ts';
import type { Consumption } from './consumption.ts';
import { joinReplies, splitByCount } from './images/image-count.ts';
import type { MakeImageRequest } from './images.ts';
import type { Splittings } from './types.ts';
import { tokensAtMost } from './wire-replies.ts';

/** Quotes or brackets, and a comma. */
const framingBytes = 3;

function sizeOf(input: string | readonly number[]): number {
  return typeof input === 'string' ? Buffer.byteLength(input) : input.length;
}

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
    // As many bytes as tokens at most, and what frames each input in the body: together never more than the whole is bounded by.
    most: (_whole, { inputs }) => tokensAtMost(inputs.reduce((sum, input) => sum + sizeOf(input) + framingBytes, 0)),
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
    most: mostOfImages,
    join: joinReplies,
  },
  'edit-image': {
    inputsOf: ({ count, stream }) => (stream ? 1 : count),
    split: (request, inputsMax) => splitByCount(request, inputsMax),
    most: mostOfImages,
    join: joinReplies,
  },
};

/** Each request reads the prompt and the given images again. */
function mostOfImages({ request, most }: { request: MakeImageRequest; most: Consumption }, part: MakeImageRequest) {
  const share = (count: number | undefined): number | undefined =>
    count === undefined ? undefined : Math.ceil((count * part.count) / request.count);
  const { total, image } = most.tokens?.output ?? {};
  const tokens = most.tokens && {
    input: most.tokens.input,
    output: { total: share(total), ...(image !== undefined && { image: share(image) }) },
  };
  return { ...most, images: part.count, ...(tokens !== undefined && { tokens }) };
}

const sumOf = (all: readonly Consumption[]): Consumption => all.reduce(addUse, {});

/** Absent stays absent where neither reported anything. */
export function addUse(first: Consumption, second: Consumption): Consumption {
  const { tokens, ...counts } = second;
  const sum: Record<string, number | undefined> = {};
  for (const [name, count] of [...Object.entries({ ...first, tokens: undefined }), ...Object.entries(counts)]) {
    if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
  }
  const kinds = {
    ...kindOf('imageKind', first, second),
    ...kindOf('videoKind', first, second),
  };
  const used =
    first.tokens === undefined || tokens === undefined ? (first.tokens ?? tokens) : addUsage(first.tokens, tokens);
  return { ...sum, ...kinds, ...(used !== undefined && { tokens: used }) };
}

function kindOf(name: 'imageKind' | 'videoKind', first: Consumption, second: Consumption): Consumption {
  const kind = first[name] ?? second[name];
  return kind === undefined ? {} : { [name]: kind };
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
  const serviceTier = first.serviceTier ?? second.serviceTier;
  const searched = first.webSearches !== undefined || second.webSearches !== undefined;
  return {
    input: add(first.input, second.input),
    output: add(first.output, second.output),
    ...(searched && { webSearches: (first.webSearches ?? 0) + (second.webSearches ?? 0) }),
    ...(serviceTier !== undefined && { serviceTier }),
  };
}
