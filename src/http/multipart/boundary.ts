/** Reads the boundary of a form from the request's content type. */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { readParameters } from './parameters.ts';
import { malformed } from './refusals.ts';

const boundaryShape = /^[0-9A-Za-z'()+_,\-./:=? ]{0,69}[0-9A-Za-z'()+_,\-./:=?]$/;

export function isForm(contentType: string | null): boolean {
  return contentType !== null && /^[ \t]*multipart\/form-data[ \t]*(;|$)/i.test(contentType);
}

export function readBoundary(contentType: string | null): string {
  if (!isForm(contentType)) {
    const plain = contentType?.split(';', 1)[0]?.trim().slice(0, 100) || 'nothing';
    throw new GatewayError('content_type_unsupported', `Send the body as multipart/form-data, not ${plain}.`);
  }
  const boundary = readParameters(contentType ?? '')?.parameters.get('boundary')?.value;
  if (boundary === undefined || !boundaryShape.test(boundary)) {
    throw malformed('The content type names no boundary of 1 to 70 allowed characters.');
  }
  return boundary;
}
