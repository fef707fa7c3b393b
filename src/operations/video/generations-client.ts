/** `POST /v1/video/generations`: Weir's own video API, in JSON or as a form with uploads. */

import { invalid } from '../field-checks.ts';
import type { WireBody } from '../wire.ts';
import { type OrderFields, orderFieldsOf } from './order-fields.ts';
import type { MediaNames } from './order-media.ts';
import { checkOrder, readOrder, type VideoOrder, type VideoOrderFacts } from './video-order.ts';

const names: MediaNames = { images: ['image', 'images'], either: [] };

/** Checks what must hold before anything is spent; throws a GatewayError that names the field. */
export function checkVideo(body: WireBody): VideoOrderFacts {
  const fields = orderFieldsOf(body);
  checkForeignName(fields);
  return checkOrder(fields, names);
}

/** Never throws after `checkVideo`. */
export function readVideo(body: WireBody, model: string): VideoOrder {
  return readOrder(orderFieldsOf(body), model, names);
}

/** The other API's name for an image: were it only reported as lost, a video without it would be made and paid for. */
function checkForeignName(fields: OrderFields): void {
  if (fields.value('input_reference') !== undefined) throw invalid('input_reference', 'is called `image` here');
}
