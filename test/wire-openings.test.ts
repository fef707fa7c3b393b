/** A file about a vendor's wire names the vendor, the API, the URL of its reference and the date it was read. */

import { expect, test } from 'bun:test';
import { Glob } from 'bun';
import { presets } from '../src/providers/presets.ts';

/** What wires share, and Weir's own video tasks, have no vendor. */
const ownFiles = ['src/operations/images/wires/image-pair.ts', 'src/operations/video/wires/generations-video.ts'];

const vendorFiles = [
  'src/operations/*/wires/*.ts',
  'src/operations/{embed,rerank,moderate}/{openai,cohere,gemini,jina,mistral,perplexity,tei,voyage}-*.ts',
  'src/formats/*/{wire,format}.ts',
  'src/providers/presets/{anthropic,cohere,gemini,jina,openai,voyage}.ts',
  'src/providers/presets/clouds/{azure,bedrock,vertex}.ts',
  'src/providers/presets/media/*.ts',
].flatMap((pattern) => [...new Glob(pattern).scanSync('.')]);

/** The first word of a preset's label is its vendor; a server that people run themselves has none. */
const otherVendors = ['Text Embeddings Inference'];
const vendors = [...otherVendors, ...presets.flatMap(({ label }) => label.split(' ').slice(0, 1))];
const vendor = [...new Set(vendors)].map((name) => name.replaceAll(/[^\w ]/g, '\\$&')).join('|');
const opening = new RegExp(
  `^/\\*\\*\\s(?:\\s\\*\\s)?(${vendor})\\b[\\s\\S]*?https://\\S+[\\s\\S]*?\\(read \\d{4}-\\d{2}-\\d{2}\\)[\\s\\S]*?\\*/`,
);

test('every file about a vendor opens with vendor, API, reference and date', async () => {
  const wrong: string[] = [];
  for (const path of vendorFiles.filter((file) => !file.endsWith('.test.ts') && !ownFiles.includes(file))) {
    const text = await Bun.file(path).text();
    const first = text.slice(0, text.indexOf('*/') + 2);
    if (!opening.test(first)) wrong.push(path);
  }
  expect(vendorFiles.length).toBeGreaterThan(80);
  expect(wrong).toEqual([]);
});
