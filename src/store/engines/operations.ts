/** Every operation of the store with how it must be run; both drivers and the database's thread read this one table. */

import * as accounts from '../accounts/account-queries.ts';
import * as audit from '../accounts/audit-queries.ts';
import * as sessions from '../accounts/session-queries.ts';
import * as analytics from '../analytics/analytics-queries.ts';
import * as usageCells from '../analytics/usage-cells.ts';
import * as usagePages from '../analytics/usage-pages.ts';
import * as usageRollup from '../analytics/usage-rollup.ts';
import * as attempts from '../attempts/attempt-queries.ts';
import * as trail from '../attempts/attempt-trail.ts';
import * as consoleEntries from '../configuration/console-entry-queries.ts';
import * as consoleSettings from '../configuration/console-setting-queries.ts';
import * as memory from '../configuration/server-state-queries.ts';
import * as prices from '../prices/price-queries.ts';
import * as priceTables from '../prices/price-table-queries.ts';
import * as clientSecrets from '../requests/client-secret-queries.ts';
import * as idempotency from '../requests/idempotency-queries.ts';
import * as keptReplies from '../requests/kept-reply-queries.ts';
import * as ownedIds from '../requests/owned-id-queries.ts';
import * as replicaContents from '../requests/replica-content-queries.ts';
import * as requestContents from '../requests/request-content-queries.ts';
import * as results from '../results/result-queries.ts';
import * as secretUses from '../secret-keys/secret-use-queries.ts';
import type { Operation } from '../sql/statement.ts';
import * as callbacks from '../tasks/task-callbacks.ts';
import * as taskEnds from '../tasks/task-ends.ts';
import * as taskPages from '../tasks/task-page-queries.ts';
import * as tasks from '../tasks/task-queries.ts';
import * as taskWork from '../tasks/task-work.ts';
import * as tokenBudgets from '../tokens/token-budgets.ts';
import * as tokens from '../tokens/token-queries.ts';
import * as tokenSearch from '../tokens/token-search.ts';
import * as unpriced from '../usage/unpriced.ts';
import * as usage from '../usage/usage-queries.ts';

/**
 * `read`: writes nothing. `long-read`: may take long, so it must not stand in the writers' way.
 * `single`: one writing statement, which needs no transaction around it. `transaction`: all of it or nothing.
 */
export type OperationKind = 'read' | 'long-read' | 'single' | 'transaction';

/** `after`: the operation must see what the embedded engine's journal still holds. Absent: it touches nothing of that. */
export type JournalRule = 'after';

interface Entry<Steps> {
  readonly kind: OperationKind;
  readonly steps: Steps;
  readonly journal: JournalRule | undefined;
}

const entry = <Steps>(kind: OperationKind, steps: Steps, journal?: JournalRule): Entry<Steps> => ({
  kind,
  steps,
  journal,
});

/** New ones go to the end: an operation's place is its name in a journal that an older Weir may have left. */
export const operations = {
  openAttempt: entry('single', attempts.openAttempt),
  openAttemptWithin: entry('transaction', attempts.openAttemptWithin),
  closeAttempt: entry('transaction', attempts.closeAttempt, 'after'),
  closeLostAttempt: entry('transaction', attempts.closeLostAttempt, 'after'),
  checkpointAttempts: entry('transaction', attempts.checkpointAttempts, 'after'),
  addSettledAttempts: entry('transaction', attempts.addSettledAttempts),
  attemptHolders: entry('read', attempts.attemptHolders, 'after'),
  openAttemptsOf: entry('read', attempts.openAttemptsOf, 'after'),
  readBudgetWindow: entry('read', attempts.readBudgetWindow),
  addUsageRows: entry('transaction', usage.addUsageRows),
  listUsage: entry('long-read', usage.listUsage),
  usageById: entry('read', usage.usageById, 'after'),
  sumUsage: entry('long-read', usage.sumUsage),
  insertToken: entry('transaction', tokens.insertToken),
  tokenByDigest: entry('read', tokens.tokenByDigest),
  tokenById: entry('read', tokens.tokenById),
  listTokens: entry('read', tokens.listTokens),
  updateTokenTerms: entry('transaction', tokens.updateTokenTerms),
  revokeToken: entry('transaction', tokens.revokeToken),
  rotateToken: entry('transaction', tokens.rotateToken),
  revision: entry('read', tokens.revision),
  getSetting: entry('read', memory.getSetting),
  putSettingIfAbsent: entry('transaction', memory.putSettingIfAbsent),
  putSetting: entry('transaction', memory.putSetting),
  getProviderModels: entry('read', memory.getProviderModels),
  putProviderModels: entry('single', memory.putProviderModels),
  beatInstance: entry('single', memory.beatInstance),
  otherInstances: entry('read', memory.otherInstances),
  forgetInstance: entry('single', memory.forgetInstance, 'after'),
  beginIdempotent: entry('transaction', idempotency.beginIdempotent),
  finishIdempotent: entry('single', idempotency.finishIdempotent),
  forgetIdempotent: entry('single', idempotency.forgetIdempotent),
  expireIdempotent: entry('single', idempotency.expireIdempotent),
  ping: entry('read', memory.ping),
  putKeptReply: entry('single', keptReplies.putKeptReply),
  getKeptReply: entry('read', keptReplies.getKeptReply),
  removeKeptReply: entry('single', keptReplies.removeKeptReply),
  expireKeptReplies: entry('single', keptReplies.expireKeptReplies),
  trimKeptReplies: entry('single', keptReplies.trimKeptReplies),
  trimAllKeptReplies: entry('single', keptReplies.trimAllKeptReplies),
  hasKeptReply: entry('read', keptReplies.hasKeptReply),
  // Attempts of tasks never go through the journal, so what opens and closes them need not wait for it.
  createTask: entry('transaction', tasks.createTask),
  moveTask: entry('transaction', tasks.moveTask),
  discardTask: entry('transaction', tasks.discardTask),
  getTask: entry('read', tasks.getTask),
  taskByRequest: entry('read', tasks.taskByRequest),
  findTask: entry('read', tasks.findTask),
  listTasks: entry('read', tasks.listTasks),
  countOpenTasks: entry('read', tasks.countOpenTasks),
  markTaskDeleted: entry('single', tasks.markTaskDeleted),
  dueProviders: entry('read', taskWork.dueProviders),
  claimTasks: entry('single', taskWork.claimTasks),
  renewTask: entry('single', taskWork.renewTask),
  stepTask: entry('single', taskWork.stepTask),
  hastenTask: entry('single', taskWork.hastenTask),
  expireTasks: entry('transaction', taskWork.expireTasks),
  forgetTasks: entry('transaction', taskWork.forgetTasks),
  endTask: entry('transaction', taskEnds.endTask),
  // It rewrites a usage row, and those of other attempts of the same request may still be on their way.
  correctTask: entry('transaction', taskEnds.correctTask, 'after'),
  settleTaskGuess: entry('single', taskEnds.settleTaskGuess),
  claimCallbacks: entry('single', callbacks.claimCallbacks),
  endCallback: entry('single', callbacks.endCallback),
  postponeCallback: entry('single', callbacks.postponeCallback),
  putClientSecret: entry('transaction', clientSecrets.putClientSecret),
  getClientSecret: entry('read', clientSecrets.getClientSecret),
  expireClientSecrets: entry('single', clientSecrets.expireClientSecrets),
  attemptsOfRequest: entry('read', trail.attemptsOfRequest, 'after'),
  renewToken: entry('transaction', tokens.renewToken),
  revokeTokensOf: entry('transaction', tokens.revokeTokensOf),
  insertAccount: entry('single', accounts.insertAccount),
  accountById: entry('read', accounts.accountById),
  accountByName: entry('read', accounts.accountByName),
  passwordHashOf: entry('read', accounts.passwordHashOf),
  listAccounts: entry('read', accounts.listAccounts),
  updateAccount: entry('transaction', accounts.updateAccount),
  setAccountPassword: entry('single', accounts.setAccountPassword),
  setUpDone: entry('read', accounts.setUpDone),
  addSetUpLink: entry('transaction', accounts.addSetUpLink),
  completeSetUp: entry('transaction', accounts.completeSetUp),
  countSignInTry: entry('single', accounts.countSignInTry),
  giveBackSignInTry: entry('single', accounts.giveBackSignInTry),
  expireSignInTries: entry('single', accounts.expireSignInTries),
  openSession: entry('transaction', sessions.openSession),
  sessionByDigest: entry('read', sessions.sessionByDigest),
  touchSession: entry('single', sessions.touchSession),
  listSessions: entry('read', sessions.listSessions),
  revokeSession: entry('single', sessions.revokeSession),
  revokeSessionsOf: entry('single', sessions.revokeSessionsOf),
  expireSessions: entry('single', sessions.expireSessions),
  addAudit: entry('single', audit.addAudit),
  listAudit: entry('long-read', audit.listAudit),
  expireAudit: entry('single', audit.expireAudit),
  usageSeries: entry('long-read', analytics.usageSeries),
  usageGroups: entry('long-read', analytics.usageGroups),
  unpricedModels: entry('long-read', unpriced.unpricedModels),
  usagePage: entry('long-read', usagePages.usagePage),
  countUsage: entry('long-read', usagePages.countUsage),
  rollupState: entry('read', usageRollup.rollupState),
  claimRollup: entry('single', usageRollup.claimRollup),
  // A look at the end of an index: not worth the second thread.
  nextPeriod: entry('read', usageRollup.nextPeriod, 'after'),
  skipPeriods: entry('single', usageRollup.skipPeriods),
  markedPeriods: entry('read', usageRollup.markedPeriods),
  dropOldMarks: entry('single', usageRollup.dropOldMarks),
  retainFrom: entry('single', usageRollup.retainFrom),
  removeOldRows: entry('single', usageRollup.removeOldRows),
  readPeriod: entry('long-read', usageCells.readPeriod),
  sealPeriod: entry('transaction', usageCells.sealPeriod),
  resumPeriod: entry('transaction', usageCells.resumPeriod),
  putPrice: entry('single', prices.putPrice),
  getPrice: entry('read', prices.getPrice),
  budgetStandings: entry('long-read', tokenBudgets.budgetStandings),
  configurationRevision: entry('read', consoleEntries.configurationRevision),
  readConfiguration: entry('read', consoleEntries.readConfiguration),
  addProviderEntry: entry('transaction', consoleEntries.addProviderEntry),
  changeProviderEntry: entry('transaction', consoleEntries.changeProviderEntry),
  putEntry: entry('transaction', consoleEntries.putEntry),
  removeEntry: entry('transaction', consoleEntries.removeEntry),
  putRequestContent: entry('single', requestContents.putRequestContent),
  getRequestContent: entry('read', requestContents.getRequestContent),
  hasRequestContent: entry('read', requestContents.hasRequestContent),
  expireRequestContents: entry('single', requestContents.expireRequestContents),
  consoleSettings: entry('read', consoleSettings.consoleSettings),
  changeConsoleSettings: entry('transaction', consoleSettings.changeConsoleSettings),
  pageTasks: entry('long-read', taskPages.pageTasks),
  searchTokens: entry('long-read', tokenSearch.searchTokens),
  keyHolders: entry('read', idempotency.keyHolders),
  keysHeldBy: entry('read', idempotency.keysHeldBy),
  loseIdempotent: entry('single', idempotency.loseIdempotent),
  moveTokenDigest: entry('transaction', secretUses.moveTokenDigest),
  moveSessionDigest: entry('single', secretUses.moveSessionDigest),
  textsOfOtherKeys: entry('long-read', secretUses.textsOfOtherKeys),
  exchangeTexts: entry('transaction', secretUses.exchangeTexts),
  tokensOfOtherKeys: entry('long-read', secretUses.tokensOfOtherKeys),
  countOfOtherKeys: entry('long-read', secretUses.countOfOtherKeys),
  insertTokenWithin: entry('transaction', tokens.insertTokenWithin),
  addOwnedIds: entry('transaction', ownedIds.addOwnedIds),
  idOwners: entry('read', ownedIds.idOwners),
  removeOwnedId: entry('single', ownedIds.removeOwnedId),
  expireOwnedIds: entry('single', ownedIds.expireOwnedIds),
  countOwnedIds: entry('long-read', ownedIds.countOwnedIds),
  dropOldestOwnedIds: entry('single', ownedIds.dropOldestOwnedIds),
  tokenHolders: entry('long-read', ownedIds.tokenHolders),
  putReplicaContent: entry('single', replicaContents.putReplicaContent),
  getReplicaContents: entry('read', replicaContents.getReplicaContents),
  expireReplicaContents: entry('single', replicaContents.expireReplicaContents),
  trimReplicaContents: entry('single', replicaContents.trimReplicaContents),
  putKeptResult: entry('single', results.putKeptResult),
  getKeptResult: entry('read', results.getKeptResult),
  removeKeptResult: entry('single', results.removeKeptResult),
  expiredResults: entry('read', results.expiredResults),
  excessResults: entry('long-read', results.excessResults),
  writeResultParts: entry('transaction', results.writeResultParts),
  resultSize: entry('read', results.resultSize),
  readResultPart: entry('read', results.readResultPart),
  removeResultParts: entry('single', results.removeResultParts),
  expireResultParts: entry('single', results.expireResultParts),
  removeOldAttempts: entry('transaction', usageRollup.removeOldAttempts),
  priceTablePulse: entry('read', priceTables.priceTablePulse),
  priceTableHeads: entry('read', priceTables.priceTableHeads),
  getPriceTable: entry('long-read', priceTables.getPriceTable),
  putPriceTable: entry('transaction', priceTables.putPriceTable),
  touchPriceTable: entry('single', priceTables.touchPriceTable),
  holdPrices: entry('transaction', priceTables.holdPrices),
  removePriceTable: entry('transaction', priceTables.removePriceTable),
  priceChanges: entry('long-read', priceTables.priceChanges),
  claimPriceFetch: entry('single', priceTables.claimPriceFetch),
  endPriceFetch: entry('single', priceTables.endPriceFetch),
  priceFetchState: entry('read', priceTables.priceFetchState),
} as const;

export type OperationName = keyof typeof operations;
type Steps<Name extends OperationName> = (typeof operations)[Name]['steps'];
export type OperationValues<Name extends OperationName> = Parameters<Steps<Name>>;
export type OperationResult<Name extends OperationName> =
  ReturnType<Steps<Name>> extends Operation<infer Result> ? Result : never;

/** Values and results are JSON, so that a batch of them crosses to the database's thread as one string; money goes as `Money`. */
export type Json = string | number | boolean | null | readonly Json[];

/** An operation as a driver meets it, its own types erased: the facade's typed `run` is the only way in. */
export interface AnyOperation {
  readonly kind: OperationKind;
  readonly journal: JournalRule | undefined;
  readonly steps: (...values: readonly Json[]) => Operation<Json>;
}

export const operationNames = Object.keys(operations) as OperationName[];
export const operationCodes = new Map(operationNames.map((name, code) => [name, code] as const));
export const operationTable = operationNames.map((name) => operations[name] as unknown as AnyOperation);
