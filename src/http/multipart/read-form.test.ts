/** Forms of every shape that clients send, cut at every byte, in memory and in a file. */

import { afterAll, afterEach, describe, expect, test } from 'bun:test';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bodyOf,
  boundary,
  contentType,
  field,
  file,
  ManualClock,
  optionsIn,
  pieces,
  read,
  SpoolFolder,
} from '../../../test/harness/scripted-form.ts';
import type { Form } from './form.ts';
import { readForm, readRequestForm } from './read-form.ts';
import { sweepSpool } from './spool-file.ts';
import { UploadMemory } from './upload-memory.ts';

const folder = new SpoolFolder();
afterEach(() => expect(folder.left).toEqual({ named: 0, open: 0 }));
afterAll(() => folder.remove());

async function shown(form: Form) {
  const files = [];
  for (const one of form.files) {
    const content = Buffer.concat(await Array.fromAsync(one.open())).toString('latin1');
    expect(Buffer.from(await one.whole(one.bytes)).toString('latin1')).toBe(content);
    expect(content.length).toBe(one.bytes);
    files.push({ field: one.field, filename: one.filename, mediaType: one.mediaType, content });
  }
  await form.dispose();
  return { fields: Object.fromEntries(form.fields), files };
}

function streamOf(source: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await source.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
  });
}

const audio = 'RIFF\r\n--weir-test-\r\n\r\n-\r\r\n--\0\xff';
const everything = bodyOf([
  file('image[]', Buffer.from(audio, 'latin1')),
  field('timestamp_granularities[]', 'word'),
  field('timestamp_granularities[]', 'segment'),
  file('image[]', ''),
  field('prompt', 'über\r\n\r\nalles €'),
  field('empty', ''),
  field('__proto__', 'x'),
  field('model', 'whisper-1'),
]);
const expected = {
  fields: Object.fromEntries([
    ['timestamp_granularities[]', ['word', 'segment']],
    ['prompt', ['über\r\n\r\nalles €']],
    ['empty', ['']],
    ['__proto__', ['x']],
    ['model', ['whisper-1']],
  ]),
  files: [
    { field: 'image[]', filename: 'a.bin', mediaType: 'audio/wav', content: audio },
    { field: 'image[]', filename: 'a.bin', mediaType: 'audio/wav', content: '' },
  ],
};

describe('a form is the same', () => {
  test.each([0, 1, 100, 1_048_576])('in pieces of every size, with %d bytes in memory', async (memoryBytesMax) => {
    for (const size of [1, 2, 3, 5, 7, 19, 20, 21, 22, 64, 500, everything.length]) {
      expect(await shown(await read(folder, pieces(everything, size), { memoryBytesMax }))).toEqual(expected);
    }
  });

  test('cut in two at every byte', async () => {
    for (let cut = 0; cut <= everything.length; cut += 1) {
      const halves = (async function* () {
        yield everything.subarray(0, cut);
        yield everything.subarray(cut);
      })();
      expect(await shown(await read(folder, halves))).toEqual(expected);
    }
  });

  test('from a stream, with preamble, padding, epilogue and a quoted boundary', async () => {
    const text = everything.toString('latin1').replaceAll(`--${boundary}\r\n`, `--${boundary} \t\r\n`);
    const dressed = Buffer.from(`This is a form.\r\n${text.replace(/--\r\n$/, '-- \r\nepilogue --\r\n')}`, 'latin1');
    for (const size of [1, 33, dressed.length]) {
      const form = await read(folder, streamOf(pieces(dressed, size)), {
        contentType: `Multipart/Form-Data; charset=utf-8; BOUNDARY="${boundary}"`,
      });
      expect(await shown(form)).toEqual(expected);
    }
  });

  test('from the runtime’s own FormData', async () => {
    const data = new FormData();
    data.append('model', 'm');
    data.append('file', new File(['abc'], 'na"me ü.wav', { type: 'audio/wav' }));
    const form = await readRequestForm(new Request('http://x/', { method: 'POST', body: data }), optionsIn(folder));
    expect(await shown(form)).toEqual({
      fields: { model: ['m'] },
      files: [{ field: 'file', filename: 'na"me ü.wav', mediaType: 'audio/wav', content: 'abc' }],
    });
  });

  test('with lines that end in LF alone, which is then not sent on as it is', async () => {
    const text = `--${boundary}\nContent-Disposition: form-data; name="a"\n\none\r\ntwo\n--${boundary}--`;
    for (const size of [1, 2, 1_000]) {
      const form = await read(folder, pieces(Buffer.from(text), size));
      expect(form.raw).toBeUndefined();
      expect(await shown(form)).toEqual({ fields: { a: ['one\r\ntwo'] }, files: [] });
    }
  });

  test('without parts, and ended without a last line break', async () => {
    expect(await shown(await read(folder, Buffer.from(`--${boundary}--`)))).toEqual({ fields: {}, files: [] });
    const form = await read(folder, bodyOf([field('a', 'b')], `--${boundary}--`));
    expect(await shown(form)).toEqual({ fields: { a: ['b'] }, files: [] });
  });
});

describe('what makes a file', () => {
  const head = (rest: string, type = '') => ({
    head: `content-disposition:form-data;name=f${rest}${type === '' ? '' : `\r\ncontent-type: ${type}`}`,
    content: 'x',
  });
  const cases: [string, string, string][] = [
    ['; filename=plain.png', '', 'plain.png'],
    ['; filename="q \\" \\\\ z.png"', '', 'z.png'],
    ['; filename="%22q%22.png"', '', '"q".png'],
    ['; filename="C:\\dir\\up.png"', '', 'up.png'],
    ['; filename="../../etc/passwd"', '', 'passwd'],
    ['; filename=".."', '', ''],
    ['; filename=""', '', ''],
    ['; filename="old.png"; filename*=UTF-8\'en\'na%C3%AFve%20%E2%82%AC.png', '', 'naïve €.png'],
    ["; filename*=iso-8859-1''%E9t%E9.png", '', 'été.png'],
    ['; filename="kept.png"; filename*=koi8-r\'\'%E9.png', '', 'kept.png'],
    ['; filename*0="long "; filename*1="name"; filename*2=.png', '', 'long name.png'],
    ["; filename*0*=UTF-8''%e2%82; filename*1*=%ac%20; filename*2=a.png", '', '€ a.png'],
    ['; filename="a\u202egnp.exe"', '', 'agnp.exe'],
    [`; filename="${'x'.repeat(400)}.png"`, '', `${'x'.repeat(251)}.png`],
    ['', 'image/png', ''],
    ['', 'application/octet-stream', ''],
    ['; filename=a.txt', 'text/plain; charset=iso-8859-1', 'a.txt'],
  ];
  test.each(cases)('name=f%s %s', async (rest, type, filename) => {
    const { files, fields } = await shown(await read(folder, bodyOf([head(rest, type)])));
    expect(fields).toEqual({});
    expect(files.map((one) => one.filename)).toEqual([filename]);
  });

  test.each(['', 'text/plain', 'text/plain; charset=UTF-8', 'application/json'])('not the type "%s"', async (type) => {
    const { files, fields } = await shown(await read(folder, bodyOf([head('', type)])));
    expect({ files, fields }).toEqual({ files: [], fields: { f: ['x'] } });
  });
});

describe('the spool', () => {
  const large = bodyOf([file('file', Buffer.alloc(3_000_000, 'abc')), field('model', 'm')]);

  test('is a nameless file of one’s own, that opens again and again and goes with the form', async () => {
    const form = await read(folder, pieces(large, 65_536));
    expect(folder.left).toEqual({ named: 0, open: 1 });
    expect(folder.modes).toEqual(['600']);
    const [one] = form.files;
    for (let round = 0; round < 2; round += 1) {
      const digest = new Bun.CryptoHasher('sha1');
      for await (const piece of one?.open() ?? []) digest.update(piece);
      expect(digest.digest('hex')).toBe(
        new Bun.CryptoHasher('sha1').update(Buffer.alloc(3_000_000, 'abc')).digest('hex'),
      );
    }
    await expect(one?.whole(2_999_999)).rejects.toMatchObject({ code: 'body_too_large', param: 'file' });
    expect((await one?.whole(3_000_000))?.length).toBe(3_000_000);
    await form.dispose();
    await form.dispose();
    await expect(Array.fromAsync(one?.open() ?? [])).rejects.toThrow('disposed');
    await expect(one?.whole(3_000_000)).rejects.toThrow('disposed');
  });

  test.each([
    [-1, 0],
    [0, 0],
    [1, 1],
  ])('begins above its threshold: %d bytes beyond, %d file', async (beyond, open) => {
    const form = await read(folder, pieces(large, 10_000), { memoryBytesMax: large.length - beyond });
    expect(folder.left).toEqual({ named: 0, open });
    await form.dispose();
  });

  test('is used when the uploads in flight leave no room in memory, whose bytes are counted until they end', async () => {
    const memory = new UploadMemory(large.length + 1_000_000);
    const options = { memory, memoryBytesMax: large.length };
    const first = await read(folder, pieces(large, 100_000), options);
    expect(memory.bytes).toBe(large.length);
    expect(folder.left).toEqual({ named: 0, open: 0 });
    const second = await read(folder, pieces(large, 100_000), options);
    expect(memory.bytes).toBe(large.length);
    expect(folder.left).toEqual({ named: 0, open: 1 });
    for (const form of [first, second])
      expect(
        Buffer.compare((await form.files[0]?.whole(3_000_000)) ?? new Uint8Array(0), Buffer.alloc(3_000_000, 'abc')),
      ).toBe(0);
    await second.dispose();
    await first.dispose();
    await first.dispose();
    expect(memory.bytes).toBe(0);
    await expect(read(folder, pieces(large.subarray(0, 2_000_000), 100_000), options)).rejects.toThrow();
    expect(memory.bytes).toBe(0);
  });

  test('is not closed under a reader that is in the middle of it', async () => {
    const form = await read(folder, pieces(large, 65_536));
    const reading = form.files[0]?.whole(3_000_000);
    await form.dispose();
    expect((await reading)?.length).toBe(3_000_000);
  });

  test('is removed when the client disconnects, also while it is stalled', async () => {
    const leaving = new AbortController();
    const stalled = (async function* () {
      yield large.subarray(0, 2_000_000);
      leaving.abort(new Error('gone'));
      await new Promise(() => {});
    })();
    await expect(read(folder, stalled, { signal: leaving.signal })).rejects.toMatchObject({ code: 'client_left' });
    await expect(read(folder, pieces(large), { signal: leaving.signal })).rejects.toMatchObject({
      code: 'client_left',
    });
  });

  test('is removed when the source breaks', async () => {
    const broken = (async function* () {
      yield large.subarray(0, 2_000_000);
      throw new Error('socket');
    })();
    await expect(read(folder, broken)).rejects.toMatchObject({ code: 'field_invalid', status: 400 });
  });

  test('that cannot be written is no fault of the sender', async () => {
    const blocked = join(folder.path, 'a-file');
    writeFileSync(blocked, '');
    const options = { ...optionsIn(folder), spool: { folder: join(blocked, 'x'), memoryBytesMax: 10 } };
    await expect(readForm(pieces(large), contentType, options)).rejects.toMatchObject({ status: 503 });
    await Bun.file(blocked).delete();
  });

  test('is swept of what a crash left, and of nothing else', async () => {
    const inner = join(folder.path, 'inner');
    expect(await sweepSpool(inner)).toBe(0);
    expect(statSync(inner).mode & 0o777).toBe(0o700);
    writeFileSync(join(inner, `weir-upload-${'0'.repeat(32)}`), 'left');
    writeFileSync(join(inner, 'notes.txt'), 'mine');
    const form = await readForm(pieces(large), contentType, { ...optionsIn(folder), spool: { folder: inner } });
    expect(await sweepSpool(inner)).toBe(1);
    expect(await Bun.file(join(inner, 'notes.txt')).text()).toBe('mine');
    expect((await form.files[0]?.whole(3_000_000))?.length).toBe(3_000_000);
    await form.dispose();
    await Bun.$`rm -r ${inner}`.quiet();
  });
});

test('back-pressure: no piece is asked for before the last one is kept', async () => {
  let asked = 0;
  const clock = new ManualClock();
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        asked += 1;
        if (asked > 200) controller.close();
        else controller.enqueue(Buffer.alloc(100_000, 'x'));
      },
    },
    { highWaterMark: 0 },
  );
  await expect(read(folder, source, { clock, limits: { partHeadBytesMax: 150_000 } })).rejects.toMatchObject({
    status: 400,
  });
  expect(asked).toBe(2);
  expect(clock.watched.size).toBe(0);
});
