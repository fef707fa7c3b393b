/** Proves that addresses are read, changed and kept as a person would expect of links and of the back button. */

import { describe, expect, test } from 'bun:test';
import { createNavigation, type HistoryWindow, matchPath, pathOf, queryOf, withQuery } from './navigation.ts';

describe('a pattern', () => {
  for (const [pattern, path, params] of [
    ['/console', '/console', {}],
    ['/console', '/console/tokens', undefined],
    ['/console/requests/{id}', '/console/requests/req_1', { id: 'req_1' }],
    ['/console/requests/{id}', '/console/requests/a%2Fb', { id: 'a/b' }],
    ['/console/requests/{id}', '/console/requests/', undefined],
    ['/console/requests/{id}', '/console/requests/%E0%A4%A', undefined],
    ['/console/requests/{id}', '/console/requests', undefined],
    ['/console/{page}/{id}', '/console/tokens/t1', { page: 'tokens', id: 't1' }],
  ] as const) {
    test(`${pattern} on ${path}`, () => expect(matchPath(pattern, path)).toEqual(params));
  }
});

describe('an address', () => {
  test('has a path without its last slash, and a query', () => {
    expect(pathOf('/console/?a=1')).toBe('/console');
    expect(pathOf('/')).toBe('/');
    expect(queryOf('/console?a=1?b&c=%26#d=4').get('a')).toBe('1?b');
    expect(queryOf('/console?c=%26#d=4').get('c')).toBe('&');
    expect(queryOf('/console').toString()).toBe('');
  });
  for (const [address, changes, expected] of [
    ['/console/requests', { model: 'a b' }, '/console/requests?model=a+b'],
    ['/console/requests?model=x&range=day', { model: undefined }, '/console/requests?range=day'],
    ['/console/requests?model=x', { model: '' }, '/console/requests'],
    ['/console/requests?a=1&b=2', { a: '3' }, '/console/requests?a=3&b=2'],
  ] as const) {
    test(`${address} with ${JSON.stringify(changes)}`, () => expect(withQuery(address, changes)).toBe(expected));
  }
});

interface ScriptedWindow extends HistoryWindow {
  readonly entries: string[];
  readonly scrolled: number[];
  back(): void;
}

function scriptedWindow(): ScriptedWindow {
  const entries = ['/console'];
  const scrolled: number[] = [];
  const listeners: (() => void)[] = [];
  const url = () => new URL(entries.at(-1) ?? '', 'http://weir.test');
  return {
    entries,
    scrolled,
    location: {
      get pathname() {
        return url().pathname;
      },
      get search() {
        return url().search;
      },
    },
    history: {
      pushState: (_state, _title, to) => void entries.push(String(to)),
      replaceState: (_state, _title, to) => void entries.splice(-1, 1, String(to)),
    },
    addEventListener: (_type, listener) => void listeners.push(listener),
    scrollTo: (_left, top) => void scrolled.push(top),
    back() {
      entries.pop();
      for (const listener of listeners) listener();
    },
  };
}

describe('navigation', () => {
  test('a step makes an entry that back undoes, and everybody is told', () => {
    const window = scriptedWindow();
    const navigation = createNavigation(window);
    const told: string[] = [];
    const leave = navigation.subscribe(() => told.push(navigation.address()));
    navigation.go('/console/tokens?state=active');
    window.back();
    expect(told).toEqual(['/console/tokens?state=active', '/console']);
    leave();
    navigation.go('/console/models');
    expect(told).toHaveLength(2);
  });

  test('the same address makes no entry, and a replaced one takes the place of the last', () => {
    const window = scriptedWindow();
    const navigation = createNavigation(window);
    navigation.go('/console');
    expect(window.entries).toEqual(['/console']);
    navigation.go('/console?range=day', { replace: true });
    expect(window.entries).toEqual(['/console?range=day']);
  });

  test('another page begins at its top; another filter stays where it was', () => {
    const window = scriptedWindow();
    const navigation = createNavigation(window);
    navigation.go('/console?range=day');
    expect(window.scrolled).toEqual([]);
    navigation.go('/console/tokens');
    expect(window.scrolled).toEqual([0]);
  });
});
