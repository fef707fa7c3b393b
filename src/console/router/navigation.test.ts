/** Proves that addresses are read, changed and kept as a person would expect of links and of the back button. */

import { describe, expect, test } from 'bun:test';
import {
  createNavigation,
  type Departure,
  type HistoryWindow,
  matchPath,
  pathOf,
  queryOf,
  withQuery,
} from './navigation.ts';

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

/** `entries` are those up to where the person is; what lies ahead is kept for a step forward, as a browser does. */
function scriptedWindow(): ScriptedWindow {
  const all: { to: string; state: unknown }[] = [{ to: '/console', state: null }];
  let at = 0;
  const scrolled: number[] = [];
  const listeners: (() => void)[] = [];
  const url = () => new URL(all[at]?.to ?? '', 'http://weir.test');
  const go = (steps = 0) => {
    at += steps;
    for (const listener of listeners) listener();
  };
  return {
    get entries() {
      return all.slice(0, at + 1).map(({ to }) => to);
    },
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
      get state() {
        return all[at]?.state ?? null;
      },
      pushState(state, _title, to) {
        at += 1;
        all.splice(at, all.length, { to: String(to), state });
      },
      replaceState(state, _title, to) {
        all.splice(at, 1, { to: to === undefined ? (all[at]?.to ?? '') : String(to), state });
      },
      go,
    },
    addEventListener: (_type, listener) => void listeners.push(listener),
    scrollTo: (_left, top) => void scrolled.push(top),
    back: () => go(-1),
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

  test('whoever keeps the person here is asked before every step, and may let them go later', () => {
    const window = scriptedWindow();
    const navigation = createNavigation(window);
    navigation.go('/console/tokens');
    navigation.go('/console/models?model=a');
    const told: string[] = [];
    navigation.subscribe(() => told.push(navigation.address()));
    const asked: Departure[] = [];
    const release = navigation.guard((departure) => asked.push(departure) > 0);
    navigation.go('/console');
    window.back();
    window.history.go(-2);
    expect(asked.map(({ to }) => to)).toEqual(['/console', '/console/tokens', '/console']);
    expect(new Set(asked.map(({ from }) => from))).toEqual(new Set(['/console/models?model=a']));
    // Still there, with everything behind it, and nothing on the page has noticed.
    expect(window.entries).toEqual(['/console', '/console/tokens', '/console/models?model=a']);
    expect(told.filter((address) => address !== '/console/models?model=a')).toEqual([]);
    asked[1]?.leave();
    expect([navigation.address(), window.entries.length]).toEqual(['/console/tokens', 2]);
    expect(told.at(-1)).toBe('/console/tokens');
    release();
    window.history.go(1);
    expect([navigation.address(), asked.length]).toEqual(['/console/models?model=a', 3]);
    navigation.go('/console/requests');
    expect([window.entries.length, asked.length]).toEqual([4, 3]);
  });

  test('a link to a part of the page is an entry like any other', () => {
    const window = scriptedWindow();
    const navigation = createNavigation(window);
    navigation.go('/console/settings');
    // As the browser does it by itself: a new entry without a state.
    window.history.pushState(null, '', '/console/settings?x=1#people');
    window.history.go(0);
    const asked: string[] = [];
    navigation.guard(({ to }) => asked.push(to) > 0);
    window.history.go(-2);
    expect(asked).toEqual(['/console']);
    expect(navigation.address()).toBe('/console/settings?x=1');
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
