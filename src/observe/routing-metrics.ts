/** Metrics of targets, keys and attempts: open circuits, cooldowns, requests in flight, and how attempts ended. */

export interface TargetGauge {
  readonly provider: string;
  readonly model: string;
  readonly state: keyof typeof stateNumbers;
  readonly inFlight: number;
  readonly firstEventMs?: number;
}

interface KeyGauge {
  readonly provider: string;
  readonly keyId: string;
  readonly state: keyof typeof stateNumbers;
}

export interface RoutingGauges {
  readonly targets: readonly TargetGauge[];
  readonly keys: readonly KeyGauge[];
  readonly retriesDenied: number;
}

/** A metric family: its type, its help text, its values by label. */
interface Family {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly rows: ReadonlyMap<string, number>;
}

const stateNumbers = { ready: 0, cooling: 1, open: 2, 'half-open': 3 } as const;
const stateWords = '0 ready, 1 cooling, 2 open, 3 half open';

/**
 * A model's name may come from a caller: beyond this many targets only those with an open circuit or cooling down are
 * sure to be shown.
 */
const seriesMax = 2_000;

export class AttemptCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  /** Both come from configuration and a closed set, so they need no bound. */
  count(provider: string, verdict: string): void {
    let ofProvider = this.#counts.get(provider);
    if (ofProvider === undefined) {
      ofProvider = new Map();
      this.#counts.set(provider, ofProvider);
    }
    ofProvider.set(verdict, (ofProvider.get(verdict) ?? 0) + 1);
  }

  family(): Family {
    const rows = new Map<string, number>();
    for (const [provider, verdicts] of this.#counts) {
      for (const [verdict, count] of verdicts) rows.set(`provider="${label(provider)}",verdict="${verdict}"`, count);
    }
    return { name: 'weir_attempts_total', kind: 'counter', help: 'Attempts by verdict.', rows };
  }
}

export function routingFamilies({ targets, keys, retriesDenied }: RoutingGauges): readonly Family[] {
  const shown = shownTargets(targets);
  const gauge = (name: string, help: string, of: (target: TargetGauge) => number | undefined): Family => {
    const rows = new Map<string, number>();
    for (const target of shown) {
      const value = of(target);
      if (value !== undefined) rows.set(`provider="${label(target.provider)}",model="${label(target.model)}"`, value);
    }
    return { name, kind: 'gauge', help, rows };
  };
  return [
    gauge('weir_target_state', `State of a target: ${stateWords}.`, ({ state }) => stateNumbers[state]),
    gauge('weir_target_in_flight', 'Attempts in flight at a target.', ({ inFlight }) => inFlight),
    gauge(
      'weir_target_first_event_ms',
      'Smoothed time to the first event of a target.',
      ({ firstEventMs }) => firstEventMs,
    ),
    {
      name: 'weir_key_state',
      kind: 'gauge',
      help: `State of a key, cooling if it cools down for at least one model: ${stateWords}.`,
      rows: new Map(
        keys.map(({ provider, keyId, state }) => [
          `provider="${label(provider)}",key="${label(keyId)}"`,
          stateNumbers[state],
        ]),
      ),
    },
    {
      name: 'weir_retries_denied_total',
      kind: 'counter',
      help: 'Retries that were denied by the bound on their share.',
      rows: new Map([['', retriesDenied]]),
    },
  ];
}

function shownTargets(targets: readonly TargetGauge[]): readonly TargetGauge[] {
  if (targets.length <= seriesMax) return targets;
  const isReady = ({ state }: TargetGauge): number => (state === 'ready' ? 1 : 0);
  return targets.toSorted((one, other) => isReady(one) - isReady(other)).slice(0, seriesMax);
}

export function label(value: string): string {
  return value.slice(0, 200).replace(/[\\"\n]/g, '_');
}
