/** The last hour of a provider as a row of small bars: how many attempts ended, and how many of them failed. */

import type { ProviderHealthView } from '../../../admin/contracts/health-contract.ts';
import { countText } from '../../texts/number.ts';
import { useSpeech } from '../../words/use-words.tsx';

const barPx = 2;
const heightPx = 20;

export function ProviderSpark({ health }: { readonly health: ProviderHealthView }) {
  const { tag, words } = useSpeech();
  const { minutes, attempts, failed } = health;
  const most = Math.max(1, ...minutes.map((minute) => minute.attempts));
  const said = words.health.minutes(countText(attempts, tag), countText(failed, tag));
  const widthPx = minutes.length * (barPx + 1);
  return (
    <svg
      role="img"
      aria-label={said}
      viewBox={`0 0 ${widthPx} ${heightPx}`}
      width={widthPx}
      height={heightPx}
      className="shrink-0"
    >
      <title>{said}</title>
      <path d={`M0 ${heightPx - 0.5}H${widthPx}`} className="stroke-line" />
      {minutes.map(({ attempts: all, failed: bad }, index) => {
        if (all === 0) return null;
        // A single attempt among thousands is still an attempt.
        const tall = Math.max(2, (all / most) * heightPx);
        const badTall = bad === 0 ? 0 : Math.max(1, (bad / all) * tall);
        const x = index * (barPx + 1);
        return (
          <g key={index}>
            <rect x={x} y={heightPx - tall} width={barPx} height={tall} className="fill-accent" />
            <rect x={x} y={heightPx - tall} width={barPx} height={badTall} className="fill-bad" />
          </g>
        );
      })}
    </svg>
  );
}
