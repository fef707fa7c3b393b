/** Opens live conversations and makes the credentials for them. */

import type { Caller } from '../access/caller.ts';
import { endpointNotAllowed } from '../access/levels/endpoint-refusal.ts';
import { GatewayError } from '../conversation/gateway-error.ts';
import type { Tree } from '../conversation/json-tree.ts';
import { modelsInSession, updateFrame } from '../formats/openai-realtime/client-frames.ts';
import type { MadeSecret, SecretRequest } from '../formats/openai-realtime/client-secret.ts';
import type { RequestHeaders } from '../http/request-headers.ts';
import type { SocketHandler } from '../http/websocket/socket-handler.ts';
import { nothingSent } from '../relay/admission/ledger-errors.ts';
import { requireModel } from '../relay/admission/require-model.ts';
import { routeCall } from '../relay/admission/route-call.ts';
import { budgetRefusal, standingOf } from '../relay/cost-bounds/budget-refusal.ts';
import { allBudgets } from '../relay/cost-bounds/level-budgets.ts';
import { vetFrame } from '../relay/vetting/vetted-frame.ts';
import { frameRule, requireNamed } from './check-references.ts';
import { checkTranscription } from './client-checks.ts';
import type { ClientSecrets } from './client-secrets.ts';
import { connectLive } from './connect.ts';
import { FrameGate, requireCheckable } from './frame-gate.ts';
import { type LiveCaller, type LiveParts, liveEndpoint } from './live-parts.ts';
import { LiveSession } from './live-session.ts';
import { withEndUser } from './live-user.ts';
import { defaultLiveModel, isLive, liveTargets } from './targets.ts';
import { TurnLedger } from './turn-ledger.ts';

export interface AdmittedLive extends LiveCaller {
  /** The settings that a short-lived credential was made with. */
  readonly session: Tree | undefined;
}

interface LiveRequest {
  readonly requestId: string;
  readonly startedAtMs: number;
  readonly who: AdmittedLive;
  readonly model: string | undefined;
  readonly transcribes: boolean;
  /** The headers of the client. */
  readonly given: RequestHeaders;
  /** Those of them that are passed to the provider. */
  readonly headers: Readonly<Record<string, string>>;
  readonly leaving: AbortSignal;
  /** Providers are tried from here on, and the outcome is recorded. */
  onAdmitted(): void;
}

export interface Live {
  /** Resolves when a provider's connection is open; throws the handshake's error where none is. */
  open(request: LiveRequest): Promise<SocketHandler>;
  /** The caller of a short-lived credential. */
  admitSecret(value: string, address: () => string): Promise<AdmittedLive>;
  mintSecret(caller: Caller, request: SecretRequest): Promise<MadeSecret>;
}

interface LiveOptions extends LiveParts {
  readonly secrets: ClientSecrets;
  callerById(tokenId: string, address: () => string): Promise<Caller>;
}

/** Nothing is asked for yet. */
const noBounds = { mostNano: () => 0n, mostTokens: () => 0 };
/** A handshake has no routing options. */
const noHeaders = new Headers();

export function createLive(parts: LiveOptions): Live {
  async function open(request: LiveRequest): Promise<SocketHandler> {
    const { requestId, startedAtMs, transcribes } = request;
    const who = await withEndUser(parts, request.who, request.given);
    const model = modelOf(request);
    requireModel(who.caller, model);
    const { targets } = routeCall(parts, {
      model,
      operation: 'converse-live',
      caller: who.caller,
      headers: noHeaders,
      tree: undefined,
      inputTokensMax: 0,
      unable: (target) => (isLive(target, model) ? undefined : 'does not support realtime'),
    });
    const gate = parts.gateFor(who.caller, model);
    requireCheckable(gate);
    if (who.session !== undefined) await requireNamed(parts.ownedIds, who.caller.tokenId, who.session);
    const requireFrame = await frameRule(parts.ownedIds);
    let session: LiveSession | undefined;
    const end = (error: GatewayError): void => session?.refuse(error);
    const given = { who, model, requestId, startedAtMs, transcribes, onRefused: end, onAbandoned: end };
    const ledger = new TurnLedger(parts, given);
    await ledger.enter();
    request.onAdmitted();
    const { upstream, target, listen } = await connectLive(parts, ledger, {
      requestId,
      targets,
      headers: request.headers,
      transcribes,
      leaving: request.leaving,
    });
    session = new LiveSession(parts, {
      upstream,
      target,
      ledger,
      transcribes,
      catalogue: parts.catalogue,
      who,
      model,
      jsonDepthMax: parts.limits.jsonDepthMax,
      slices: parts.slices,
      needsOtherGate: (other) => {
        const demanded = parts.gateFor(who.caller, other);
        return demanded !== undefined && (demanded.checksReplies || gate?.checksRequests !== true);
      },
      gate: gate && new FrameGate({ gate, caller: who.caller, newRequestId: parts.newRequestId, hasLeft: () => false }),
      requireNamed: requireFrame,
      vet: (frame, served) => vetFrame(parts, who.caller, frame, served),
      firstFrame: who.session === undefined ? undefined : updateFrame(who.session),
    });
    listen(session.upstreamSide);
    const unwatch = parts.tokens.watch({ caller: who.caller, readmit: who.readmit, endUse: end }, startedAtMs);
    const { clientSide } = session;
    return {
      ...clientSide,
      closed(code, reason) {
        unwatch();
        clientSide.closed(code, reason);
      },
    };
  }

  /** A credential that was made for a model decides the model. */
  function modelOf({ who: { pinnedModel }, model }: LiveRequest): string {
    if (pinnedModel === undefined) return model ?? defaultLiveModel(parts.catalogue);
    if (model === undefined || model === pinnedModel) return pinnedModel;
    const message = `This credential only works for the model ${pinnedModel}.`;
    throw new GatewayError('model_not_allowed', message, { param: 'model' });
  }

  async function admitSecret(value: string, address: () => string): Promise<AdmittedLive> {
    const { tokenId, model, session } = await parts.secrets.find(value);
    const readmit = async (): Promise<Caller> => {
      const caller = await parts.callerById(tokenId, address);
      if (caller.mayUseEndpoint(liveEndpoint)) return caller;
      throw endpointNotAllowed(caller, liveEndpoint);
    };
    return { caller: await readmit(), readmit, pinnedModel: model, session };
  }

  /** A credential that could open nothing is not made: a spent budget refuses it. */
  async function mintSecret(caller: Caller, request: SecretRequest): Promise<MadeSecret> {
    await requireBudget(caller);
    return mint(caller, request);
  }

  async function requireBudget(caller: Caller): Promise<void> {
    for (const known of allBudgets(caller)) {
      // Of one for some models it is not known yet whether it counts.
      if (known.budget.models !== undefined) continue;
      const { spent, limit } = await standingOf(parts, known, parts.wallMs()).catch(nothingSent);
      if (spent >= limit) throw await budgetRefusal(parts, caller, known.scope, noBounds);
    }
  }

  async function mint(caller: Caller, { session, lifetimeMs }: SecretRequest): Promise<MadeSecret> {
    const named = modelsInSession(session);
    const model = named.conversation ?? defaultLiveModel(parts.catalogue);
    liveTargets(parts.catalogue, caller, model);
    checkTranscription({ caller }, named.transcription);
    const { tokenId } = caller;
    await requireNamed(parts.ownedIds, tokenId, session);
    const { value, expiresAtMs } = await parts.secrets.mint({ tokenId, model, session }, lifetimeMs);
    return { value, expiresAtMs, sessionId: parts.newId('sess_'), model, session };
  }

  return { open, admitSecret, mintSecret };
}
