/** What a call can cost beside the model that it asks for: models that its body names elsewhere, and tools that are billed by the call. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import type { CountedTool, FurtherModel } from '../vetting/ordered.ts';

/** The bounds of one of the models, as those of the call itself. */
interface FurtherBounds {
  readonly named: FurtherModel;
  readonly isPriced: boolean;
  readonly bounds: {
    mostNano(): bigint;
    mostTokens(): number;
    likelyNano(): bigint;
    leftUse(repeatable: boolean, writtenTokens: number): { readonly costNano: bigint };
    requireContext(param: string, whose: string): void;
  };
}

export class BesideBounds {
  readonly #further: readonly FurtherBounds[];
  readonly #tools: readonly CountedTool[];

  constructor(further: readonly FurtherBounds[], tools: readonly CountedTool[]) {
    this.#further = further;
    this.#tools = tools;
  }

  mostNano(): bigint {
    let most = 0n;
    for (const { named, bounds } of this.#further) most += bounds.mostNano() * BigInt(named.times);
    for (const { nano, times } of this.#tools) most += nano * BigInt(times);
    return most;
  }

  mostTokens(): number {
    return this.#further.reduce((sum, { named, bounds }) => sum + bounds.mostTokens() * named.times, 0);
  }

  /** What the most expensive of them is likely to cost, if it serves the request. */
  likelyNano(): bigint {
    return this.#highest(({ bounds }) => bounds.likelyNano());
  }

  /** The same once it may have written so much. */
  leftNano(writtenTokens: number): bigint {
    return this.#highest(({ bounds }) => bounds.leftUse(true, writtenTokens).costNano);
  }

  #highest(nanoOf: (further: FurtherBounds) => bigint): bigint {
    return this.#further.map(nanoOf).reduce((highest, nano) => (nano > highest ? nano : highest), 0n);
  }

  /** Throws where one of them has no known price or no bound. */
  require(money: boolean, whose: string): void {
    for (const { named, isPriced, bounds } of this.#further) {
      if (money && !isPriced) {
        const message = `${whose} has a budget, and the model ${named.target.model.slice(0, 200)}, which \`${named.param}\` names, has no known price; the operator can set one under \`prices\`.`;
        throw new GatewayError('price_unknown', message, { param: named.param });
      }
      bounds.requireContext(named.param, whose);
    }
  }
}
