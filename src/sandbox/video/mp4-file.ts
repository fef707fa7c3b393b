/** Rewrites an encoder's MP4: index in front (playing begins at once), key frames listed (seeking works), no timestamps (equal videos are equal files). */

interface Box {
  readonly type: string;
  readonly content: Uint8Array | readonly Box[];
}

const nested: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);
/** Boxes with the times of creation and change, eight bytes behind version and flags. */
const stamped: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);
const dropped: ReadonlySet<string> = new Set(['free', 'iods']);
const headBytes = 8;
const keyFrameUnit = 5;

export function tidyMp4(file: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const boxes = readBoxes(file).filter(({ type }) => !dropped.has(type));
  const start = boxes.find(({ type }) => type === 'ftyp');
  const index = boxes.find(({ type }) => type === 'moov');
  const media = boxes.find(({ type }) => type === 'mdat');
  if (start === undefined || index === undefined || !(media?.content instanceof Uint8Array)) {
    throw new SyntaxError('The encoder wrote no MP4.');
  }
  const keyFrames = keyFramesOf(index, file);
  const oldOffset = media.content.byteOffset - file.byteOffset;
  // The index is as long after its offsets are set as before.
  const draft = rewrite(index, keyFrames, 0);
  const newOffset = sizeOf(start) + sizeOf(draft) + headBytes;
  return writeBoxes([start, rewrite(index, keyFrames, newOffset - oldOffset), media]);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function readBoxes(bytes: Uint8Array): Box[] {
  const boxes: Box[] = [];
  const view = viewOf(bytes);
  for (let at = 0; at + headBytes <= bytes.length; ) {
    const size = view.getUint32(at);
    if (size < headBytes || at + size > bytes.length) throw new SyntaxError('A box of the MP4 is broken.');
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + headBytes));
    const content = bytes.subarray(at + headBytes, at + size);
    boxes.push({ type, content: nested.has(type) ? readBoxes(content) : content });
    at += size;
  }
  return boxes;
}

function find(box: Box, type: string): Uint8Array | undefined {
  if (box.content instanceof Uint8Array) return box.type === type ? box.content : undefined;
  for (const inner of box.content) {
    const found = find(inner, type);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The numbers of the key frames. Each frame is a sequence of units with their lengths. */
function keyFramesOf(index: Box, file: Uint8Array): number[] {
  const [sizes, offsets] = [find(index, 'stsz'), find(index, 'stco')];
  if (sizes === undefined || offsets === undefined) throw new SyntaxError('The MP4 has no frames.');
  const sizesView = viewOf(sizes);
  const fileView = viewOf(file);
  const same = sizesView.getUint32(4);
  const count = sizesView.getUint32(8);
  const keyFrames: number[] = [];
  let at = viewOf(offsets).getUint32(8);
  for (let frame = 0; frame < count; frame += 1) {
    const end = at + (same === 0 ? sizesView.getUint32(12 + frame * 4) : same);
    for (let unit = at; unit + 4 < end; unit += 4 + fileView.getUint32(unit)) {
      if (((file[unit + 4] ?? 0) & 0x1f) === keyFrameUnit) keyFrames.push(frame + 1);
    }
    at = end;
  }
  return [...new Set(keyFrames)];
}

function rewrite({ type, content }: Box, keyFrames: readonly number[], shift: number): Box {
  if (!(content instanceof Uint8Array)) {
    const inner = content.filter((box) => !dropped.has(box.type)).map((box) => rewrite(box, keyFrames, shift));
    return { type, content: type === 'stbl' ? [...inner, keyFrameBox(keyFrames)] : inner };
  }
  if (type === 'stco') return { type, content: shifted(content, shift) };
  if (!stamped.has(type)) return { type, content };
  const timeless = content.slice();
  // Version 1 has longer times; this encoder writes version 0 alone.
  timeless.fill(0, 4, timeless[0] === 1 ? 20 : 12);
  return { type, content: timeless };
}

function keyFrameBox(keyFrames: readonly number[]): Box {
  const content = new Uint8Array(8 + keyFrames.length * 4);
  const view = viewOf(content);
  view.setUint32(4, keyFrames.length);
  for (const [index, frame] of keyFrames.entries()) view.setUint32(8 + index * 4, frame);
  return { type: 'stss', content };
}

function shifted(offsets: Uint8Array, shift: number): Uint8Array {
  const moved = offsets.slice();
  const view = viewOf(moved);
  for (let at = 8; at + 4 <= moved.length; at += 4) view.setUint32(at, view.getUint32(at) + shift);
  return moved;
}

function sizeOf({ content }: Box): number {
  const inside = content instanceof Uint8Array ? content.length : content.reduce((sum, box) => sum + sizeOf(box), 0);
  return headBytes + inside;
}

function writeBoxes(boxes: readonly Box[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(boxes.reduce((sum, box) => sum + sizeOf(box), 0));
  let at = 0;
  const write = (box: Box): void => {
    viewOf(bytes).setUint32(at, sizeOf(box));
    for (let letter = 0; letter < 4; letter += 1) bytes[at + 4 + letter] = box.type.charCodeAt(letter);
    at += headBytes;
    if (box.content instanceof Uint8Array) {
      bytes.set(box.content, at);
      at += box.content.length;
    } else for (const inner of box.content) write(inner);
  };
  for (const box of boxes) write(box);
  return bytes;
}
