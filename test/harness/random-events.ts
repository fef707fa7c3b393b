/** A whole reply as a stream that chance cut up: the hardest stream that means exactly this reply. */

import type { Part, TokenLogprob } from '../../src/conversation/parts.ts';
import type { Candidate, StreamEvent, TextReply } from '../../src/conversation/text-reply.ts';
import type { Random } from './random.ts';
import { unfold } from './unfold.ts';

/** Deltas of any size, parts that run side by side, candidates that take turns, usage that comes in two steps. */
export function* randomEvents(reply: TextReply, random: Random): Generator<StreamEvent, void, void> {
  const whole = [...unfold(reply)];
  yield* whole.filter(({ type }) => type === 'reply-start');
  if (random.chance(0.3)) yield { type: 'usage', usage: { input: reply.usage.input, output: {} } };
  const running = reply.candidates.map((candidate, index) => candidateEvents(candidate, index, random));
  while (running.length > 0) {
    const at = random.int(0, running.length - 1);
    const next = running[at]?.next();
    if (next === undefined || next.done === true) running.splice(at, 1);
    else yield next.value;
  }
  yield { type: 'usage', usage: reply.usage };
  yield { type: 'reply-end' };
}

function* candidateEvents(candidate: Candidate, index: number, random: Random): Generator<StreamEvent, void, void> {
  const waiting = candidate.parts.map((part, number) => partEvents(part, index, number, random));
  const running: StreamEvent[][] = [];
  while (waiting.length + running.length > 0) {
    const mayOpen = waiting.length > 0 && (running.length === 0 || (running.length < 3 && random.chance(0.2)));
    if (mayOpen) running.push(waiting.shift() ?? []);
    // A part that has just opened says so before anything else, because parts are numbered in order of opening.
    const at = mayOpen ? running.length - 1 : random.int(0, running.length - 1);
    const next = running[at]?.shift();
    if (next !== undefined) yield next;
    if (running[at]?.length === 0) running.splice(at, 1);
  }
  yield { type: 'candidate-end', candidate: index, finish: candidate.finish };
}

/** The events of `unfold` for this part alone, with its deltas cut up. */
function partEvents(part: Part, candidate: number, number: number, random: Random): StreamEvent[] {
  const alone: TextReply = {
    id: '',
    model: '',
    createdAtMs: 0,
    candidates: [{ parts: [part], finish: { reason: 'stop' } }],
    usage: { input: {}, output: {} },
  };
  const events = [...unfold(alone)]
    .filter((event) => 'part' in event)
    .map((event) => ({ ...event, candidate, part: number }));
  const opening = events.filter(({ type }) => type === 'part-start' || type === 'native');
  const ending = events.filter(({ type }) => type === 'part-end');
  const deltas = events.flatMap((event) => cutUp(event, random));
  const marks = events.filter(({ type }) => type === 'citation' || type === 'seal');
  return [...opening, ...mixed(deltas, marks, random), ...ending];
}

function cutUp(event: StreamEvent, random: Random): StreamEvent[] {
  switch (event.type) {
    case 'text-delta': {
      const { logprobs, ...delta } = event;
      const texts = pieces([...event.text], random).map((piece) => piece.join(''));
      const shares = dealt(logprobs ?? [], texts.length, random);
      return texts.map((text, index) => ({
        ...delta,
        text,
        ...(shares[index]?.length && { logprobs: shares[index] }),
      }));
    }
    case 'thinking-delta':
    case 'tool-input-delta':
      return pieces([...event.text], random).map((piece) => ({ ...event, text: piece.join('') }));
    case 'media-delta':
      // Base64 is cut between its groups of four, as providers do it.
      return pieces(event.data.match(/.{1,4}/gs) ?? [''], random).map((piece) => ({ ...event, data: piece.join('') }));
    default:
      return [];
  }
}

/** At least one piece; empty pieces occur. */
function pieces<Item>(items: readonly Item[], random: Random): Item[][] {
  if (random.chance(0.2)) return [[...items]];
  const cut: Item[][] = [[]];
  for (const item of items) {
    while (random.chance(0.4)) cut.push([]);
    cut.at(-1)?.push(item);
  }
  return cut;
}

/** All of the list, in order, dealt out to so many receivers. */
function dealt(
  logprobs: readonly TokenLogprob[],
  receivers: number,
  random: Random,
): readonly (readonly TokenLogprob[])[] {
  let dealtSoFar = 0;
  return Array.from({ length: receivers }, (_, index) => {
    const isLast = index === receivers - 1;
    const end = isLast ? logprobs.length : random.int(dealtSoFar, logprobs.length);
    const share = logprobs.slice(dealtSoFar, end);
    dealtSoFar = end;
    return share;
  });
}

/** Two lists become one; the order within each stays. */
function mixed<Item>(one: readonly Item[], other: readonly Item[], random: Random): Item[] {
  const left = [...one];
  const right = [...other];
  const both: Item[] = [];
  while (left.length + right.length > 0) {
    const from = right.length === 0 || (left.length > 0 && random.chance()) ? left : right;
    both.push(...from.splice(0, 1));
  }
  return both;
}
