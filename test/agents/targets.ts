/** What the agents are run against: each target is a Weir with a configuration, the model that is named, and what its answer must hold. */

import { type ProviderName, startProviders } from '../fake-upstream/wire/start-all.ts';

export interface AgentTarget {
  readonly name: string;
  readonly model: string;
  /** In the program's output. */
  readonly answer: string;
  /** Starts what stands behind Weir. */
  start(): Promise<TargetBackground>;
}

export interface TargetBackground {
  readonly yaml?: object;
  /** What the provider refused, in its own words. */
  refusals(): readonly string[];
  stop(): void;
}

const sandbox: AgentTarget = {
  name: 'sandbox',
  model: 'sandbox-chat',
  answer: '6 * 7 = 42',
  start: async () => ({ refusals: () => [], stop: () => {} }),
};

/** The scene in which a scripted provider checks a request as its original would, and answers with text. */
const checkedScene = 'checked';

function scripted(provider: ProviderName): AgentTarget {
  return {
    name: provider,
    model: `scripted-${provider}`,
    answer: 'It "dams" the stream',
    async start() {
      const running = await startProviders();
      const { verdicts } = running.byName[provider];
      const models = { [`scripted-${provider}`]: { targets: [{ provider, model: checkedScene }] } };
      return {
        yaml: { ...running.yaml, models },
        refusals: () => verdicts.flatMap(({ wrong }) => (wrong === undefined ? [] : [wrong])),
        stop: () => running.stop(),
      };
    },
  };
}

export const targets: readonly AgentTarget[] = [
  sandbox,
  scripted('chat'),
  scripted('responses'),
  scripted('messages'),
  scripted('generate'),
];
