/** A wire log that keeps nothing, for questions that are asked again every second and would hide everything else. */

import type { WireExchange, WireLog } from '../playground-contract.ts';

const ignore = () => undefined;
const silent: WireExchange = { id: '', head: ignore, event: ignore, output: ignore, usage: ignore, end: ignore };

export const silentWire: WireLog = { begin: () => silent };
