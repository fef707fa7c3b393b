/** The expected outcome of each fault: which targets are tried, what the client gets, what it costs. */

import type { PlayedFault } from '../../fake-upstream/faults/directive.ts';
import type { TargetName } from './stage.ts';

/** `refuse`: connection refused. `late-event`: silent for longer than the target's own limit. */
export type Fault = PlayedFault | 'refuse' | 'late-event';

/** Which of the targets a, b and c are faulty, all with the same fault. */
export type Faulty = 'a' | 'ab' | 'abc';

export type Result =
  | { readonly kind: 'text'; readonly by: TargetName }
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      /** The provider's own status, if the client gets the code that came with it. */
      readonly said?: number;
      /** Back-pressure: the reply says when to retry. */
      readonly retryAfterSeconds?: number;
      /** Nothing was billed, so the client may retry after a short delay of its own choice. */
      readonly retrySoon?: boolean;
    }
  /** Two pieces of the first target's text, then the format's own error event, and no end. */
  | { readonly kind: 'broken'; readonly status: number; readonly code: string };

export interface Expectation {
  /** The targets that are tried, each once and in this order. */
  readonly asked: string;
  readonly result: Result;
  /** `reply`: what the reply of the target that served it costs. `part`: what was written until it broke. */
  readonly charge: 'nothing' | 'reply' | 'part';
}

/**
 * The provider said that it failed, or the request never reached it: that attempt costs nothing. After any other fault the
 * provider may bill what it was sent.
 */
export const free: ReadonlySet<Fault> = new Set([
  'refuse',
  'rate',
  'rate-until',
  'status-400',
  'status-401',
  'status-500',
  'status-503',
  'status-529',
  'overloaded-first',
  'failure-first',
]);

type Outcomes = Readonly<Record<Faulty, Expectation>>;

const text = (asked: string, by: TargetName): Expectation => ({
  asked,
  result: { kind: 'text', by },
  charge: 'reply',
});

interface More {
  readonly said?: number;
  readonly retryAfterSeconds?: number;
  readonly retrySoon?: boolean;
}

const error = (asked: string, status: number, code: string, more: More = {}): Expectation => ({
  asked,
  result: { kind: 'error', status, code, ...more },
  charge: 'nothing',
});

/** Fallback to the next target, as long as there is one. */
const next = (status: number, code: string, more?: More): Outcomes => ({
  a: text('ab', 'b'),
  ab: text('abc', 'c'),
  abc: error('abc', status, code, more),
});

/** It may have been billed: one fallback, not a series of them. */
const once = (status: number, code: string): Outcomes => ({
  a: text('ab', 'b'),
  ab: error('ab', status, code),
  abc: error('ab', status, code),
});

const same = (expectation: Expectation): Outcomes => ({ a: expectation, ab: expectation, abc: expectation });
const noFallback = (status: number, code: string, more: More): Outcomes => same(error('a', status, code, more));
const noFault: Outcomes = same(text('a', 'a'));
const broken = (status: number, code: string): Outcomes =>
  same({ asked: 'a', result: { kind: 'broken', status, code }, charge: 'part' });

const both = (outcomes: Outcomes) => ({ stream: outcomes, whole: outcomes });

export const expected: Readonly<Record<Fault, { readonly stream: Outcomes; readonly whole: Outcomes }>> = {
  refuse: both(next(503, 'provider_unavailable', { retrySoon: true })),
  rate: both(next(429, 'upstream_rate_limited', { said: 429, retryAfterSeconds: 1 })),
  'rate-until': both(next(429, 'upstream_rate_limited', { said: 429, retryAfterSeconds: 7 })),
  'status-503': both(next(503, 'provider_unavailable', { said: 503, retrySoon: true })),
  'status-529': both(next(503, 'provider_unavailable', { said: 529, retrySoon: true })),
  'status-500': both(once(502, 'upstream_failed')),
  'slow-head': both(once(504, 'upstream_timeout')),
  'status-400': both(noFallback(400, 'upstream_refused', { said: 400 })),
  'status-401': both(next(503, 'provider_unavailable')),
  // An error in place of a reply is classified by its message.
  'overloaded-first': both(next(503, 'provider_unavailable', { said: 503, retrySoon: true })),
  'failure-first': {
    stream: next(502, 'upstream_failed', { said: 500 }),
    whole: next(502, 'upstream_failed'),
  },
  html: both(next(502, 'upstream_failed')),
  empty: both(next(502, 'upstream_failed')),
  'cut-early': both(next(502, 'upstream_failed')),
  'stall-early': both(next(504, 'upstream_timeout')),
  'late-event': both(next(504, 'upstream_timeout')),
  'cut-late': { stream: broken(502, 'upstream_failed'), whole: next(502, 'upstream_failed') },
  'end-late': { stream: broken(502, 'upstream_failed'), whole: next(502, 'upstream_failed') },
  'reset-late': { stream: broken(502, 'upstream_failed'), whole: next(502, 'upstream_failed') },
  'garbled-late': { stream: broken(502, 'upstream_failed'), whole: next(502, 'upstream_failed') },
  'stall-late': { stream: broken(504, 'upstream_timeout'), whole: next(504, 'upstream_timeout') },
  gzip: both(noFault),
  'wrong-type': both(noFault),
  'after-end': both(noFault),
};

export const faults = Object.keys(expected) as readonly Fault[];
