/** What an account may see of a target's health: members see whether it serves and how quick it is, not how busy or why it fails. */

import type { Role } from '../../access/account.ts';
import type { HealthFiguresView, HealthStateName, ShownTargetHealth } from '../contracts/health-contract.ts';
import { admittedTo } from '../role-table.ts';

interface FullHealth extends HealthFiguresView {
  readonly state: HealthStateName;
  readonly readyInMs?: number;
}

export function shownHealth(role: Role, health: FullHealth): ShownTargetHealth {
  const { state, readyInMs, attempts, failed, errorRate, firstTokenMs, totalMs, tokensPerSecond, lastError } = health;
  const always = {
    state,
    ...(readyInMs !== undefined && { readyInMs }),
    ...(firstTokenMs && { firstTokenMs: { p50: firstTokenMs.p50 } }),
  };
  if (!seesFigures(role)) return always;
  return {
    ...always,
    ...{ attempts, failed },
    ...(errorRate !== undefined && { errorRate }),
    ...(firstTokenMs && { firstTokenMs }),
    ...(totalMs && { totalMs }),
    ...(tokensPerSecond !== undefined && { tokensPerSecond }),
    ...(lastError && { lastError }),
  };
}

function seesFigures(role: Role): boolean {
  const admitted = admittedTo('GET /console/api/health');
  return admitted !== 'public' && admitted.includes(role);
}
