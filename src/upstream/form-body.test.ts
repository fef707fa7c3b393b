/** Forms for providers, read back by a server's own reader and by ours. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { bodyOf, contentType, field, file, pieces, read, SpoolFolder } from '../../test/harness/scripted-form.ts';
import { buildForm, type FormBody, type FormFile, forwardForm } from './form-body.ts';

const folder = new SpoolFolder();
afterEach(() => expect(folder.left).toEqual({ named: 0, open: 0 }));
afterAll(() => folder.remove());

const fileOfBytes = (file: Omit<FormFile, 'bytes' | 'open'>, content: Uint8Array): FormFile => ({
  ...file,
  bytes: content.length,
  async *open() {
    if (content.length > 0) yield content;
  },
});
const bytesOf = async (body: FormBody) => Buffer.concat(await Array.fromAsync(body.open()));

describe('a form built from fields and files', () => {
  const built = buildForm([
    { name: 'model', value: 'whisper-1' },
    { name: 'timestamp_granularities[]', value: 'word' },
    { name: 'timestamp_granularities[]', value: 'segment' },
    { name: 'prompt', value: 'häßlich\r\n€' },
    fileOfBytes(
      { name: 'image[]', filename: 'a"b\r\nx: y.png', mediaType: 'image/png' },
      new Uint8Array([0, 13, 10, 255]),
    ),
    fileOfBytes({ name: 'file', filename: '', mediaType: 'bad\r\nx: y' }, new Uint8Array(0)),
  ]);

  test('has the length it says, each time it is opened', async () => {
    const first = await bytesOf(built);
    expect(first.length).toBe(built.bytes);
    expect(await bytesOf(built)).toEqual(first);
    expect(first.toString('latin1')).not.toContain('\nx: y');
  });

  test('is read by a server as it was meant', async () => {
    const reply = new Response(await bytesOf(built), { headers: { 'content-type': built.contentType } });
    const data = await reply.formData();
    expect(data.getAll('timestamp_granularities[]')).toEqual(['word', 'segment']);
    expect(data.get('prompt')).toBe('häßlich\r\n€');
    const image = data.get('image[]') as unknown as File;
    expect([...(await image.bytes())]).toEqual([0, 13, 10, 255]);
    expect(image.type).toBe('image/png');
    const form = await read(folder, await bytesOf(built), { contentType: built.contentType });
    expect(form.files.map(({ field: name, filename, mediaType }) => [name, filename, mediaType])).toEqual([
      ['image[]', 'a"b%0D%0Ax: y.png', 'image/png'],
      ['file', 'file', 'application/octet-stream'],
    ]);
    await form.dispose();
  });

  test('takes uploaded files as they lie', async () => {
    const content = Buffer.alloc(2_500_000, 'sound');
    const form = await read(folder, pieces(bodyOf([file('file', content), field('model', 'm')]), 65_536));
    const entries = form.files.map((one) => ({
      name: one.field,
      filename: one.filename,
      mediaType: one.mediaType,
      bytes: one.bytes,
      open: () => one.open(),
    }));
    const body = buildForm([{ name: 'model', value: 'other' }, ...entries]);
    const bytes = await bytesOf(body);
    expect(bytes.length).toBe(body.bytes);
    expect(bytes.indexOf(content)).toBeGreaterThan(0);
    await form.dispose();
  });
});

describe('a form passed on', () => {
  const parts = [file('file', Buffer.alloc(5_000, '\r\n-')), field('model', 'MODEL'), field('prompt', 'MODEL')];

  test.each([0, 1_000_000])('differs in the model alone (%d bytes in memory)', async (memoryBytesMax) => {
    for (const model of ['', 'x', 'a much longer name €']) {
      const sent = Buffer.concat([Buffer.from('preamble\r\n'), bodyOf(parts), Buffer.from('epilogue')]);
      const form = await read(folder, pieces(sent, 777), { memoryBytesMax });
      if (form.raw === undefined) throw new Error('it was not kept');
      const body = forwardForm(form.raw, { model });
      const text = sent.toString('latin1');
      const passed = Buffer.from(
        text.replace('\r\nMODEL\r\n', `\r\n${Buffer.from(model).toString('latin1')}\r\n`),
        'latin1',
      );
      expect(body.contentType).toBe(contentType);
      expect(body.bytes).toBe(passed.length);
      expect((await bytesOf(body)).equals(passed)).toBe(true);
      expect((await bytesOf(body)).equals(passed)).toBe(true);
      await form.dispose();
    }
  });

  test('gets a model where it had none', async () => {
    const form = await read(folder, bodyOf([field('a', 'b')]));
    if (form.raw === undefined) throw new Error('it was not kept');
    const bytes = await bytesOf(forwardForm(form.raw, { model: 'm' }));
    const again = await read(folder, bytes);
    expect([...again.fields]).toEqual([
      ['model', ['m']],
      ['a', ['b']],
    ]);
    await Promise.all([form.dispose(), again.dispose()]);
  });

  test.each([
    ['two models', [field('model', 'cheap'), field('model', 'dear')]],
    ['a model that is a file', [file('model', 'm')]],
    ['a model and a file of its name', [field('model', 'm'), file('model', 'm')]],
  ])('is refused with %s', async (_what, given) => {
    const form = await read(folder, bodyOf(given));
    const { raw } = form;
    if (raw === undefined) throw new Error('it was not kept');
    expect(() => forwardForm(raw, { model: 'm' })).toThrow('once, as text');
    await form.dispose();
  });
});
