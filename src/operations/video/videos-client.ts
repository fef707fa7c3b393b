/** `POST /v1/videos`: the same order as the official library writes it; the fields of Weir's own API are accepted too. */

import type { WireBody } from '../wire.ts';
import { orderFieldsOf } from './order-fields.ts';
import type { MediaNames } from './order-media.ts';
import { checkOrder, readOrder, type VideoOrder, type VideoOrderFacts } from './video-order.ts';

/** The library's reference is an image or a video, by the type of what is uploaded. */
const names: MediaNames = { images: ['image', 'images'], either: ['input_reference'] };

/** Checks what must hold before anything is spent; throws a GatewayError that names the field. */
export function checkOfficialVideo(body: WireBody): VideoOrderFacts {
  return checkOrder(orderFieldsOf(body), names);
}

/** Never throws after `checkOfficialVideo`. */
export function readOfficialVideo(body: WireBody, model: string): VideoOrder {
  return readOrder(orderFieldsOf(body), model, names);
}
