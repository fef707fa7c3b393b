/** A request's attempts as bars on one time line: who was asked, when, for how long, and why that was not the end. */

import type { RequestDetailView } from '../../../../admin/contracts/analytics-contract.ts';
import { Money } from '../../../components/amounts.tsx';
import { durationText } from '../../../texts/time.ts';
import { useSpeech, useWords } from '../../../words/use-words.tsx';
import { type Bar, waterfallOf } from '../waterfall.ts';

export function Timeline({ story }: { readonly story: RequestDetailView }) {
  const { words, tag } = useSpeech();
  const { spanMs, bars } = waterfallOf(story, Date.now());
  const time = (ms: number) => durationText(ms, tag, words.units);
  return (
    <div className="rounded-md border border-line">
      <ol className="grid">
        {bars.map((bar, index) => (
          <li key={bar.attempt.id} className="grid gap-1.5 border-b border-line px-3 py-2.5 last:border-b-0">
            <AttemptLine bar={bar} number={index + 1} time={time} />
          </li>
        ))}
      </ol>
      <div
        aria-hidden="true"
        className="flex justify-between border-t border-line bg-sunken px-3 py-1 font-mono text-xs text-quiet tabular-nums"
      >
        <span>0</span>
        <span>{time(spanMs / 2)}</span>
        <span>{time(spanMs)}</span>
      </div>
    </div>
  );
}

interface AttemptLineProps {
  readonly bar: Bar;
  readonly number: number;
  time(ms: number): string;
}

function AttemptLine({ bar, number, time }: AttemptLineProps) {
  const words = useWords().requests;
  const { attempt, startMs, totalMs, firstEvent } = bar;
  const isServed = attempt.verdict === '' || attempt.verdict === undefined;
  const isOpen = totalMs === undefined;
  return (
    <>
      <div className="flex items-baseline justify-between gap-4 text-sm">
        <span className="min-w-0 truncate">
          <span className="text-quiet">{number}.</span> {attempt.provider} / {attempt.model}
          {attempt.keyId !== undefined && <span className="text-quiet"> · {words.key(attempt.keyId)}</span>}
        </span>
        <span className="shrink-0 font-mono text-xs tabular-nums">{isOpen ? words.running : time(totalMs)}</span>
      </div>
      <div aria-hidden="true" className="relative h-3 overflow-hidden rounded-sm bg-sunken">
        <div
          className={`absolute inset-y-0 rounded-sm ${isServed ? 'bg-accent' : 'bg-bad'} ${isOpen ? 'animate-breathe' : ''}`}
          style={{ left: `${bar.left * 100}%`, width: `${bar.width * 100}%` }}
        />
        {firstEvent !== undefined && (
          <div
            className="absolute inset-y-0 w-0.5 bg-raised ring-1 ring-accent-strong"
            style={{ left: `calc(${firstEvent.left * 100}% - 1px)` }}
          />
        )}
      </div>
      <p className="flex flex-wrap gap-x-3 text-xs text-quiet">
        <span>{words.startsAt(time(startMs))}</span>
        {firstEvent !== undefined && <span>{words.firstEventAt(time(firstEvent.ms))}</span>}
        <span className={isServed ? '' : 'text-bad'}>{useVerdictText(attempt.verdict, isOpen)}</span>
        {attempt.error !== undefined && (
          <span className="min-w-0 break-words">{[attempt.error.status, attempt.error.message].join(' ').trim()}</span>
        )}
        {attempt.costNano !== undefined && attempt.costNano !== '0' && (
          <span>
            <Money nano={attempt.costNano} />
          </span>
        )}
      </p>
    </>
  );
}

/** An older or newer server may know verdicts that this page does not: then its own word is better than none. */
function useVerdictText(verdict: string | undefined, isOpen: boolean): string {
  const words = useWords().requests;
  if (isOpen) return '';
  if (verdict === '') return words.served;
  if (verdict === undefined) return '';
  return (words.verdicts as Readonly<Record<string, string | undefined>>)[verdict] ?? verdict;
}
