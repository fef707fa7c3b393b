/** What telemetry costs: CPU per request without it, with every trace, with one of ten, and while the collector is away. */

import { requestCost, type Scale, warmUp } from './measure.ts';
import { median, medianRatio, pairSums } from './statistics.ts';
import { startUpstream, startWeir, type Target, weirBySource } from './targets.ts';

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

const roundsOfPair = 6;
const setups = {
  'telemetry on': {},
  'one trace of ten': { WEIR_TELEMETRY_SAMPLE_RATIO: '0.1' },
  'no traceparent sent': { WEIR_TELEMETRY_PROPAGATE: 'false' },
  JSON: { WEIR_TELEMETRY_PROTOCOL: 'http/json' },
  gzip: { WEIR_TELEMETRY_COMPRESSION: 'gzip' },
  'collector away': { WEIR_TELEMETRY_ENDPOINT: 'http://127.0.0.1:9' },
} as const;

/** `only` limits it to setups whose name contains it. */
export async function measureTelemetry(given: Scale, only: string, say: (text: string) => void): Promise<string> {
  const scale = { ...given, rounds: roundsOfPair };
  const upstream = await startUpstream();
  const sink = startSink();
  const lines: string[] = ['| telemetry | CPU per request | without | ratio |', '| --- | ---: | ---: | ---: |'];
  for (const [name, settings] of Object.entries(setups)) {
    if (!name.includes(only)) continue;
    say(name);
    const off: Target = { ...(await startWeir(upstream.port)), name: 'off' };
    const environment = { WEIR_TELEMETRY_ENDPOINT: sink.url, ...settings };
    const on: Target = { ...(await startWeir(upstream.port, weirBySource, environment)), name: 'on' };
    await warmUp([off, on], scale);
    const { cpu } = await requestCost([off, on], scale);
    const [during = [], without = []] = [cpu.get('on'), cpu.get('off')];
    const ratio = medianRatio(pairSums(during), pairSums(without));
    lines.push(
      `| ${name} | ${median(during).toFixed(1)} µs | ${median(without).toFixed(1)} µs | ${ratio.toFixed(3)} × |`,
    );
    await Promise.all([off.stop(), on.stop()]);
  }
  await sink.stop();
  await upstream.stop();
  return lines.join('\n');
}
