/**
 * Preloaded into a scratch instance of Weir: its wall clock is the real one plus an offset that lies in a mapped file, so
 * that the script which started it can move it. Durations stay real, because `performance.now` does.
 */

const file = process.env['WEIR_DEMO_CLOCK'];
if (file === undefined) throw new Error('WEIR_DEMO_CLOCK names the file that holds the offset of the clock.');
const offsetMs = new Float64Array(Bun.mmap(file).buffer);
const realNow = Date.now.bind(Date);
const movedNow = (): number => realNow() + (offsetMs[0] ?? 0);

Date.now = movedNow;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, made) => Reflect.construct(target, values.length === 0 ? [movedNow()] : values, made),
  apply: () => new Date(movedNow()).toString(),
});

// Ids of requests begin with their time, and the console finds them by it.
const realId = Bun.randomUUIDv7;
const movedId = (encoding: 'hex' | 'base64' | 'base64url' = 'hex', atMs: number | Date = movedNow()): string =>
  realId(encoding as 'hex', atMs);
Object.defineProperty(Bun, 'randomUUIDv7', { value: movedId });

// A thread starts without what its process preloaded.
const RealWorker = globalThis.Worker;
globalThis.Worker = class extends RealWorker {
  constructor(url: string | URL, options: WorkerOptions = {}) {
    super(url, { ...options, preload: [import.meta.path] });
  }
};
