/**
 * Calls Weir in front of real model servers: `npm run test:servers`. llama.cpp's server is the one on the PATH, or that of a
 * Python package, which is installed once outside of the dependencies; without either it says so and skips.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelFile } from '../test/servers/write-model.ts';

const root = join(import.meta.dir, '..');
const suite = join(root, 'test/servers');
const cache = join(root, 'node_modules/.cache/servers');
const runMs = 20 * 60_000;
const testMs = 120_000;

process.exit(await main());

async function main(): Promise<number> {
  const server = await llamaServer();
  if (server === undefined) return 0;
  const folder = mkdtempSync(join(tmpdir(), 'weir-servers-'));
  try {
    const model = join(folder, 'random.gguf');
    await Bun.write(model, modelFile());
    const env = { ...process.env, WEIR_TEST_LLAMA_SERVER: JSON.stringify([...server, model]) };
    const files = ['./test/servers/llama-cpp.suite.ts'];
    return await run([process.execPath, 'test', `--timeout=${testMs}`, ...files], { env, cwd: root, timeout: runMs });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is followed by the model's file, the port and, for a server of vectors, `--embeddings`. */
async function llamaServer(): Promise<readonly string[] | undefined> {
  const shell = join(suite, 'llama-server.sh');
  if (Bun.which('llama-server') !== null) return ['sh', shell];
  const python = await installed();
  return python === undefined ? undefined : [python, '-u', join(suite, 'llama_server.py')];
}

/** The Python with the server; undefined, with a message, if it cannot be installed. */
async function installed(): Promise<string | undefined> {
  const requirements = join(suite, 'requirements.txt');
  const hash = new Bun.CryptoHasher('sha256').update(readFileSync(requirements)).digest('hex');
  const folder = join(cache, hash.slice(0, 16));
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'installed'))) return python;
  const skip = (why: string): undefined => console.log(`Skipped llama.cpp: ${why}`) as undefined;
  if (Bun.which('python3') === null) return skip('there is neither llama-server nor python3.');
  rmSync(folder, { recursive: true, force: true });
  console.log("Installing llama.cpp's server as a Python package; this happens once.");
  if ((await run(['python3', '-m', 'venv', folder])) !== 0) return skip('python3 cannot make a folder for it.');
  const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  if ((await run(pip)) !== 0) return skip('there is no llama-server, and its package cannot be installed.');
  await Bun.write(join(folder, 'installed'), '');
  return python;
}

async function run(command: string[], options: { env?: NodeJS.ProcessEnv; cwd?: string; timeout?: number } = {}) {
  return await Bun.spawn(command, { stdin: 'ignore', ...options, stdout: 'inherit', stderr: 'inherit' }).exited;
}
