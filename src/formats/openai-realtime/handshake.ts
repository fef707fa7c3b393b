/** The handshake of a realtime session apart from the model: features, sub-protocols, and the provider's URL. */

export const formatName = 'openai-realtime';
export const liveProtocol = 'realtime';
const betaHeader = 'openai-beta';
const betaFeature = 'realtime=v1';
const betaProtocol = 'openai-beta.realtime-v1';

/** The headers that are passed on to the provider: the one that asks for the beta's events, or none. */
export function passedHeaders(headers: Pick<Headers, 'get'>): Readonly<Record<string, string>> {
  const features = (headers.get(betaHeader) ?? '').split(',').map((name) => name.trim());
  const protocols = (headers.get('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const asksForBeta = features.includes(betaFeature) || protocols.includes(betaProtocol);
  return asksForBeta ? { [betaHeader]: betaFeature } : {};
}

interface LiveQuery {
  readonly model: string | undefined;
  readonly transcribes: boolean;
}

export function readLiveQuery(query: string): LiveQuery {
  const fields = new URLSearchParams(query);
  // One family of clients calls the model a deployment.
  const model = fields.get('model') || fields.get('deployment') || undefined;
  return { model, transcribes: fields.get('intent') === 'transcription' };
}

/** The provider's URL as a WebSocket URL, with the model in its query. */
export function socketAddress(place: string, model: string, transcribes: boolean): string {
  const address = place.replace(/^http/, 'ws');
  const fields = [`model=${encodeURIComponent(model)}`, ...(transcribes ? ['intent=transcription'] : [])];
  return `${address}${address.includes('?') ? '&' : '?'}${fields.join('&')}`;
}
