/**
 * One probe for all replicas: the replica that claims the probe of a target or key sends it, and the others wait for its
 * result. A claim is a lease, so that the probe of a replica that died is free again.
 */

import type { ProbeTurns } from '../breaker.ts';
import type { ChangeList, FleetPart, FleetView } from './fleet-state.ts';
import type { HealthSource, Subject } from './health-source.ts';

/** Renewed at half of it while the probe is in flight. */
const leaseMs = 10_000;
/** A claim without a probe is given up after this time: another replica may have a request to probe with. */
const unusedMs = 1_000;
/** Of one process; further probes are sent without a claim. */
const claimsMax = 500;

interface Claim {
  readonly subject: Subject;
  readonly name: string;
  /** When it was asked for; undefined where it need not be. */
  askedAtMs: number | undefined;
  isSent: boolean;
  /** 0 while it is not held. */
  heldUntilMs: number;
  /** Since when it is held without a probe in flight. */
  unusedSinceMs: number;
  /** It was given up once: the next request that may probe does not wait for the answer. */
  isGivenUp: boolean;
}

export class ProbeClaims implements FleetPart {
  readonly #source: HealthSource;
  readonly #id: string = crypto.randomUUID();
  readonly #claims = new Map<string, Claim>();
  readonly #view: FleetView;
  readonly #wake: () => void;
  #isAvailable = false;

  /** `wake` is called when there is a claim to send. */
  constructor(source: HealthSource, view: FleetView, wake: () => void) {
    this.#source = source;
    this.#view = view;
    this.#wake = wake;
  }

  turnsOf(subject: Subject, name: string): ProbeTurns {
    const key = `probe ${subject} ${name}`;
    return {
      mayProbe: (nowMs) => !this.#isAvailable || this.#mayProbe(key, subject, name, nowMs),
      isTaken: (nowMs) => this.#isAvailable && this.#isTaken(key, nowMs),
    };
  }

  outgoing({ remove, claim }: ChangeList, _view: FleetView, nowMs: number): void {
    for (const [key, each] of this.#claims) {
      const health = this.#source.find(each.subject, each.name);
      if (health?.breakerState(nowMs) !== 'half-open') {
        // The probe has ended, or the circuit was closed or opened by another replica.
        this.#claims.delete(key);
        if (each.heldUntilMs > nowMs) remove.push({ key, value: this.#id });
        continue;
      }
      if (health.isProbing) each.unusedSinceMs = nowMs;
      const isHeld = each.heldUntilMs !== 0 && each.askedAtMs === undefined;
      if (isHeld && nowMs - each.unusedSinceMs > unusedMs) {
        giveUp(each);
        remove.push({ key, value: this.#id });
      } else if (isHeld && health.isProbing && each.heldUntilMs - nowMs < leaseMs / 2) each.askedAtMs = nowMs;
      if (each.askedAtMs === undefined) continue;
      each.askedAtMs = nowMs;
      each.isSent = true;
      claim.push({ key, value: this.#id, leftMs: leaseMs });
    }
  }

  incoming(_view: FleetView, nowMs: number, claimed: readonly string[]): void {
    this.#isAvailable = true;
    const granted = new Set(claimed);
    for (const [key, each] of this.#claims) {
      if (!each.isSent) continue;
      if (!granted.has(key)) {
        this.#claims.delete(key);
        continue;
      }
      if (each.heldUntilMs === 0) each.unusedSinceMs = nowMs;
      each.heldUntilMs = (each.askedAtMs ?? nowMs) + leaseMs;
      each.askedAtMs = undefined;
      each.isSent = false;
    }
  }

  lost(): void {
    this.#isAvailable = false;
    this.#claims.clear();
  }

  #isTaken(key: string, nowMs: number): boolean {
    return this.#view.leftMs(key, nowMs) > 0 && this.#view.value(key) !== this.#id;
  }

  #mayProbe(key: string, subject: Subject, name: string, nowMs: number): boolean {
    const known = this.#claims.get(key);
    if (known !== undefined && known.heldUntilMs !== 0) return nowMs < known.heldUntilMs;
    // The answer comes, or the state becomes unavailable: a state that hangs must reject after a while.
    if (known?.askedAtMs !== undefined) return false;
    if (this.#isTaken(key, nowMs)) return false;
    if (known === undefined && this.#claims.size >= claimsMax) return true;
    const isGivenUp = known?.isGivenUp === true;
    this.#claims.set(key, {
      ...{ subject, name, askedAtMs: nowMs, isSent: false, isGivenUp },
      heldUntilMs: isGivenUp ? nowMs + unusedMs : 0,
      unusedSinceMs: nowMs,
    });
    this.#wake();
    return isGivenUp;
  }
}

function giveUp(claim: Claim): void {
  claim.heldUntilMs = 0;
  claim.askedAtMs = undefined;
  claim.isGivenUp = true;
}
