/** What the agents are run against: each target is a Weir with a configuration, the model that is named, and what its answer must hold. */

import { type ProviderName, providerNames, startProviders } from '../fake-upstream/wire/start-all.ts';

export interface AgentTarget {
  readonly name: string;
  readonly model: string;
  /** In an agent's output, after the question. */
  readonly answer: string;
  /** In a library's output, after its snippet said Hello; as JSON writes it, since curl shows that. */
  readonly greeting: string;
  /** Requests beyond those that an answer takes, where the provider calls a tool before it answers. */
  readonly requestsMore: number;
  /** Is it run where no target is named? */
  readonly usual: boolean;
  /** Starts what stands behind Weir. */
  start(): Promise<TargetBackground>;
}

export interface TargetBackground {
  readonly yaml?: object;
  /** What the provider refused, in its own words. */
  refusals(): readonly string[];
  stop(): Promise<void>;
}

const sandbox: AgentTarget = {
  name: 'sandbox',
  model: 'sandbox-chat',
  answer: '6 * 7 = 42',
  greeting: 'Your last message: ',
  requestsMore: 0,
  usual: true,
  start: async () => ({ refusals: () => [], stop: async () => {} }),
};

/** The scene in which a scripted provider answers whatever it is asked. */
const scene = 'free';

function scripted(provider: ProviderName): AgentTarget {
  return {
    name: provider,
    model: `scripted-${provider}`,
    answer: 'It "dams" the stream',
    greeting: 'the stream:',
    requestsMore: 0,
    usual: true,
    async start() {
      const running = await startProviders();
      const { verdicts } = running.byName[provider];
      const models = { [`scripted-${provider}`]: { targets: [{ provider, model: scene }] } };
      return {
        yaml: { ...running.yaml, models },
        refusals: () => verdicts.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong])),
        stop: async () => running.stop(),
      };
    },
  };
}

export const targets: readonly AgentTarget[] = [sandbox, ...providerNames.map(scripted)];
