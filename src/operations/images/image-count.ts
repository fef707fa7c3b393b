/** Many images from providers that make few at a time: one option becomes several requests, and their replies one. */

import type { Usage } from '../../conversation/usage.ts';
import type { ImageReply, MakeImageRequest } from '../images.ts';

/** A seed moves on by one for each request, since equal requests with an equal seed give equal images. */
export function splitByCount<Request extends MakeImageRequest>(request: Request, most: number): readonly Request[] {
  const requests: Request[] = [];
  for (let done = 0; done < request.count; done += most) {
    const count = Math.min(most, request.count - done);
    const seed = request.seed === undefined ? {} : { seed: request.seed + requests.length };
    requests.push({ ...request, count, ...seed });
  }
  return requests;
}

/** The images in their order; a count is known only where every reply said it. */
export function joinReplies(replies: readonly [ImageReply, ...ImageReply[]]): ImageReply {
  const [first, ...others] = replies;
  if (others.length === 0) return first;
  const sum = (read: (reply: ImageReply) => number | undefined): number | undefined => {
    let total = 0;
    for (const reply of replies) {
      const count = read(reply);
      if (count === undefined) return undefined;
      total += count;
    }
    return total;
  };
  const tokens = replies.some(({ consumption }) => consumption.tokens !== undefined)
    ? joinedUsage((read) => sum(({ consumption }) => consumption.tokens && read(consumption.tokens)))
    : undefined;
  return {
    ...first,
    images: replies.flatMap(({ images }) => images),
    consumption: { images: sum(({ consumption }) => consumption.images), tokens },
  };
}

function joinedUsage(sum: (read: (usage: Usage) => number | undefined) => number | undefined): Usage {
  return {
    input: {
      total: sum(({ input }) => input.total),
      cacheRead: sum(({ input }) => input.cacheRead),
      image: sum(({ input }) => input.image),
    },
    output: {
      total: sum(({ output }) => output.total),
      text: sum(({ output }) => output.text),
      thinking: sum(({ output }) => output.thinking),
      image: sum(({ output }) => output.image),
    },
  };
}
