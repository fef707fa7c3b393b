/** Bodies that are no forms, or forms that two servers would read differently: each is refused, and leaves nothing. */

import { afterAll, expect, test } from 'bun:test';
import {
  bodyOf,
  boundary,
  contentType,
  field,
  file,
  pieces,
  read,
  SpoolFolder,
} from '../../../test/harness/scripted-form.ts';
import { GatewayError } from '../../conversation/gateway-error.ts';

const folder = new SpoolFolder();
afterAll(() => folder.remove());

const mark = `--${boundary}`;
const good = bodyOf([file('file', 'audio'), field('model', 'm')]).toString('latin1');
const part = (head: string, content = 'x'): string => bodyOf([{ head, content }]).toString('latin1');
const disposition = 'Content-Disposition: form-data; name="a"';

/** Each with what is wrong about it. */
const bodies: [string, string, string?][] = [
  ['empty', ''],
  ['only a line break', '\r\n'],
  ['JSON', '{"model":"m"}'],
  ['only a delimiter', mark],
  ['only a delimiter line', `${mark}\r\n`],
  ['a head without its end', `${mark}\r\n${disposition}\r\n`],
  ['no end', good.replace(`${mark}--\r\n`, '')],
  ['cut in the content', good.slice(0, good.indexOf('audio') + 2)],
  ['cut in the last delimiter', good.slice(0, -5)],
  ['another boundary', good.replaceAll(boundary, 'other-boundary')],
  ['a boundary with text after it', good.replace(`${mark}\r\n`, `${mark}x\r\n`)],
  ['a last boundary with text after it', good.replace(`${mark}--`, `${mark}--x`)],
  ['a boundary inside a line', good.replace('audio', `au${mark}dio`)],
  ['a delimiter after a bare line feed', good.replace('audio', `au\n${mark}\ndio`)],
  ['a whole part after a bare line feed', good.replace('audio', `au\n${mark}\r\n${disposition}\r\n\r\ndio`)],
  ['a delimiter right after the head', good.replace('audio\r\n', '')],
  ['mixed line ends', good.replace('\r\n', '\n')],
  ['a delimiter after the end', `${good}epilogue\r\n${mark}\r\n${disposition}\r\n\r\nx\r\n${mark}--`],
  ['a boundary in a head', part(`${disposition}\r\n${mark}: x`)],
  ['an empty head', `${mark}\r\n\r\nx\r\n${mark}--`],
  ['no disposition', part('Content-Type: text/plain')],
  ['two dispositions', part(`${disposition}\r\nContent-Disposition: form-data; name="model"`)],
  ['another disposition', part('Content-Disposition: attachment; name="a"')],
  ['no name', part('Content-Disposition: form-data')],
  ['an empty name', part('Content-Disposition: form-data; name=""')],
  ['two names', part('Content-Disposition: form-data; name="a"; name="model"')],
  ['an extended name', part("Content-Disposition: form-data; name=a; name*=UTF-8''model")],
  ['an escaped name', part('Content-Disposition: form-data; name="mo\\del"')],
  ['a name that is not UTF-8', part('Content-Disposition: form-data; name="?"').replace('?', '\xff')],
  ['an open quote', part('Content-Disposition: form-data; name="a')],
  ['no equals sign', part('Content-Disposition: form-data; name')],
  ['a header without a colon', part(`${disposition}\r\nnonsense`)],
  ['a folded header', part(`${disposition};\r\n filename="a"`)],
  ['a NUL in a head', part(`${disposition}\r\nx: \0`)],
  ['a lone carriage return in a head', part(`${disposition}\rx: y`)],
  ['a form in the form', part(`${disposition}\r\nContent-Type: multipart/mixed; boundary=b`)],
  ['a broken content type', part(`${disposition}\r\nContent-Type: image`)],
  ['a transfer encoding', part(`${disposition}\r\nContent-Transfer-Encoding: base64`)],
  ['another charset', part(`${disposition}\r\nContent-Type: text/plain; charset=utf-16`)],
  ['a field that is not UTF-8', part(disposition, 'ok').replace('ok', '\xc3\x28')],
  ['no boundary', good, 'multipart/form-data'],
  ['an empty boundary', good, 'multipart/form-data; boundary=""'],
  ['a long boundary', good, `multipart/form-data; boundary=${'b'.repeat(71)}`],
  ['a boundary with odd characters', good, 'multipart/form-data; boundary="a\u0001b"'],
  ['two boundaries', good, `${contentType}; boundary=other`],
];

const rounds = 100;
/** As one piece, byte by byte, and in pieces that end elsewhere in each round. */
const sizeOf = (round: number): number => (round === 0 ? 100_000 : round);

test('the body they are made from is valid', async () => {
  await (await read(folder, Buffer.from(good, 'latin1'))).dispose();
  expect(bodies.length).toBeGreaterThanOrEqual(30);
});

const cases = bodies.map(([what, text, type]): [string, string, string] => [what, text, type ?? contentType]);

test.each(cases)(`%s is refused ${rounds} times over, and nothing is left`, async (_what, text, type) => {
  const bytes = Buffer.from(text, 'latin1');
  for (let round = 0; round < rounds; round += 1) {
    // Every second round keeps nothing in memory, so that a file has to go.
    const given = { memoryBytesMax: round % 2 === 0 ? 0 : 1_000, contentType: type };
    const failure = await read(folder, pieces(bytes, sizeOf(round)), given).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(GatewayError);
    expect(failure).toMatchObject({ status: 400, code: 'field_invalid' });
  }
  expect(folder.left).toEqual({ named: 0, open: 0 });
});

test.each([null, '', 'application/json', 'multipart/mixed; boundary=x'])('the type %s is another one', async (type) => {
  await expect(read(folder, Buffer.from(good), { contentType: type })).rejects.toMatchObject({ status: 415 });
});
