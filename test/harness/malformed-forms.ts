/** Bodies that are no forms, or forms that two servers would read differently, for whole endpoints: each must be refused. */

const boundary = 'weir-test-boundary';
const mark = `--${boundary}`;
export const formType = `multipart/form-data; boundary=${boundary}`;

export interface Part {
  readonly head: string;
  readonly content: string | Uint8Array;
}

export const textPart = (name: string, content: string): Part => ({
  head: `Content-Disposition: form-data; name="${name}"`,
  content,
});

export const filePart = (name: string, content: string | Uint8Array, type: string, filename = 'a.bin'): Part => ({
  head: `Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${type}`,
  content,
});

export function formBytes(parts: readonly Part[], end = `${mark}--\r\n`): Buffer {
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`${mark}\r\n${head}\r\n\r\n`),
    Buffer.from(content as Uint8Array),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...pieces, Buffer.from(end)]);
}

export interface Malformed {
  readonly what: string;
  readonly body: Buffer;
  readonly type: string;
}

/** Each with its defect, made from a valid form whose first part is a file that holds `sound`. */
export function malformedForms(valid: Buffer): Malformed[] {
  const good = valid.toString('latin1');
  const disposition = 'Content-Disposition: form-data; name="a"';
  const part = (head: string, content = 'x') =>
    good.replace(`${mark}--`, `${mark}\r\n${head}\r\n\r\n${content}\r\n${mark}--`);
  const texts: readonly (readonly [string, string, string?])[] = [
    ['empty', ''],
    ['only a line break', '\r\n'],
    ['JSON', '{"model":"m"}'],
    ['only a delimiter', mark],
    ['only a delimiter line', `${mark}\r\n`],
    ['a head without its end', `${mark}\r\n${disposition}\r\n`],
    ['no end', good.replace(`${mark}--\r\n`, '')],
    ['cut in the content', good.slice(0, good.indexOf('sound') + 2)],
    ['cut in the last delimiter', good.slice(0, -5)],
    ['another boundary', good.replaceAll(boundary, 'other-boundary')],
    ['a boundary with more characters after it', good.replace(`${mark}\r\n`, `${mark}x\r\n`)],
    ['a boundary inside a line', good.replace('sound', `so${mark}und`)],
    ['a delimiter after a bare line feed', good.replace('sound', `so\n${mark}\nund`)],
    ['mixed line ends', good.replace('\r\n', '\n')],
    ['a delimiter after the end', `${good}epilogue\r\n${mark}\r\n${disposition}\r\n\r\nx\r\n${mark}--`],
    ['an empty head', `${mark}\r\n\r\nx\r\n${mark}--`],
    ['no disposition', part('Content-Type: text/plain')],
    ['two dispositions', part(`${disposition}\r\nContent-Disposition: form-data; name="model"`)],
    ['another disposition', part('Content-Disposition: attachment; name="a"')],
    ['no name', part('Content-Disposition: form-data')],
    ['an empty name', part('Content-Disposition: form-data; name=""')],
    ['two names', part('Content-Disposition: form-data; name="a"; name="model"')],
    ['an extended name', part("Content-Disposition: form-data; name=a; name*=UTF-8''model")],
    ['an open quote', part('Content-Disposition: form-data; name="a')],
    ['a header without a colon', part(`${disposition}\r\nnonsense`)],
    ['a folded header', part(`${disposition};\r\n filename="a"`)],
    ['a NUL in a head', part(`${disposition}\r\nx: \0`)],
    ['a form in the form', part(`${disposition}\r\nContent-Type: multipart/mixed; boundary=b`)],
    ['a transfer encoding', part(`${disposition}\r\nContent-Transfer-Encoding: base64`)],
    ['a field that is not UTF-8', part(disposition, '\xc3\x28')],
    ['a head that is too long', part(`${disposition}\r\nx: ${'y'.repeat(9_000)}`)],
    ['a model twice', part('Content-Disposition: form-data; name="model"', 'other')],
    ['no boundary', good, 'multipart/form-data'],
    ['an empty boundary', good, 'multipart/form-data; boundary=""'],
    ['two boundaries', good, `${formType}; boundary=other`],
  ];
  return texts.map(([what, text, type = formType]) => ({ what, body: Buffer.from(text, 'latin1'), type }));
}
