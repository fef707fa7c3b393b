/** Networks at their edges, texts that are no addresses, and forged headers about the origin of a request. */

import { describe, expect, test } from 'bun:test';
import { clientAddress, compileNetworks, isAddress, isNetwork, networkOf } from './address.ts';

describe('networks', () => {
  test.each([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '9.255.255.255', false],
    ['10.1.2.3/8', '10.9.9.9', true],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.7/32', '192.168.1.7', true],
    ['192.168.1.0/31', '192.168.1.1', true],
    ['192.168.1.0/31', '192.168.1.2', false],
    ['0.0.0.0/0', '255.255.255.255', true],
    ['0.0.0.0/0', '::1', false],
    ['128.0.0.0/1', '200.0.0.1', true],
    ['128.0.0.0/1', '127.255.255.255', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['10.0.0.0/8', '::ffff:a01:203', true],
    ['::ffff:10.0.0.0/104', '10.1.2.3', true],
    ['::ffff:10.0.0.0/104', '11.1.2.3', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '10.0.0.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:DB8::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/33', '2001:db8:8000::', false],
    ['2001:db8::/33', '2001:db8:7fff::', true],
    ['2001:db8::/127', '2001:db8::1', true],
    ['2001:db8::/127', '2001:db8::2', false],
    ['::1', '0:0:0:0:0:0:0:1', true],
    ['fe80::/10', 'fe80::1%eth0', true],
  ])('%p holds %p: %p', (network, address, expected) => {
    expect(compileNetworks([network])(address)).toBe(expected);
  });

  test.each([
    ...[
      '',
      ' ',
      '10',
      '10.0.0',
      '10.0.0.0.0',
      '10.0.0.256',
      '010.0.0.1',
      '10.0.0.1 ',
      '10..0.1',
      '1e1.0.0.1',
      '10.0.0.-1',
    ],
    ...['10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/', '10.0.0.0/08', '10.0.0.0/8/8', '10.0.0.0/8.0', '::/129', '::/1e1'],
    ...[
      ':',
      ':::',
      '1::2::3',
      '1:2:3:4:5:6:7',
      '1:2:3:4:5:6:7:8:9',
      '1:2:3:4:5:6:7::8',
      '12345::',
      'g::',
      '::1.2.3',
      '1.2.3.4::',
    ],
    ...['localhost', '*', '10.0.0.0/8\n', `${'1'.repeat(100_000)}`, `${':'.repeat(100_000)}`],
  ])('case %#: no network, no address, and it matches nothing', (text) => {
    expect(isNetwork(text)).toBe(false);
    expect(isAddress(text)).toBe(false);
    expect(compileNetworks([text])('10.0.0.1')).toBe(false);
    expect(compileNetworks(['0.0.0.0/0', '::/0'])(text)).toBe(false);
  });

  test('an empty list matches nothing, one of several is enough', () => {
    expect(compileNetworks([])('10.0.0.1')).toBe(false);
    expect(compileNetworks(['nonsense', '2001:db8::/32', '10.0.0.0/8'])('10.0.0.1')).toBe(true);
  });
});

describe('clientAddress', () => {
  const trusted = compileNetworks(['10.0.0.0/8', '::1']);

  test.each([
    // An untrusted peer can write anything.
    ['203.0.113.9', '198.51.100.1', '203.0.113.9'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::1', '2001:db8::5', '2001:db8::5'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '198.51.100.1,10.0.0.7 , 10.0.0.8', '198.51.100.1'],
    ['10.0.0.1', '10.0.0.6, 10.0.0.7', '10.0.0.6'],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1, unknown, 10.0.0.7', '10.0.0.7'],
    ['10.0.0.1', 'fe80::1%<script>', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1,', '10.0.0.1'],
    ['10.0.0.1', ',', '10.0.0.1'],
    ['10.0.0.1', '[', '10.0.0.1'],
  ])('peer %p with %p is %p', (peer, forwarded, expected) => {
    expect(clientAddress(peer, forwarded, trusted)).toBe(expected);
  });

  test('a very long header is read to its end', () => {
    expect(clientAddress('10.0.0.1', `1.1.1.1${', 10.0.0.2'.repeat(100_000)}`, trusted)).toBe('1.1.1.1');
  });
});

test('one client is an IPv4 address, or the /64 of an IPv6 one', () => {
  expect(networkOf('192.0.2.1')).not.toBe(networkOf('192.0.2.2'));
  expect(networkOf('::ffff:192.0.2.1')).toBe(networkOf('192.0.2.1'));
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff::9'));
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  expect(networkOf('no address')).toBe('no address');
});
