/**
 * Calls Weir with the official Python libraries: `npm run test:python`, with a part of a case's name to run a few.
 * Installs them once, outside of the dependencies; without Python or its packages it prints so and skips.
 */

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  answers,
  calls,
  conversation,
  faults,
  image,
  sampling,
  schemaOfTool,
  tools,
  weatherSchema,
} from '../test/fake-upstream/wire/scenes.ts';
import { type Namesake, providerNames, startProviders } from '../test/fake-upstream/wire/start-all.ts';
import { startWeir } from '../test/harness/weir.ts';

const root = join(import.meta.dir, '..');
const suite = join(root, 'test/python');
const cache = join(root, 'node_modules/.cache/python');
const installMs = 10 * 60_000;
const runMs = 20 * 60_000;

/** Libraries that can be installed together, and the modules below `test/python/clients` that use them. */
interface Library {
  readonly requirements: string;
  readonly modules: readonly string[];
}

const libraries: readonly Library[] = [
  {
    requirements: 'requirements.txt',
    modules: [
      'openai_chat',
      'openai_responses',
      'azure_chat',
      'groq_chat',
      'anthropic_messages',
      'google_generate',
      'cohere_chat',
    ],
  },
  {
    requirements: 'requirements-langchain.txt',
    modules: [
      'langchain_openai_chat',
      'langchain_openai_responses',
      'langchain_anthropic_messages',
      'langchain_google',
    ],
  },
];

process.exit(await main(process.argv[2] ?? ''));

async function main(only: string): Promise<number> {
  const installed: { readonly python: string; readonly modules: readonly string[] }[] = [];
  for (const { requirements, modules } of libraries) {
    const python = await install(join(suite, requirements));
    if (python !== undefined) installed.push({ python, modules });
  }
  if (installed.length === 0) return 0;
  const providers = await startProviders(namesakes());
  const weir = await startWeir({ yaml: providers.yaml, holders: 'two' });
  try {
    let failed = false;
    for (const { python, modules } of installed) {
      const code = await runSuite(python, { only, modules, ...suiteInput(weir.url, weir.token) });
      failed ||= code !== 0;
    }
    return failed ? 1 : 0;
  } finally {
    await weir.remove();
    providers.stop();
  }
}

/** The Python with the libraries; undefined, with a message, if they cannot be installed. */
async function install(requirements: string): Promise<string | undefined> {
  // Each set of versions has its own folder, so that a change of the list installs again.
  const folder = join(cache, hashOf(readFileSync(requirements)));
  const python = join(folder, 'bin/python');
  if (existsSync(join(folder, 'installed'))) return python;
  const skip = (why: string): undefined => console.log(`Skipped ${relative(root, requirements)}: ${why}`) as undefined;
  if (Bun.which('python3') === null) return skip('there is no python3.');
  rmSync(folder, { recursive: true, force: true });
  console.log(`Installing ${relative(root, requirements)}; this happens once.`);
  if ((await run(['python3', '-m', 'venv', folder], {})) !== 0) return skip('python3 cannot make a folder for it.');
  const pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
  if ((await run(pip, {})) !== 0) return skip('its packages cannot be installed.');
  await Bun.write(join(folder, 'installed'), '');
  return python;
}

/** Nothing of this machine reaches the libraries: no keys, no proxies, no telemetry. */
function runSuite(python: string, input: object): Promise<number> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: cache, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };
  return run([python, '-u', 'run.py'], { env, cwd: suite, stdin: new Blob([JSON.stringify(input)]), timeout: runMs });
}

interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: Blob;
  readonly timeout?: number;
}

async function run(command: string[], options: RunOptions): Promise<number> {
  return await Bun.spawn(command, {
    stdin: 'ignore',
    timeout: installMs,
    ...options,
    stdout: 'inherit',
    stderr: 'inherit',
  }).exited;
}

/** A provider that failed is not called for a while, which must not affect the other cases. */
function namesakes(): readonly Namesake[] {
  const clients = libraries.flatMap(({ modules }) => modules);
  return clients.flatMap((client) =>
    providerNames.map((provider) => ({
      alias: `${provider}-${client.replaceAll('_', '-')}`,
      provider,
      model: 'busy',
    })),
  );
}

/** What the Python cases get: the providers, and the conversation that they send. */
function suiteInput(url: string, token: string): object {
  return {
    providers: providerNames,
    scene: {
      url,
      token,
      ...conversation,
      temperature: sampling.temperature,
      max_tokens: sampling.maxTokens,
      stop: sampling.stop,
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        parameters: schemaOfTool(tool),
      })),
      image: image.data,
      image_type: image.mediaType,
      schema: weatherSchema,
    },
    expected: {
      text: answers.text,
      after: answers.after,
      images: answers.images,
      schema: answers.schema,
      calls,
      faults,
    },
  };
}

function hashOf(bytes: Uint8Array): string {
  return new Bun.CryptoHasher('sha256').update(bytes).digest('hex').slice(0, 16);
}
