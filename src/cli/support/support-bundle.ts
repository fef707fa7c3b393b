/** `weir support-bundle`: one archive for people who help, without secrets and without what users wrote. */

import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { loadProcessConfig } from '../../config/load-process-config.ts';
import { version } from '../../gateway/version.ts';
import { type CommandWords, readArguments } from '../arguments.ts';
import { exitCodes, reportMistakes } from '../output.ts';
import { output } from '../store-commands.ts';
import { type BundleFile, bundleFiles } from './bundle-files.ts';

const usage = `Usage: weir support-bundle [FILE]

Writes a .tar.gz with what others need to help: versions, settings, health, metrics, sizes.
It has no keys, tokens, passwords, header values, prompts or replies. Run it beside Weir, with the same settings.
FILE must not exist yet. Default: weir-support-<time>.tar.gz in the working folder.`;

const words: CommandWords = { usage, flags: {}, operandsMax: 1 };

export function supportBundle(args: readonly string[]): Promise<number> {
  return reportMistakes(output, async () => {
    const given = readArguments(words, args);
    if (given.help) {
      output.out(`${usage}\n`);
      return exitCodes.done;
    }
    const time = new Date().toISOString().slice(0, 19).replaceAll(/[:]/g, '-');
    const file = resolve(given.operands[0] ?? `weir-support-${time}.tar.gz`);
    if (existsSync(file)) {
      output.err(`${file} exists already. Name another file, or remove it.\n`);
      return exitCodes.failed;
    }
    const files = await bundleFiles(loadProcessConfig());
    const folder = 'weir-support';
    const all = [{ name: 'README.txt', about: 'this list', text: listOf(files) }, ...files];
    const archive = new Bun.Archive(Object.fromEntries(all.map(({ name, text }) => [`${folder}/${name}`, text])), {
      compress: 'gzip',
    });
    try {
      writeFileSync(file, await archive.bytes(), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      output.err(`${file} could not be written: ${(error as Error).message}. Name another file.\n`);
      return exitCodes.failed;
    }
    output.out(`${listOf(files)}\nIt is in ${file}. Look at it before you send it: tar -xzOf ${file} | less\n`);
    return exitCodes.done;
  });
}

function listOf(files: readonly BundleFile[]): string {
  const width = Math.max(...files.map(({ name }) => name.length));
  const lines = files.map(
    ({ name, about, text }) => `  ${name.padEnd(width)}  ${about} (${Buffer.byteLength(text)} bytes)`,
  );
  return `Support bundle of Weir ${version}. It holds:
${lines.join('\n')}
Not in it: keys, tokens, passwords, values of headers, prompts, replies, and what providers said about requests.
In it are names that you chose: providers, models, tokens whose models end, hosts, paths.
`;
}
