/** Every special network of the registries, at its first and last address and just outside. */

import { describe, expect, test } from 'bun:test';
import { isPublicAddress } from './public-address.ts';

/** First and last address inside, and the adjacent ones outside if they are public. */
const ipv4: [what: string, first: string, last: string, before?: string | undefined, after?: string][] = [
  ['this network', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['private 10', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['carriers', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ["a cloud's host", '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private 172', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocols', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation 1', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['relays', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private 192', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation 2', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation 3', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255'],
  ['reserved and broadcast', '240.0.0.0', '255.255.255.255'],
];

const ipv6: typeof ipv4 = [
  ['unspecified, loopback, compatible', '::', '::ffff:ffff'],
  ['mapped', '::ffff:0:0', '::ffff:ffff:ffff'],
  ['translated', '::ffff:0:0:0', '::ffff:0:ffff:ffff'],
  ['NAT64', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['local NAT64', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard', '100::', '100::ffff:ffff:ffff:ffff'],
  ['below global unicast', '1fff::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['protocols and Teredo', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::1', '2001:200::'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::1', '2001:db9::'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::1', '2003::'],
  ['documentation 2', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::1', '3fff:1000::'],
  ['above global unicast', '4000::', '4000::1', '3fff:ffff::1'],
  ['segment routing', '5f00::', '5f00:ffff::'],
  ['unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ["a cloud's metadata", 'fd00:ec2::254', 'fd20:ce::254'],
  ['link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
];

describe.each([...ipv4, ...ipv6].map((row) => ({ row, what: row[0] })))('$what', ({ row }) => {
  const [, first, last, before, after] = row;
  test('is refused from end to end', () => {
    for (const address of [first, last, first.toUpperCase()])
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });
  test('ends where it ends', () => {
    for (const address of [before, after]) {
      if (address !== undefined) expect([address, isPublicAddress(address)]).toEqual([address, true]);
    }
  });
});

test('no first octet is judged otherwise than its table says', () => {
  const wholly = new Set([0, 10, 127, ...Array.from({ length: 32 }, (_, index) => 224 + index)]);
  for (let octet = 0; octet < 256; octet += 1) {
    expect([octet, isPublicAddress(`${octet}.1.1.1`)]).toEqual([octet, !wholly.has(octet)]);
  }
});

test('every IPv6 form that holds a private address is refused', () => {
  for (const hex of ['7f00:1', 'a00:1', 'a9fe:a9fe', 'c0a8:1', 'ac10:1', '6440:1']) {
    for (const form of [`::${hex}`, `::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::`, `2001:0:${hex}::1`]) {
      expect([form, isPublicAddress(form)]).toEqual([form, false]);
    }
  }
  for (const form of ['::127.0.0.1', '::ffff:127.0.0.1', '64:ff9b::10.0.0.1', '2606:4700::1.1.1.1']) {
    expect([form, isPublicAddress(form)]).toEqual([form, false]);
  }
});

test('what is no plain address is not public', () => {
  const odd = [
    '',
    ' ',
    'localhost',
    'example.com',
    '8.8.8',
    '8.8.8.8.8',
    '08.8.8.8',
    '8.8.8.08',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.256',
    '8.8.8.-1',
    ' 8.8.8.8',
    '8.8.8.8 ',
    '8.8.8.8\n',
    '８.8.8.8',
    '8.8.8.8/32',
    '[2606:4700::1]',
    '2606:4700::1%eth0',
    '2606:4700',
    '2606:4700:::1',
    '2606::4700::1',
    '2606:4700:0:0:0:0:0:0:1',
    '2606:4700:0:0:0:0:1',
    '2606:47000::1',
    '2606:4700::g',
    ':2606:4700::1',
    '2606:4700::1:',
    ':::',
    ':',
    '1:2:3:4:5:6:7::8',
  ];
  for (const address of odd) expect([address, isPublicAddress(address)]).toEqual([address, false]);
});

test('what people really use is public', () => {
  const real = [
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2620:fe::fe',
    '2001:4860:4860::8888',
  ];
  for (const address of real) expect([address, isPublicAddress(address)]).toEqual([address, true]);
});
