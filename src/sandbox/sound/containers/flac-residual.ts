/** What is left of samples when each is predicted from those before it, and the way back. */

/** Binomial weights: order n predicts by the polynomial through the last n samples. */
export const fixedWeights: readonly (readonly number[])[] = [[], [1], [2, -1], [3, -3, 1], [4, -6, 4, -1]];

/** The first `order` places hold nothing: those samples are written as they are. */
export function predictorResidual(samples: Int16Array, order: number): Int32Array {
  const weights = fixedWeights[order] ?? [];
  const residual = new Int32Array(samples.length);
  for (let at = order; at < samples.length; at++) {
    let predicted = 0;
    for (let back = 0; back < order; back++) predicted += (weights[back] ?? 0) * (samples[at - 1 - back] ?? 0);
    residual[at] = (samples[at] ?? 0) - predicted;
  }
  return residual;
}

/** Turns residuals into samples in their place. Products of 33 and 15 bits need doubles, and a floor instead of a shift. */
export function restoreSamples(samples: Float64Array, count: number, weights: readonly number[], shift: number): void {
  const order = weights.length;
  const divisor = 2 ** shift;
  for (let at = order; at < count; at++) {
    let predicted = 0;
    for (let back = 0; back < order; back++) predicted += (weights[back] ?? 0) * (samples[at - 1 - back] ?? 0);
    samples[at] = (samples[at] ?? 0) + (shift === 0 ? predicted : Math.floor(predicted / divisor));
  }
}
