/** Metrics of providers, targets and keys: their states and what is in flight. */

/** The states of health by their numbers: above 0 something is wrong, and the larger the worse. */
const stateNumbers = {
  disabled: -2,
  'no-data': -1,
  healthy: 0,
  degraded: 1,
  'rate-limited': 2,
  probing: 3,
  'circuit-open': 4,
  'key-rejected': 5,
  'model-missing': 6,
} as const;
const stateWords =
  '-2 disabled, -1 no data, 0 healthy, 1 degraded, 2 rate limited, 3 probing, 4 circuit open, 5 key rejected, 6 model missing';

interface StateGauge {
  readonly provider: string;
  readonly state: keyof typeof stateNumbers;
}

export interface TargetGauge extends StateGauge {
  readonly model: string;
  readonly inFlight: number;
}

interface KeyGauge extends StateGauge {
  readonly keyId: string;
}

export interface RoutingGauges {
  readonly providers: readonly StateGauge[];
  readonly targets: readonly TargetGauge[];
  readonly keys: readonly KeyGauge[];
  readonly retriesDenied: number;
}

/** A metric family: its type, its help text, its values by label. */
export interface Family {
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly rows: ReadonlyMap<string, number>;
}

/**
 * A model's name may come from a caller: beyond this many targets only those in a bad state are sure to be shown.
 */
const seriesMax = 2_000;

export function routingFamilies({ providers, targets, keys, retriesDenied }: RoutingGauges): readonly Family[] {
  const shown = shownTargets(targets);
  const gauge = (name: string, help: string, of: (target: TargetGauge) => number): Family => ({
    name,
    kind: 'gauge',
    help,
    rows: new Map(
      shown.map((target) => [`provider="${label(target.provider)}",model="${label(target.model)}"`, of(target)]),
    ),
  });
  return [
    {
      name: 'weir_provider_state',
      kind: 'gauge',
      help: `State of a provider, the worst of its keys and targets: ${stateWords}.`,
      rows: new Map(providers.map(({ provider, state }) => [`provider="${label(provider)}"`, stateNumbers[state]])),
    },
    gauge('weir_target_state', `State of a target: ${stateWords}.`, ({ state }) => stateNumbers[state]),
    gauge('weir_target_in_flight', 'Attempts in flight at a target.', ({ inFlight }) => inFlight),
    {
      name: 'weir_key_state',
      kind: 'gauge',
      help: `State of a key, rate limited if it is for at least one model: ${stateWords}.`,
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
  return targets.toSorted((one, other) => stateNumbers[other.state] - stateNumbers[one.state]).slice(0, seriesMax);
}

export function label(value: string): string {
  return value.slice(0, 200).replace(/[\\"\n]/g, '_');
}
