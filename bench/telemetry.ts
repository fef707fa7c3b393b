/**
 * What telemetry costs: CPU per request without it, with it and no trace exported, and with every trace exported. The last
 * two are the same process, which distinguishes them by the flag of `traceparent`: two processes of one code differ by
 * several percent.
 */

import { requestCost, runLoad, type Scale } from './measure.ts';
import { median } from './statistics.ts';
import { startUpstream, startWeir, type Target, weirOfHere } from './targets.ts';

/** Accepts everything and reads nothing: what a collector does with it is not Weir's cost. */
function startSink(): { readonly url: string; stop(): Promise<void> } {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      await request.bytes();
      return new Response(null);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const rounds = 12;
const concurrency = 32;
/** Each as long as the scale's: a process that was just compiled for exporting spans is compiled again. */
const warmUpTurns = 2;
const setups = {
  protobuf: {},
  JSON: { WEIR_TELEMETRY_PROTOCOL: 'http/json' },
  gzip: { WEIR_TELEMETRY_COMPRESSION: 'gzip' },
  'collector away': { WEIR_TELEMETRY_ENDPOINT: 'http://127.0.0.1:9' },
} as const;

const traceparent = (flags: string) => ({
  traceparent: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`,
});

/** `only` limits it to setups whose name contains it. */
export async function measureTelemetry(scale: Scale, only: string, say: (text: string) => void): Promise<string> {
  const upstream = await startUpstream();
  const sink = startSink();
  const lines = [
    '| telemetry | off | on, no trace | on, every trace | no trace / off | every trace / no trace |',
    '| --- | ---: | ---: | ---: | ---: | ---: |',
  ];
  for (const [name, settings] of Object.entries(setups)) {
    if (!name.includes(only)) continue;
    say(name);
    const off: Target = { ...(await startWeir(upstream.port)), name: 'off', headers: traceparent('00') };
    const started = await startWeir(upstream.port, weirOfHere, { WEIR_TELEMETRY_ENDPOINT: sink.url, ...settings });
    const none: Target = { ...started, name: 'none', headers: traceparent('00') };
    const every: Target = { ...started, name: 'every', headers: traceparent('01') };
    const targets = [off, none, every];
    for (let turn = 0; turn < warmUpTurns; turn += 1) {
      for (const target of targets) {
        await runLoad('requests', target, { concurrency, requests: scale.warmUpRequests });
      }
    }
    const { cpu } = await requestCost(targets, { ...scale, rounds });
    const of = (target: Target): readonly number[] => cpu.get(target.name) ?? [];
    const micros = targets.map((target) => `${median(of(target)).toFixed(1)} µs`);
    const ratio = (one: Target, other: Target): string => `${(median(of(one)) / median(of(other))).toFixed(3)} ×`;
    lines.push(`| ${name} | ${micros.join(' | ')} | ${ratio(none, off)} | ${ratio(every, none)} |`);
    await Promise.all([off.stop(), started.stop()]);
  }
  await sink.stop();
  await upstream.stop();
  return lines.join('\n');
}
