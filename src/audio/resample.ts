/** Changes the sample rate of speech: the engine speaks at 16 kHz, and clients of raw audio expect 24. */

/** Zero crossings on each side; eight keep aliasing below what 16 bits can show in speech. */
const reachSamples = 8;

/** Low-passes below the lower of the two rates with a windowed sinc, one table of weights per phase. */
export function resample(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  if (fromHz === toHz || samples.length === 0) return samples;
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const step = fromHz / divisor;
  const phases = toHz / divisor;
  const cutoff = Math.min(1, toHz / fromHz);
  const reach = Math.ceil(reachSamples / cutoff);
  const weights = Array.from({ length: phases }, (_, phase) => phaseWeights(phase / phases, reach, cutoff));
  const resampled = new Int16Array(Math.floor((samples.length * phases) / step));
  for (let index = 0; index < resampled.length; index++) {
    const position = index * step;
    const center = Math.floor(position / phases);
    const phase = weights[position % phases] ?? [];
    let sum = 0;
    for (let tap = 0; tap < phase.length; tap++) {
      sum += (phase[tap] ?? 0) * (samples[center + tap - reach + 1] ?? 0);
    }
    resampled[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
  }
  return resampled;
}

function phaseWeights(fraction: number, reach: number, cutoff: number): Float64Array {
  const weights = Float64Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach + 1 - fraction;
    const window = Math.abs(distance) >= reach ? 0 : 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach);
    return sinc(distance * cutoff) * window;
  });
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

function sinc(value: number): number {
  return value === 0 ? 1 : Math.sin(Math.PI * value) / (Math.PI * value);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
