/**
 * Further addresses of the same endpoints, as vendors' services and libraries spell them (read 2026-11-15):
 * - `/openai/v1/…`: Groq's library (https://github.com/groq/groq-python) and Azure's v1 API
 *   (https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle)
 * - `/openai/deployments/{deployment}/…?api-version=` and `/openai/…?api-version=`: Azure's dated versions
 *   (https://github.com/openai/openai-python/blob/main/src/openai/lib/azure.py)
 * - `/v1beta/openai/…`: Google's compatible endpoints (https://ai.google.dev/gemini-api/docs/openai)
 * - `/v1alpha/…` and `/v1/…` beside `/v1beta/…`, and models below a project and a publisher: Google's library
 *   (https://github.com/googleapis/python-genai)
 */

interface OtherPath {
  readonly path: string;
  /** What the address says beside: the model under `deploymentParameter`. */
  readonly params: Readonly<Record<string, string>>;
}

/** Names the model where the address does and the body need not. */
export const deploymentParameter = 'deployment';

const nothing: OtherPath['params'] = Object.freeze({});

/** Below which the endpoints of `/v1` are found too, for descriptions. */
export const otherAddresses = ['/openai/v1', '/openai/deployments/{deployment}', '/v1beta/openai'] as const;

/** The methods after a model's colon. */
const action = /:(?:generateContent|streamGenerateContent|countTokens|embedContent|batchEmbedContents)$/;
const compatible = /^(?:\/v1(?:beta|alpha)?)?\/openai\/(.+)$/;
/** Libraries write a name with a slash in it as it is: it ends where a known endpoint begins. */
const deployed =
  /^deployments\/(.+?)\/(chat\/completions|completions|embeddings|images\/(?:generations|edits)|audio\/(?:speech|transcriptions|translations)|responses)$/;
const letterO = 0x6f;
const letterV = 0x76;

/** The plain path that an address means; undefined where it is none of these. */
export function otherPath(path: string): OtherPath | undefined {
  const first = path.charCodeAt(1);
  if (first !== letterO && first !== letterV) return undefined;
  if (action.test(path)) return modelAction(path);
  const below = compatible.exec(path)?.[1];
  if (below !== undefined) return compatiblePath(below);
  return path.startsWith('/v1alpha/') ? { path: `/v1beta/${path.slice(9)}`, params: nothing } : undefined;
}

const published = /^\/v1(?:beta1)?\/(?:projects\/[^/]+\/locations\/[^/]+\/)?publishers\/[^/]+\/models\/(.+)$/;

/** One library leaves out `models/` before a name with a slash in it, another says who publishes the model. */
function modelAction(path: string): OtherPath | undefined {
  const model = published.exec(path)?.[1];
  if (model !== undefined) return { path: `/v1/models/${model}`, params: nothing };
  if (path.startsWith('/v1alpha/')) return { path: `/v1beta/${path.slice(9)}`, params: nothing };
  if (!path.startsWith('/v1/') || path.startsWith('/v1/models/')) return undefined;
  return { path: `/v1/models/${path.slice(4)}`, params: nothing };
}

function compatiblePath(below: string): OtherPath | undefined {
  const [, name = '', rest] = deployed.exec(below) ?? [];
  if (rest === undefined) return { path: below.startsWith('v1/') ? `/${below}` : `/v1/${below}`, params: nothing };
  try {
    return { path: `/v1/${rest}`, params: { [deploymentParameter]: decodeURIComponent(name) } };
  } catch {
    return undefined;
  }
}
