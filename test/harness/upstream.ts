/** Starts the scripted provider in a process of its own, so that it outlives a killed Weir and does not share a test's event loop. */

import { join } from 'node:path';
import type { InvoiceEntry } from '../fake-upstream/invoice.ts';
import type { Script } from '../fake-upstream/script.ts';

export interface RunningUpstream {
  readonly port: number;
  /** With the version path, as a `base_url` in `weir.yaml`. */
  readonly base: string;
  /** All requests but those for the list of models. */
  invoice(): Promise<InvoiceEntry[]>;
  /** The one entry with this nonce; throws where there is none or more than one. */
  entry(nonce: string): Promise<InvoiceEntry>;
  queue(scripts: readonly Script[]): Promise<void>;
  reset(): Promise<void>;
  stop(): Promise<void>;
  /** SIGKILL: connections break, the port refuses. */
  kill(): Promise<void>;
}

/** `givenPort`: where one that was killed listened before. */
export async function startUpstream(
  models: readonly string[] = ['gpt-4.1'],
  givenPort?: number,
): Promise<RunningUpstream> {
  const program = join(import.meta.dir, '../fake-upstream/process.ts');
  const words = [models.join(','), ...(givenPort === undefined ? [] : [`${givenPort}`])];
  const child = Bun.spawn([process.execPath, program, ...words], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const first = await child.stdout.getReader().read();
  const port = Number(new TextDecoder().decode(first.value));
  if (!(port > 0)) throw new Error('the scripted provider did not start');
  const control = async (path: string, body?: unknown) => {
    const reply = await fetch(`http://127.0.0.1:${port}/__control/${path}`, {
      method: 'POST',
      body: JSON.stringify(body ?? null),
    });
    return reply.json();
  };
  const invoice = async () => {
    const entries = (await control('invoice')) as InvoiceEntry[];
    return entries.filter((entry) => entry.method === 'POST');
  };
  return {
    port,
    base: `http://127.0.0.1:${port}/v1`,
    invoice,
    async entry(nonce) {
      const [entry, ...others] = (await invoice()).filter((each) => each.nonce === nonce);
      if (entry === undefined || others.length > 0)
        throw new Error(`${entry === undefined ? 'no' : others.length + 1} invoice entries for ${nonce}`);
      return entry;
    },
    async queue(scripts) {
      await control('queue', scripts);
    },
    async reset() {
      await control('reset');
    },
    async stop() {
      child.stdin.end();
      await child.exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await child.exited;
    },
  };
}
