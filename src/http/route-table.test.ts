import { describe, expect, test } from 'bun:test';
import { plainPath, type Route, RouteTable } from './route-table.ts';

const route = (method: Route['method'], path: string): Route => ({
  method,
  path,
  handle: () => new Response(path),
  writeError: () => new Response('error'),
});
const table = new RouteTable([
  route('POST', '/v1/chat/completions'),
  route('GET', '/v1/models'),
  route('GET', '/v1/models/{id...}'),
  route('GET', '/v1/tasks/{id}'),
  route('DELETE', '/v1/tasks/{id}'),
  route('GET', '/v1/tasks/{id}/content'),
]);

describe('finding', () => {
  test.each([
    ['GET', '/v1/models', '/v1/models', {}],
    ['HEAD', '/v1/models', '/v1/models', {}],
    ['GET', '/v1/models/org%2Fx', '/v1/models/{id...}', { id: 'org/x' }],
    ['GET', '/v1/models/org/x', '/v1/models/{id...}', { id: 'org/x' }],
    ['GET', '/v1/tasks/7', '/v1/tasks/{id}', { id: '7' }],
    ['GET', '/v1/tasks/7/content', '/v1/tasks/{id}/content', { id: '7' }],
  ])('%s %s', (method, path, expected, params) => {
    const match = table.find(method, path);
    expect(match.found).toBe('route');
    if (match.found === 'route') expect([match.route.path, match.params]).toEqual([expected, params]);
  });

  test('a wrong method names those that exist', () => {
    const match = table.find('POST', '/v1/tasks/7');
    expect(match.found === 'path' && match.allow).toEqual(['GET', 'DELETE']);
  });

  test.each([
    '/',
    '/v1',
    '/v1/models/',
    '/v1/tasks/',
    '/v1/tasks/7/other',
    '/v1/models/%zz',
  ])('%s is unknown', (path) => {
    expect(table.find('GET', path).found).toBe('nothing');
  });
});

test.each([
  ['/v1/v1/messages', '/v1/messages'],
  ['/v1/v1beta/models/x:y', '/v1beta/models/x:y'],
  ['/v1/v2/rerank', '/v2/rerank'],
  ['//v1//realtime', '/v1/realtime'],
  ['/v1/models/', '/v1/models'],
  ['/v1/v1things', '/v1/v1things'],
  ['/v1', '/v1'],
  ['/', '/'],
])('%s means %s', (path, plain) => {
  expect(plainPath(path)).toBe(plain);
});
