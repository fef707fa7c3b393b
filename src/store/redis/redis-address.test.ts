/** What a reply says of another node: servers by name and by address are followed, nonsense is not. */

import { describe, expect, test } from 'bun:test';
import { addressesAt, namesAnotherNode, nodeNamedIn } from './redis-address.ts';

const at = { url: 'redis://user:pw@cache.example:7000/0' };
const named = (text: string) => nodeNamedIn(new Error(text), at);

describe('MOVED', () => {
  test.each([
    ['MOVED 3236 10.0.0.5:6380', '10.0.0.5', 6380],
    ['MOVED 3236 redis-2.cache.example:6379', 'redis-2.cache.example', 6379],
    ['MOVED 3236 fd00::5:6380', 'fd00::5', 6380],
    // Without a name it is another port of the node that was asked.
    ['MOVED 3236 :6381', 'cache.example', 6381],
    // As versions before 7 put it inside an error of the script.
    ['ERR Error running script (call to f_1): @user_script:1: -MOVED 3236 10.0.0.5:6380', '10.0.0.5', 6380],
  ])('%s', (text, host, port) => {
    expect(named(text)).toEqual({ host, port });
  });

  test.each([
    '?:6379',
    '10.0.0:6379',
    '999.1.1.1:6379',
    'a/b:6379',
    'x@y:6379',
    '-a.b:6379',
    '0.0.0.0:6379',
    'a:0',
    'a:70000',
  ])('a node that can be none is refused: %s', (node) => {
    expect(() => named(`MOVED 3236 ${node}`)).toThrow('names a node that can be none');
  });

  test('nothing else names a node', () => {
    for (const text of ['ASK 3236 10.0.0.5:6380', "READONLY You can't write", 'ERR who MOVED it', ''])
      expect(named(text)).toBeUndefined();
  });
});

test('errors after which nothing was carried out, and others', () => {
  for (const text of [
    'MOVED 1 a:1',
    'ASK 1 a:1',
    "READONLY You can't",
    'TRYAGAIN Multiple keys',
    'CLUSTERDOWN The cluster',
  ])
    expect([namesAnotherNode(new Error(text)), namesAnotherNode(new Error(`ERR Error: -${text}`))]).toEqual([
      true,
      true,
    ]);
  for (const text of [
    'OOM command not allowed',
    'NOAUTH Authentication required.',
    'ERR READONLYish',
    'Connection closed',
  ])
    expect(namesAnotherNode(new Error(text))).toBe(false);
});

test('at another node the protocol, user, password and database stay', () => {
  expect(addressesAt('redis://u:p%40w@one:7000/3', { host: '10.0.0.5', port: 6380 })).toEqual([
    { url: 'redis://u:p%40w@10.0.0.5:6380/3' },
  ]);
  expect(addressesAt('rediss://u:p%40w@one', { host: 'two', port: 6380 })).toEqual([
    { url: 'rediss://u:p%40w@two:6380' },
  ]);
  // A certificate for the name that the operator wrote holds at an address, too.
  expect(addressesAt('rediss://u:p%40w@one:7000', { host: 'fd00::5', port: 6380 })).toEqual([
    { url: 'rediss://u:p%40w@[fd00::5]:6380' },
    { url: 'rediss://u:p%40w@[fd00::5]:6380', certificateName: 'one' },
  ]);
  expect(addressesAt('rediss://10.0.0.4', { host: '10.0.0.5', port: 6380 })).toHaveLength(1);
});
