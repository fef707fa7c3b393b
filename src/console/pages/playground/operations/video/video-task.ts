/** A video as the gateway tells of it, and the list of those that were ordered in this tab. */

import { type Fields, fieldsOf, numberOf, textOf } from '../call.ts';

export type VideoState = 'queued' | 'in_progress' | 'completed' | 'failed';

export interface VideoTask {
  readonly state: VideoState;
  /** 0 to 1. */
  readonly share: number;
  readonly failure: string;
}

/** What this tab remembers of an order; the gateway keeps no prompts. */
export interface OrderedVideo {
  readonly id: string;
  readonly model: string;
  readonly prompt: string;
  readonly orderedAtMs: number;
  readonly provider?: string;
  readonly requestId?: string;
}

export const remembersMax = 12;

const states: readonly string[] = ['queued', 'in_progress', 'completed', 'failed'] satisfies VideoState[];

/** A word for a state that nobody knows counts as still under way: it may end yet. */
export function taskOf(answer: Fields): VideoTask {
  const status = textOf(answer['status']);
  const state = states.includes(status) ? (status as VideoState) : 'in_progress';
  const percent = state === 'completed' ? 100 : (numberOf(answer['progress']) ?? 0);
  return {
    state,
    share: Math.max(0, Math.min(1, percent / 100)),
    failure: textOf(fieldsOf(answer['error'])['message']),
  };
}

export function isOver({ state }: VideoTask): boolean {
  return state === 'completed' || state === 'failed';
}

/** Where it lies and what it is, of a completed one. */
interface FinishedVideo {
  readonly url: string;
  readonly format: string;
  readonly seconds: number | undefined;
  readonly width: number | undefined;
  readonly height: number | undefined;
}

export function finishedOf(answer: Fields): FinishedVideo {
  const metadata = fieldsOf(answer['metadata']);
  return {
    url: textOf(answer['url']),
    format: textOf(answer['format']) || 'mp4',
    seconds: numberOf(metadata['duration']),
    width: numberOf(metadata['width']),
    height: numberOf(metadata['height']),
  };
}

/** The latest first, and no more than can be looked through. */
export function withOrder(orders: readonly OrderedVideo[], order: OrderedVideo): readonly OrderedVideo[] {
  return [order, ...orders.filter(({ id }) => id !== order.id)].slice(0, remembersMax);
}
