/** Proves that the cheap signal does what its one listener relies on, and becomes a real AbortSignal where one is needed. */

import { describe, expect, test } from 'bun:test';
import { abortSignalOf, Cancellation } from './cancellation.ts';

function counting() {
  const listener = { calls: 0, handleEvent: () => void listener.calls++ };
  return listener;
}

describe('Cancellation', () => {
  test('calls its listener once and keeps the first reason', () => {
    const signal = new Cancellation();
    const listener = counting();
    signal.addEventListener('abort', listener);
    expect(signal.aborted).toBe(false);
    signal.abort('first');
    signal.abort('second');
    expect([signal.aborted, signal.reason, listener.calls]).toEqual([true, 'first', 1]);
  });

  test('is already aborted, with its reason, when the listener is called', () => {
    const signal = new Cancellation();
    let seen: unknown;
    signal.addEventListener('abort', { handleEvent: () => (seen = [signal.aborted, signal.reason]) });
    signal.abort('why');
    expect(seen).toEqual([true, 'why']);
  });

  test('forgets a listener that was removed, and no other', () => {
    const signal = new Cancellation();
    const [kept, removed] = [counting(), counting()];
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    signal.addEventListener('abort', kept);
    signal.removeEventListener('abort', removed);
    signal.abort('why');
    expect([kept.calls, removed.calls]).toEqual([1, 0]);
  });
});

describe('abortSignalOf', () => {
  test('is the signal itself where it is a real one', () => {
    const { signal } = new AbortController();
    expect(abortSignalOf(signal)).toBe(signal);
  });

  test('follows a cancellation, with its reason', () => {
    const cancellation = new Cancellation();
    const signal = abortSignalOf(cancellation);
    expect(signal.aborted).toBe(false);
    cancellation.abort('why');
    expect([signal.aborted, signal.reason]).toEqual([true, 'why']);
  });

  test('is aborted from the start where the cancellation was', () => {
    const cancellation = new Cancellation();
    cancellation.abort('why');
    const signal = abortSignalOf(cancellation);
    expect([signal.aborted, signal.reason]).toEqual([true, 'why']);
  });
});
