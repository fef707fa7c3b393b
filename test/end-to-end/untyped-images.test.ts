/** Uploads without a content type, as openai-python sends them: recognized by their bytes, sent with their type. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { noisyBitmap, pngFile } from '../harness/bitmaps.ts';
import { type RunningWeir, startWeir } from '../harness/weir.ts';

let weir: RunningWeir;
let seen: [string, string][] = [];
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const form = await request.formData();
    seen = [];
    form.forEach((value, name) => {
      seen.push([name, value instanceof File ? value.type : value]);
    });
    return Response.json({ created: 1, data: [{ b64_json: 'aGk=' }] });
  },
});

beforeAll(async () => {
  const base = `http://127.0.0.1:${upstream.port}/v1`;
  weir = await startWeir({
    yaml: { providers: { up: { kind: 'openai-chat', base_url: base, key: 'k', models: ['painter'] } } },
  });
});
afterAll(async () => {
  await weir.remove();
  await upstream.stop(true);
});

const edit = (model: string, image: Blob): Promise<Response> => {
  const form = new FormData();
  form.set('model', model);
  form.set('prompt', 'make it black and white');
  form.set('image', image, 'upload');
  return fetch(`${weir.base}/images/edits`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}` },
    body: form,
  });
};
const untyped = async (): Promise<Blob> =>
  new Blob([await pngFile(noisyBitmap(16, 16)).bytes()], { type: 'application/octet-stream' });

test('the sandbox edits it', async () => {
  const reply = await edit('sandbox-image', await untyped());
  expect([reply.status, await reply.json()]).toMatchObject([200, { data: [{}] }]);
});

test('a provider gets its type', async () => {
  const reply = await edit('painter', await untyped());
  expect(reply.status).toBe(200);
  expect(seen).toContainEqual(['image', 'image/png']);
  expect(seen).toContainEqual(['model', 'painter']);
  expect(seen).toContainEqual(['prompt', 'make it black and white']);
});

test('bytes that are no image are refused as before', async () => {
  const reply = await edit('painter', new Blob(['no image'], { type: 'application/octet-stream' }));
  expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: 'image' } }]);
});

test('a model for another operation is refused with the name of its operation', async () => {
  const reply = await fetch(`${weir.base}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${weir.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-speak', messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect(await reply.text()).toContain('sandbox has this model for speak only');
});
