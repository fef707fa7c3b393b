/** A steady load from a process of its own: so many chat requests a second whatever becomes of them, until its standard input closes; then what it saw. */

import { scripted } from '../harness/chat.ts';

export interface LoadPlan {
  readonly base: string;
  readonly token: string;
  readonly model: string;
  readonly perSecond: number;
  /** How long the provider works on each. */
  readonly workMs: number;
  /** The load ends by itself after this. */
  readonly secondsMax: number;
}

export interface Sample {
  /** The time of day. */
  readonly atMs: number;
  readonly latencyMs: number;
  readonly status: number;
  readonly provider: string;
  readonly attempts: number;
}

/** More than this at a time and the load itself is what is slow. */
const inFlightMax = 2_000;

async function main(plan: LoadPlan): Promise<void> {
  const samples: Sample[] = [];
  const running = new Set<Promise<void>>();
  const startedAt = performance.now();
  let stopped = false;
  void Bun.stdin.text().then(() => {
    stopped = true;
  });
  process.stdout.write('started\n');
  for (let sent = 0; !stopped && performance.now() - startedAt < plan.secondsMax * 1000; ) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * plan.perSecond);
    for (; sent < due && running.size < inFlightMax; sent++) {
      const one = sample(plan, `load-${sent}`).then((seen) => {
        samples.push(seen);
        running.delete(one);
      });
      running.add(one);
    }
    await Bun.sleep(2);
  }
  await Promise.all(running);
  process.stdout.write(`${JSON.stringify(samples)}\n`);
}

async function sample({ base, token, model, workMs }: LoadPlan, nonce: string): Promise<Sample> {
  const atMs = Date.now();
  const startedAt = performance.now();
  try {
    const reply = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(scripted({ nonce, headDelayMs: workMs }, { model })),
    });
    const text = await reply.text();
    const provider = reply.headers.get('x-weir-provider') ?? '';
    const isWhole = reply.status === 200 && text.includes('" the of and"');
    return {
      atMs,
      latencyMs: performance.now() - startedAt,
      status: isWhole || reply.status !== 200 ? reply.status : 0,
      provider,
      attempts: Number(reply.headers.get('x-weir-attempts') ?? 0),
    };
  } catch {
    return { atMs, latencyMs: performance.now() - startedAt, status: 0, provider: '', attempts: 0 };
  }
}

export interface RunningLoad {
  /** Ends it and returns its results. */
  finish(): Promise<Sample[]>;
}

export async function startLoad(plan: LoadPlan): Promise<RunningLoad> {
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(plan)], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    async finish() {
      child.stdin.end();
      const decoder = new TextDecoder();
      let text = '';
      for (let next = await reader.read(); next.value !== undefined; next = await reader.read())
        text += decoder.decode(next.value, { stream: true });
      await child.exited;
      return JSON.parse(text) as Sample[];
    },
  };
}

/** The value that all but one in a hundred stay below. */
export function p99(samples: readonly Sample[]): number {
  const sorted = samples.map(({ latencyMs }) => latencyMs).toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? '{}') as LoadPlan);
